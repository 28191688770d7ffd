/** Several processes on one database: who runs how much, what was handed out, and budgets that all share. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const engine = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // When it was handed out to a runner that has not claimed it yet; apart from the heartbeat, since a job
  // that nobody claimed has lost no worker.
  yield* sql`alter table job add column poked_at instant`
  // The connections it is expected to need.
  yield* sql`alter table job add column banks text[] collate "C" not null default '{}'`
  // What a run that left in good order wrote down for the next one.
  yield* sql`alter table job add column handover text`
  // Whether any worker has or had to do with it. The indexes name this column and not the instants, so that a
  // heartbeat changes nothing that is indexed.
  yield* sql`alter table job add column touched boolean not null
    generated always as (heartbeat is not null or poked_at is not null) stored`
  // Jobs that wait can be very many; those that are touched are about as many as there are slots.
  yield* sql`create index job_waiting on job (workspace_id, created_at, id)
    where status in ('created', 'in_progress') and not touched`
  // The oldest that waits for a connection.
  yield* sql`create index job_waiting_bank on job ((banks[1]), created_at, id)
    where status in ('created', 'in_progress') and not touched`
  yield* sql`create index job_touched on job (id) where status in ('created', 'in_progress') and touched`
  yield* sql`create index job_queued on job (queued_at) where status = 'created'`
  yield* sql`drop index job_due`

  yield* sql`create table runner_slot (
    name key_text primary key,
    slots int not null check (slots >= 0),
    beat_at instant not null
  )`

  yield* sql`create function job_arrival() returns trigger language plpgsql as $$
    begin
      perform pg_notify('job_arrival', '');
      return null;
    end $$`
  yield* sql`create trigger job_made after insert on job for each row
    when (new.status = 'created') execute function job_arrival()`
  yield* sql`create trigger job_freed after update of status, heartbeat, poked_at on job for each row
    when (new.status in ('created', 'in_progress') and new.heartbeat is null and new.poked_at is null
      and (old.status <> new.status or old.heartbeat is not null or old.poked_at is not null))
    execute function job_arrival()`

  // The line for each upstream: when its next request may go, the place that the last one who asked was given
  // (null when it was refused), and until when the upstream wants to be left alone.
  yield* sql`create table upstream_turn (
    instance_id key_text not null,
    -- Empty for all connections of the instance together.
    connection key_text not null,
    next_at timestamptz not null,
    place_at timestamptz,
    held_until timestamptz,
    primary key (instance_id, connection)
  )`

  // One row: what all processes of an installation have to agree on.
  yield* sql`create table installation (
    id int primary key check (id = 1),
    key_fingerprint key_text not null
  )`
})
