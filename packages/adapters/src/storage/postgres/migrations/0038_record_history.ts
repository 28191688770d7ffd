/** How delivered values came to be what they are. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const recordHistory = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // In the order in which entries were added: their ids may come from processes whose clocks differ.
  yield* sql`create table record_history (
    turn bigint generated always as identity,
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    feed_id key_text not null,
    account_id key_text not null,
    record_id key_text not null,
    field key_text not null,
    job_id key_text,
    gone_at instant,
    body json not null
  )`
  yield* sql`create index on record_history (feed_id, record_id, field, turn desc)`
  yield* sql`create index on record_history (workspace_id, record_id)`
  yield* sql`create index on record_history (job_id, turn)`
  yield* sql`create index on record_history (account_id)`
  yield* sql`create index on record_history (gone_at) where gone_at is not null`
  yield* workspaceWall("record_history")
})
