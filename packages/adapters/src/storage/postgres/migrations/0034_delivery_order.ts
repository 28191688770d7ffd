/**
 * The two orders of the delivery ledger, for those who ask for an order alone.
 *
 * These indexes are so much smaller than the one of the key that the planner would look records up in them, all rows of the
 * feed for each, where it does not know yet how many rows a new feed has. Every row meets their condition; a statement is
 * given them only where it says the same.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const deliveryOrder = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`drop index delivery_list`
  yield* sql`create index delivery_list on delivery (feed_id, job_id, updated_at) where version > 0`
  yield* sql`drop index delivery_walk`
  yield* sql`create index delivery_walk on delivery (feed_id, (coalesce(date, 'infinity'::date))) where version > 0`
})
