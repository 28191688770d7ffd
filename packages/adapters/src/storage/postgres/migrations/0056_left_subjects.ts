/** Subjects of connections remember when somebody last looked whether anything needs them. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const leftSubjects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table connection_subject add column taken_at instant`
})
