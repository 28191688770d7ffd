/** Feeds, their jobs, uploads and the delivery ledger. */
import { activeStatuses, jobStatuses, jobTransitions } from "@millrace/core/job"
import { deliveryStates } from "@millrace/core/destination"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

const list = (values: ReadonlyArray<string>): string => values.map((value) => `'${value}'`).join(", ")

// Changes of other columns keep the status, so only pairs of two statuses matter.
const moves = new Set(jobTransitions.filter((row) => row.from !== row.to).map((row) => `('${row.from}', '${row.to}')`))

export const feeds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table feed (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    name text not null,
    icon text,
    source text not null,
    data_type text not null,
    source_config json,
    destination_config json,
    field_mappings json not null,
    mappings_defaulted boolean not null,
    data_type_options json not null,
    schedule json,
    position int not null,
    created_by json not null,
    created_by_user key_text not null,
    created_at instant not null,
    updated_at instant not null,
    version int not null,
    next_run_at instant
  )`
  yield* sql`create index on feed (workspace_id)`
  yield* sql`create index feed_schedule on feed (next_run_at) where next_run_at is not null`
  yield* sql`create table feed_mark (
    feed_id key_text not null references feed (id) on delete cascade,
    account_id key_text not null,
    change_no bigint not null,
    signature text not null,
    primary key (feed_id, account_id)
  )`

  yield* sql`create table job (
    id key_text primary key,
    feed_id key_text not null references feed (id) on delete cascade,
    workspace_id key_text not null,
    user_id text not null,
    started_by json not null,
    status text not null check (status in (${sql.literal(list(jobStatuses))})),
    type text not null,
    mode text not null,
    options json not null,
    read_count int not null,
    vanished_count int not null,
    carried_count int not null,
    created_count int not null,
    updated_count int not null,
    removed_count int not null,
    unchanged_count int not null,
    filtered_count int not null,
    failed_count int not null,
    quarantined_count int not null,
    errors jsonb not null,
    error_category text,
    pause_reason text,
    resume_at instant,
    paused_at instant,
    attempt int not null,
    epoch int not null default 0,
    heartbeat instant,
    -- By the clock of the database: how long it waits must not depend on who made it.
    queued_at instant not null default store_now(),
    created_at instant not null,
    updated_at instant not null,
    started_at instant,
    completed_at instant
  )`
  // The feed lock.
  yield* sql`create unique index job_active on job (feed_id) where status in (${sql.literal(list(activeStatuses))})`
  yield* sql`create index job_page on job (feed_id, id desc)`
  yield* sql`create index job_due on job (created_at, id) where status in ('created', 'in_progress')`
  yield* sql`create index job_paused on job (paused_at) where status = 'paused'`
  yield* sql`create function job_transition() returns trigger language plpgsql as $$
    begin
      if (old.status, new.status) not in (${sql.literal([...moves].join(", "))}) then
        raise exception 'a job cannot go from % to %', old.status, new.status using errcode = 'check_violation';
      end if;
      return new;
    end $$`
  yield* sql`create trigger job_transition before update of status on job for each row
    when (old.status is distinct from new.status) execute function job_transition()`

  yield* sql`create table bank_lease (
    bank_id key_text primary key,
    holder key_text not null,
    expires_at timestamptz not null
  )`
  yield* sql`create index on bank_lease (holder)`

  yield* sql`create table upload (
    id key_text primary key,
    feed_id key_text not null references feed (id) on delete cascade,
    workspace_id key_text not null,
    file_name text not null,
    content_type text not null,
    size int not null,
    sha256 key_text not null,
    status text not null,
    job_id key_text,
    error text,
    format text not null,
    statements json not null,
    assumed json not null,
    warnings json not null,
    created_at instant not null,
    bytes bytea not null
  )`
  yield* sql`create index on upload (feed_id, created_at, id)`

  // Statement files hardly shrink further, and compressing costs more than the write.
  yield* sql`alter table upload alter column bytes set storage external`

  // No reference to feed, for the same reason as in record; removing a feed removes its rows.
  yield* sql`create table delivery (
    feed_id key_text not null,
    record_id key_text not null,
    account_id key_text not null,
    date date,
    version int not null,
    op text not null check (op in ('create', 'update', 'remove')),
    state text not null check (state in (${sql.literal(list(deliveryStates))})),
    hash key_text not null,
    job_id key_text not null,
    field_values json not null,
    provenance json not null,
    remote_ref text,
    attempts int not null,
    last_error text,
    present boolean not null,
    updated_at instant not null,
    primary key (feed_id, record_id)
  )`
  yield* sql`create index delivery_walk on delivery (feed_id, (coalesce(date, 'infinity'::date)), record_id)`
  yield* sql`create index delivery_open on delivery (feed_id, (coalesce(date, 'infinity'::date)), record_id)
    where state in ('intended', 'sending', 'failed')`
  yield* sql`create index delivery_account on delivery (feed_id, account_id)`
})
