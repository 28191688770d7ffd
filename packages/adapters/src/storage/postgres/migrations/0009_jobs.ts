/**
 * Runs beside the schedule; deliveries that are given up, opened again, or in doubt; whole files that were written;
 * files that are uploaded once, and taken by a job.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table job
    -- The try it is of a run that failed: 0 for the first.
    add column retry int not null default 0,
    add column forgot boolean not null default false`
  // For taking away what ended long ago.
  yield* sql`create index job_ended on job (completed_at) where completed_at is not null`
  yield* sql`create table feed_wake (
    feed_id key_text primary key references feed (id) on delete cascade,
    due_at instant not null,
    reason text not null,
    type text not null,
    retry int not null,
    -- Newest job at that time; a newer one makes the wake void.
    after_job key_text not null
  )`
  yield* sql`create index on feed_wake (due_at)`

  yield* sql`alter table delivery
    add column dead boolean not null default false,
    add column asked boolean not null default false,
    add column sent_at instant,
    add column doubt json`
  yield* sql`update delivery set sent_at = updated_at where state = 'sending'`
  yield* sql`drop index delivery_open`
  yield* sql`create index delivery_open on delivery (feed_id, (coalesce(date, 'infinity'::date)), record_id)
    where state in ('intended', 'sending', 'failed') and not dead`
  yield* sql`create index delivery_list on delivery (feed_id, job_id desc, updated_at desc, record_id)`
  // What plain runs pass over: few rows, which a person looks for.
  yield* sql`create index delivery_aside on delivery (feed_id, record_id) where state = 'skipped' or dead`
  yield* sql`create table delivery_file (
    feed_id key_text primary key references feed (id) on delete cascade,
    mark key_text not null,
    written_at instant not null
  )`

  // Of the same bytes the one that came furthest is kept; what the others held is in it.
  yield* sql`delete from upload using (
      select id, row_number() over (
        partition by feed_id, sha256
        order by array_position(array['processed', 'processing', 'stored', 'failed'], status), created_at, id
      ) as n from upload
    ) as nth where nth.id = upload.id and n > 1`
  yield* sql`create unique index upload_bytes on upload (feed_id, sha256)`
  yield* sql`drop index upload_waiting`
  yield* sql`create index upload_waiting on upload (feed_id, created_at) where status in ('stored', 'processing')`
})
