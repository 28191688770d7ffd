/** What all processes of one installation, that is of one database, have to agree on. */
import type { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/**
 * Whether this is the key that the database was first used with. The first caller decides; what is kept is a
 * fingerprint, from which nobody finds the key.
 */
export const isOwnKey = Effect.fn("Installation.isOwnKey")(function* (
  fingerprint: string
): Effect.fn.Return<boolean, StorageUnavailable, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* stored(sql`insert into installation (id, key_fingerprint) values (1, ${fingerprint}) on conflict do nothing`)
  const [kept] = yield* stored(sql<{ readonly key: string }>`select key_fingerprint as key from installation`)
  return kept?.key === fingerprint
})

/** Lets one process at a time go on, until its transaction ends. The key has been agreed on. */
export const exclusively: Effect.Effect<void, StorageUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* stored(sql`select from installation where id = 1 for update`)
})
