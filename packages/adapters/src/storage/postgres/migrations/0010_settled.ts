/** What reads have settled about the records of an account, so that the next one looks at the rest only. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table record_settled (
    account_id key_text not null,
    data_type key_text not null,
    -- Of the newest record at that time: it holds while that is the newest one.
    change_no bigint not null,
    settled text not null,
    primary key (account_id, data_type)
  )`
  // Digests do not compress.
  yield* sql`alter table record_settled alter column settled set storage external`
})
