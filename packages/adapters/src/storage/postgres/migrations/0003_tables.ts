/** Tables of ours, enrichments and request budgets. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table app_table (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    name text not null,
    icon text,
    description text,
    row_count int not null,
    created_by json not null,
    version int not null,
    created_at instant not null,
    updated_at instant not null
  )`
  yield* sql`create index on app_table (workspace_id)`
  yield* sql`create table table_field (
    id key_text primary key,
    table_id key_text not null references app_table (id) on delete cascade,
    key key_text not null,
    name text not null,
    type text not null,
    origin text not null check (origin in ('user', 'feed')),
    position int not null,
    -- The order in which they came, where positions are equal.
    seq bigint generated always as identity,
    unique (table_id, key)
  )`
  yield* sql`create table table_row (
    id key_text not null,
    table_id key_text not null,
    field_values jsonb not null,
    external_key key_text,
    created_by json not null,
    updated_by json not null,
    version int not null,
    created_at instant not null,
    updated_at instant not null,
    primary key (table_id, id),
    unique (table_id, external_key)
  )`

  yield* sql`create table enrichment (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    name text not null,
    emoji text,
    type text not null,
    enabled boolean not null,
    position int not null,
    data_type text not null,
    feed_ids json not null,
    all_feeds boolean not null,
    config json not null,
    created_by text not null,
    created_at instant not null,
    updated_at instant not null,
    version int not null,
    revision int not null
  )`
  yield* sql`create index on enrichment (workspace_id)`

  // A lost minute of budgets after a crash harms nobody. Room in each page keeps updates in place.
  yield* sql`create unlogged table request_window (
    key key_text primary key,
    size int not null,
    stamps float8[] not null
  ) with (fillfactor = 50)`
})
