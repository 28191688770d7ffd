/** What all processes of one installation, that is of one database, have to agree on. */
import type { StorageUnavailable } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/**
 * Which of these secrets seals in this installation, by their fingerprints, from which nobody finds the secrets: the
 * current one first, then the former ones that it can still open with. `undefined`: none of them, what is stored cannot
 * be opened.
 *
 * The first caller decides. Anyone who comes with a new one beside the one that is kept makes it the secret of the
 * installation. One that was replaced is never the current one again: of two processes, one with the new secret and one
 * that comes back with the old one, neither undoes what the other does.
 */
export const agreeOnKey = Effect.fn("Installation.agreeOnKey")(function* (
  fingerprints: Arr.NonEmptyReadonlyArray<string>
): Effect.fn.Return<string | undefined, StorageUnavailable, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [current] = fingerprints
  yield* stored(sql`insert into installation (id, key_fingerprint) values (1, ${current}) on conflict do nothing`)
  yield* stored(sql`update installation
    set key_fingerprint = ${current}, former_fingerprints = former_fingerprints || key_fingerprint
    where key_fingerprint <> ${current} and key_fingerprint = any(${fingerprints})
      and not ${current} = any(former_fingerprints)`)
  const [kept] = yield* stored(sql<{ readonly key: string }>`select key_fingerprint as key from installation`)
  return fingerprints.find((fingerprint) => fingerprint === kept?.key)
}, acrossTenants("tables of the installation"))

/** Lets one process at a time go on, until its transaction ends. The key has been agreed on. */
export const exclusively: Effect.Effect<void, StorageUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* stored(sql`select from installation where id = 1 for update`)
})
