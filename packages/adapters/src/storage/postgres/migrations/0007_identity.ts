/** What is remembered about the identity of records: former ids, matches, suggestions and what people decided. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const identity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Every row meets it: the old states are some of the new ones.
  yield* sql`alter table record drop constraint record_state_check`
  yield* sql`alter table record
    add constraint record_state_check check (state in ('live', 'removed', 'deleted')) not valid`
  yield* sql`alter table record
    -- The reads that first and last lacked it, while missed is above 0.
    add column missed_since instant,
    add column missed_at instant,
    -- The record that it turned out to be.
    add column merged_into key_text,
    add column apart boolean not null default false`
  yield* sql`update record set missed_since = store_now(), missed_at = store_now() where missed > 0`
  // Few rows, whatever an account holds: people look through them.
  yield* sql`create index record_tombstone on record (account_id, data_type, (coalesce(date, '-infinity'::date)) desc,
    id desc) where state <> 'live'`

  // A row that went to the trash with its record comes back with it.
  yield* sql`alter table table_row add column former_key key_text`
  yield* sql`create index on table_row (table_id, former_key) where former_key is not null`

  yield* sql`create table id_trust (
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    contradictions int[] not null,
    demoted boolean not null,
    primary key (account_id, data_type)
  )`
  yield* sql`create table record_alias (
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    provider_id key_text not null,
    record_id key_text not null,
    last_seen instant not null,
    -- Tells apart what was noted in the same millisecond.
    seq bigint generated always as identity,
    primary key (account_id, data_type, provider_id)
  )`
  yield* sql`create index on record_alias (account_id, data_type, record_id)`
  yield* sql`create index on record_alias (last_seen)`
  yield* sql`create table record_match (
    id key_text primary key,
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    record_id key_text not null,
    version_before int not null,
    before json not null,
    observed json not null,
    separate_id key_text,
    second_source boolean not null,
    evidence json not null,
    coverage json,
    job_id key_text,
    made_at instant not null,
    state text not null check (state in ('made', 'undone')),
    decided_by json,
    decided_at instant
  )`
  yield* sql`create index on record_match (account_id, data_type, id)`
  yield* sql`create index on record_match (account_id, data_type, record_id, id)`
  yield* sql`create index on record_match (made_at)`
  yield* sql`create table record_suggestion (
    id key_text primary key,
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    record_id key_text not null,
    observed_id key_text not null,
    evidence json not null,
    job_id key_text,
    made_at instant not null,
    state text not null check (state in ('open', 'accepted', 'rejected')),
    decided_by json,
    decided_at instant,
    unique (account_id, data_type, record_id, observed_id)
  )`
  yield* sql`create index on record_suggestion (account_id, data_type, id)`
  yield* sql`create index on record_suggestion (made_at)`
  yield* sql`create table identity_fact (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    account_id key_text not null,
    data_type key_text not null,
    kind text not null check (kind in ('forbid', 'delete', 'keep')),
    record_id key_text not null,
    known_by json,
    other_id key_text,
    other_known_by json,
    made_by json not null,
    made_at instant not null,
    lifted_by json,
    lifted_at instant
  )`
  yield* sql`create index on identity_fact (account_id, data_type) where lifted_at is null`
  yield* sql`create index on identity_fact (workspace_id) where lifted_at is null`
})
