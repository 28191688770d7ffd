/** Feeds of uploaded files: the bank that was made for their accounts. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const fileBanks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table feed add column file_bank_id key_text`
})
