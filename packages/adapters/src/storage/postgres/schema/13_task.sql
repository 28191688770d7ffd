/* Durable work beside jobs. */

create function task_arrival() returns trigger language plpgsql as $$
  begin
    perform pg_notify('task_arrival', '');
    return null;
  end $$;

create table task (
  id key_text primary key,
  kind key_text not null,
  key key_text not null,
  workspace_id key_text references workspace (id) on delete cascade,
  payload json not null,
  due_at instant not null,
  -- When it can next be run. Its runner moves this ahead, so a process that is lost loses it by time alone.
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
);
comment on table task is
  'Durable work, such as a reminder or a clean-up. Written by who needs it; removed when it succeeds, and after its retention '
  'when it fails.';
create index task_failed on task (failed_at) where failed_at is not null;
create unique index task_open on task (kind, key) where failed_at is null;
create index task_ready on task (kind, ready_at, id) where failed_at is null;
create index task_running on task (kind) where failed_at is null and runner is not null;
-- For turns of workspaces, where very many tasks wait.
create index task_space on task (kind, coalesce(workspace_id, ''), ready_at, id) where failed_at is null and runner is null;
create index task_workspace on task (workspace_id) where workspace_id is not null;

-- Tasks of no workspace are those of the installation, which every workspace may add to.
create policy workspace_wall on task
  using (workspace_id is null or (select reaches_every_workspace())
    or workspace_id = any ((select reached_workspaces())::text[]));
alter table task enable row level security, force row level security;

create trigger task_made after insert on task for each statement
  execute function task_arrival();
