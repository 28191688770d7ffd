/** The days that reads showed, so that accounts can tell how far back they reach, and records when they were last shown. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const shown = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table record_pull add column shown json`
  yield* sql`alter table account add column history_from date`
})
