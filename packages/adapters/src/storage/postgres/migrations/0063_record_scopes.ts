/** Numbers for the accounts and types of records. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeIndexes } from "./lateIndex.ts"
import { addScopes, recordKey, scopedIndexes, useScopes } from "./recordScope.ts"

export const recordScopes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* addScopes
  yield* sql`update record set scope_no = record_scope(account_id, data_type)`
  yield* sql.unsafe(`create unique index ${recordKey.name} on record ${recordKey.definition}`)
  yield* useScopes
  yield* makeIndexes(scopedIndexes)
})
