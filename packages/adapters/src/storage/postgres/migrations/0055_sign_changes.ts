/** Accounts say since when somebody waits for their amounts to be turned round. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const signChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table account add column sign_asked_at instant`
})
