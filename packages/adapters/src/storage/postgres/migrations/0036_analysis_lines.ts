/** Set kinds may look at the lines of a record in place of the record. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const analysisLines = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table analysis_entry add column lines json`
})
