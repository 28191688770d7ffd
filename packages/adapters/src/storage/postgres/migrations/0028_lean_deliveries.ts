/**
 * The delivery ledger keeps no copy of what a table of ours has: rows that arrived there have no values. Those of older
 * versions are let go of while the server works (`LeanDeliveries`).
 *
 * Rows of one statement have one time and rows of a day one date: without the id of the record an index holds such a
 * value once, and the few rows behind it are sorted when they are read.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const leanDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table delivery alter column field_values drop not null`
  // The record whose delivery was looked at last; null where none is left that has values for nothing.
  yield* sql`alter table feed add column lean_after key_text`
  yield* sql`update feed set lean_after = '' where destination_config->>'type' = 'table'
    and data_type_options->>'mode' is distinct from 'append'`
  // Nobody asks by account.
  yield* sql`drop index delivery_account`
  yield* sql`drop index delivery_list`
  yield* sql`create index delivery_list on delivery (feed_id, job_id, updated_at)`
  yield* sql`drop index delivery_walk`
  yield* sql`create index delivery_walk on delivery (feed_id, (coalesce(date, 'infinity'::date)))`
})
