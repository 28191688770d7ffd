/** Accounts that are made for a feed, to hold records of a source that has none. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const madeAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Banks of files are as they were: their statements name accounts that are real, and those are no feed's alone.
  // Whoever removes a feed removes what was made for it, in the same transaction.
  yield* sql`alter table bank
    add column made_for key_text references feed (id) deferrable initially deferred`
  yield* sql`create unique index bank_made on bank (made_for, source) where made_for is not null`
})
