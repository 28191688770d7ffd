/** What enrichments of set kinds keep and say, and what people decide about enrichments. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

const ofWorkspace = "workspace_id key_text not null references workspace (id) on delete cascade"

const tables: Readonly<Record<string, string>> = {
  analysis: `
    data_type key_text not null,
    version bigint not null,
    as_of date,
    planned json not null,
    primary key (workspace_id, data_type)`,
  analysis_mark: `
    data_type key_text not null,
    account_id key_text not null,
    change_no bigint not null,
    signature key_text not null,
    primary key (workspace_id, data_type, account_id)`,
  analysis_entry: `
    data_type key_text not null,
    enrichment_id key_text not null,
    partition key_text not null,
    record_id key_text not null,
    account_id key_text not null,
    fields json not null,
    primary key (enrichment_id, partition, record_id)`,
  analysis_partition: `
    data_type key_text not null,
    enrichment_id key_text not null,
    partition key_text not null,
    tag key_text not null,
    state json not null,
    due date,
    primary key (enrichment_id, partition)`,
  analysis_event: `
    enrichment_id key_text not null,
    key key_text not null,
    primary key (enrichment_id, key)`,
  annotation: `
    data_type key_text not null,
    enrichment_id key_text not null,
    partition key_text not null,
    record_id key_text not null,
    account_id key_text not null,
    claims json not null,
    primary key (enrichment_id, partition, record_id)`,
  record_link: `
    data_type key_text not null,
    enrichment_id key_text not null,
    partition key_text not null,
    id key_text not null,
    kind key_text not null,
    state key_text not null,
    members json not null,
    evidence json not null,
    primary key (enrichment_id, id)`,
  enrichment_fact: `
    id key_text primary key,
    data_type key_text not null,
    enrichment_id key_text,
    record_id key_text,
    other_id key_text,
    body json not null,
    lifted boolean not null default false`
}

export const analysis = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  for (const [name, columns] of Object.entries(tables)) {
    yield* sql.unsafe(`create table ${name} (${ofWorkspace}, ${columns})`)
  }
  yield* sql`create index on analysis_entry (enrichment_id, record_id)`
  yield* sql`create index on analysis_entry (workspace_id, data_type, account_id)`
  yield* sql`create index on analysis_entry (record_id)`
  yield* sql`create index on analysis_partition (workspace_id, data_type, due)`
  yield* sql`create index on annotation (record_id)`
  yield* sql`create index on annotation (workspace_id)`
  yield* sql`create index on record_link (enrichment_id, partition)`
  yield* sql`create index on record_link (workspace_id, id)`
  yield* sql`create index on analysis_event (workspace_id)`
  yield* sql`create index on enrichment_fact (workspace_id, data_type) where not lifted`
  yield* sql`create index on enrichment_fact (record_id) where not lifted`
  yield* sql`create index on enrichment_fact (other_id) where not lifted`
  // Tells who reads a record anyway whether anything stands beside it.
  yield* sql`alter table record add column annotated boolean not null default false`
  for (const name of Object.keys(tables)) yield* workspaceWall(name)
})
