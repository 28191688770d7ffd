/** Entries that one run adds to several rows are one row of storage. Those that are there stay as they are. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const historyBlocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Turns are those of `record_history`: the two are one history. Blocks that become rows leave them their turn.
  yield* sql`create table history_block (
    turn bigint not null,
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    feed_id key_text not null,
    account_id key_text not null,
    job_id key_text,
    gone_at instant,
    size int not null,
    begins key_text not null,
    records text[] not null,
    body text not null
  )`
  // Compressing it would cost most of what is saved.
  yield* sql`alter table history_block alter column body set storage external`
  yield* sql`create index on history_block (feed_id, begins, turn)`
  yield* sql`create index on history_block (workspace_id, begins, turn)`
  yield* sql`create index on history_block (account_id, begins)`
  yield* sql`create index on history_block (job_id, turn)`
  yield* sql`create index on history_block (gone_at) where gone_at is not null`
  yield* workspaceWall("history_block")
})
