/**
 * Gives a large installation the indexes of the numbers of keys (`migrations/rowKey.ts`) while the server works. Rows that are
 * there stay as they are and are looked up as they were; every row that is made from then on has its number.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeLate } from "./LateIndexes.ts"
import { haveRowKeys, rowKeys, useRowKeys } from "./migrations/rowKey.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

/** Seconds that the change waits for whoever is at the table: others queue up behind it. */
const patience = 5

const change = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select set_config('lock_timeout', ${`${patience}s`}, true)`
  yield* sql`lock table table_row in access exclusive mode`
  if (!(yield* haveRowKeys)) yield* useRowKeys
})

/** Returns whether there was anything to do. As `scopeRecords`, it may be cut off anywhere, and the next start goes on. */
export const keyRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (yield* haveRowKeys) return false
  yield* makeLate(rowKeys)
  yield* inTransaction(sql)(change)
  return true
}).pipe(stored, Effect.withSpan("PostgresStorage.keyRows"))
