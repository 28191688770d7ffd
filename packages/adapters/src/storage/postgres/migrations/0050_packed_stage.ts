/** Pages that are put aside are compressed by who puts them there. What runs before it have put aside they read again. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const packedStage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`delete from stage_chunk`
  yield* sql`alter table stage_chunk drop column rows`
  yield* sql`alter table stage_chunk add column rows bytea not null`
  yield* sql`alter table stage_chunk alter column rows set storage external`
})
