/** What enrichments found, and what people decided about it. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const finding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table finding (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    enrichment_id key_text not null,
    partition key_text not null,
    kind key_text not null,
    status key_text not null,
    present boolean not null,
    first_seen key_text not null,
    version bigint not null,
    body json not null
  )`
  yield* sql`create index on finding (workspace_id, enrichment_id, first_seen desc, id desc)`
  yield* sql`create index on finding (enrichment_id, partition) where present`
  yield* workspaceWall("finding")
})
