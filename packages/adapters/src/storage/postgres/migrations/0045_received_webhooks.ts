/** Callbacks of providers that were taken in: digests alone, of the whole installation. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const receivedWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table received_webhook (
    instance_id key_text not null,
    key key_text not null,
    received_at instant not null default store_now(),
    primary key (instance_id, key)
  )`
  yield* sql`create index on received_webhook (received_at)`
})
