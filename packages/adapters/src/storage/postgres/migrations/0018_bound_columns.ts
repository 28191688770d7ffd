/** Which columns the names in the mappings of a feed mean. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const boundColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table feed add column bound_columns jsonb not null default '{}'`
})
