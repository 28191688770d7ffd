/** Entries that are written together are one row of storage. Those that stand alone stay until their record changes. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const entryBlocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table analysis_block (
    workspace_id key_text not null references workspace (id) on delete cascade,
    data_type key_text not null,
    enrichment_id key_text not null,
    partition key_text not null,
    account_id key_text not null,
    first_record key_text not null,
    last_record key_text not null,
    size int not null,
    records text[] not null,
    body text not null,
    primary key (enrichment_id, partition, first_record)
  )`
  yield* sql`create index on analysis_block (account_id, enrichment_id, last_record)`
  yield* workspaceWall("analysis_block")
})
