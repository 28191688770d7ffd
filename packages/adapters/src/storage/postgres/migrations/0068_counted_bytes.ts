/** Places of rows in blocks are counted in bytes, which PostgreSQL need not look for; upkeep counts those that are there anew. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const countedBytes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Null: characters, as earlier versions did.
  yield* sql`alter table record_search add column in_bytes boolean`
})
