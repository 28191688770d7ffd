/** Findings in the form of all plain things, whose columns are named as the fields are. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const plainFindings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table finding rename column first_seen to first_seen_at`
})
