/** How far back accounts were read, where feeds that begin later kept earlier days from being read. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const readFrom = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table account add column read_from jsonb`
})
