/** Durable tasks. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const tasks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table task (
    id key_text primary key,
    kind key_text not null,
    key key_text not null,
    workspace_id key_text references workspace (id) on delete cascade,
    payload json not null,
    due_at instant not null,
    -- When it can next be taken up. Whoever runs it moves this ahead, so a process that is lost loses it by time alone.
    ready_at instant not null,
    epoch int not null default 0,
    attempts int not null default 0,
    runner text,
    last_error text,
    created_at instant not null default store_now(),
    failed_at instant,
    -- What was enqueued under its key while it ran.
    again_id key_text,
    again_payload json,
    again_at instant,
    check ((again_id is null) = (again_at is null))
  )`
  yield* sql`create unique index task_open on task (kind, key) where failed_at is null`
  yield* sql`create index task_ready on task (kind, ready_at, id) where failed_at is null`
  // For turns of workspaces, where very many tasks wait.
  yield* sql`create index task_space on task (kind, (coalesce(workspace_id, '')), ready_at, id)
    where failed_at is null and runner is null`
  yield* sql`create index task_running on task (kind) where failed_at is null and runner is not null`
  yield* sql`create index task_failed on task (failed_at) where failed_at is not null`
  yield* sql`create index task_workspace on task (workspace_id) where workspace_id is not null`

  yield* sql`create function task_arrival() returns trigger language plpgsql as $$
    begin
      perform pg_notify('task_arrival', '');
      return null;
    end $$`
  yield* sql`create trigger task_made after insert on task for each statement execute function task_arrival()`
})
