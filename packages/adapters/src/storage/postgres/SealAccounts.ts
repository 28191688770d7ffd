/** Replaces the numbers of accounts of files, which older versions kept, by their digests. */
import type { StorageUnavailable } from "@millrace/core/storage"
import { AccountSeal, isSealedKey, sealedKey } from "@millrace/core/upload"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { json } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface KeyRow {
  readonly id: string
  readonly provider_account_id: string
  readonly stable_keys: ReadonlyArray<string>
}

/** Returns how many accounts there were. Safe to run from several processes at once, and to be killed. */
export const sealAccounts = Effect.fn("PostgresStorage.sealAccounts")(function* (): Effect.fn.Return<
  number,
  StorageUnavailable,
  SqlClient.SqlClient | AccountSeal
> {
  const sql = yield* SqlClient.SqlClient
  const seal = yield* (yield* AccountSeal).seal
  return yield* Effect.gen(function* () {
    const accounts = yield* stored(sql<KeyRow>`select account.id, provider_account_id, stable_keys from account
      join bank on bank.id = bank_id where bank.source = 'file' and made_for is null
        for update of account`)
    let sealed = 0
    for (const { id, provider_account_id, stable_keys } of accounts) {
      if ([provider_account_id, ...stable_keys].every(isSealedKey)) continue
      yield* stored(sql`update account set provider_account_id = ${sealedKey(provider_account_id, seal)},
        stable_keys = ${json(stable_keys.map((key) => sealedKey(key, seal)))} where id = ${id}`)
      sealed++
    }
    return sealed
  }).pipe(inTransaction(sql))
}, acrossWorkspaces("sealing"))
