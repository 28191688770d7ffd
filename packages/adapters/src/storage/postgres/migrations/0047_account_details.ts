/** What people say of accounts: their names, and whether the connection shows signs the wrong way round. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const accountDetails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table account add column given_name text, add column sign_override boolean not null default false`
})
