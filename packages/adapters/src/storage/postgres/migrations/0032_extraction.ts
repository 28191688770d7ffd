/** What feeds of documents want to be read out of them. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const extraction = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table feed add column extraction_config json`
})
