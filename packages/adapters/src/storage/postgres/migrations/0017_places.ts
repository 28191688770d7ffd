/** Places at destinations that belong to one feed alone. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const places = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table feed_place (
    place key_text primary key,
    feed_id key_text not null references feed (id) on delete cascade
  )`
  yield* sql`create index feed_place_feed on feed_place (feed_id)`
})
