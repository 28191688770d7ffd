/** Keys that last as long as the data, and secrets that were replaced. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const keys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table data_key (
    name key_text primary key,
    -- Sealed by the Secrets port; never plain text.
    sealed text not null,
    created_at instant not null
  )`
  // Fingerprints of secrets that were replaced: whoever still has one of them as the current one is behind.
  yield* sql`alter table installation add column former_fingerprints text[] not null default '{}'`
})
