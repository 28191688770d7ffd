/** Which pending text an account books as which other one. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const learntTexts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table learnt_text (
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    -- Least recently shown first: pending, booked, score.
    texts json not null,
    primary key (account_id, data_type)
  )`
})
