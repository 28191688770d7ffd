/** When each workspace was handed a job last: who waited longest comes first, however many jobs others have queued before. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const workspaceTurns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table workspace_turn (
    workspace_id key_text primary key references workspace (id) on delete cascade,
    served_at instant not null
  )`
})
