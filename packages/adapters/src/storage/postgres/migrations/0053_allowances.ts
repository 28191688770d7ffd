/**
 * Lines of upstreams remember when the last blocks of requests ended. What was given before counts as if it had all gone now:
 * no line gives a place before the time of its limit has passed once.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const allowances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // What the places were given under: requests of a block, blocks, and seconds. Null: under something else.
  yield* sql`alter table upstream_turn
    add column block int,
    add column blocks int,
    add column span float8,
    -- Requests of the block that has begun.
    add column begun int not null default 0,
    -- When the last blocks ended, the oldest first.
    add column ends timestamptz[] not null default '{}'`
  // From now on the place that was given last, also when others were refused since.
  yield* sql`update upstream_turn set place_at = greatest(next_at, store_now())`
})
