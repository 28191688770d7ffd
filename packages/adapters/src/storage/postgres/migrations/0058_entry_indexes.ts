/** Entries of records are found by their record alone, of which there are few of whatever enrichments, or by their account. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { entryAccounts, makeIndexes } from "./lateIndex.ts"

export const entryIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`drop index analysis_entry_enrichment_id_record_id_idx`
  yield* makeIndexes(entryAccounts)
})
