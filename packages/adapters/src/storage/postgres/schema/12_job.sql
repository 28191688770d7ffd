/* Jobs of feeds, and the processes that run them. */

create function job_arrival() returns trigger language plpgsql as $$
  begin
    perform pg_notify('job_arrival', '');
    return null;
  end $$;

create function job_transition() returns trigger language plpgsql as $$
  begin
    if (old.status, new.status) not in (
      ('created', 'in_progress'), ('created', 'cancelled'), ('created', 'failed'),
      ('in_progress', 'completed'), ('in_progress', 'failed'), ('in_progress', 'cancelled'), ('in_progress', 'paused'),
      ('paused', 'in_progress'), ('paused', 'failed'), ('paused', 'cancelled')
    ) then
      raise exception 'a job cannot go from % to %', old.status, new.status using errcode = 'check_violation';
    end if;
    return new;
  end $$;

create table job (
  id key_text primary key,
  feed_id key_text not null references feed (id) on delete cascade,
  workspace_id key_text not null,
  user_id text not null,
  started_by json not null,
  status text not null check (status in ('created', 'in_progress', 'paused', 'completed', 'failed', 'cancelled')),
  "type" text not null,
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
  completed_at instant,
  -- When it was given to a runner that has not claimed it yet.
  poked_at instant,
  -- The connections that it is expected to need.
  banks text[] collate "C" not null default '{}',
  -- What a run that left in good order wrote down for the next one.
  handover text,
  -- Whether a worker has or had it. Indexes name this and not the instants, so that a heartbeat changes no index.
  touched boolean not null generated always as (heartbeat is not null or poked_at is not null) stored,
  -- The try that it is of a run that failed: 0 for the first.
  retry int not null default 0,
  forgot boolean not null default false,
  -- Who makes the next change of status: it goes into the event of that change.
  cause jsonb,
  differs_count int not null default 0
);
comment on table job is
  'A run of a feed. Written by who triggers it and by the process that runs it; removed after its time of retention.';
-- The lock of the feed.
create unique index job_active on job (feed_id) where status in ('created', 'in_progress', 'paused');
-- For removing what ended long ago.
create index job_ended on job (completed_at) where completed_at is not null;
create index job_page on job (feed_id, id desc);
create index job_paused on job (paused_at) where status = 'paused';
create index job_queued on job (queued_at) where status = 'created';
-- About as many as there are slots.
create index job_touched on job (id) where status in ('created', 'in_progress') and touched;
create index job_waiting on job (workspace_id, (type <> 'manual'), created_at, id)
  where status in ('created', 'in_progress') and not touched;
-- The oldest that waits for a connection.
create index job_waiting_bank on job ((banks[1]), (type <> 'manual'), created_at, id)
  where status in ('created', 'in_progress') and not touched;
call isolate('job');

create table runner_slot (
  name key_text primary key,
  slots int not null check (slots >= 0),
  beat_at instant not null
);
comment on table runner_slot is 'A process that runs jobs, and how many it can run. One row for each process that is alive.';

create table workspace_turn (
  workspace_id key_text primary key references workspace (id) on delete cascade,
  served_at instant not null
);
comment on table workspace_turn is
  'When a workspace was last given a job: the one that waited longest is next. One row for each workspace.';

-- A job as the kernel writes it as JSON.
create function job_json(j job) returns jsonb language sql stable as $$
    select jsonb_build_object(
        'id', j.id, 'feedId', j.feed_id, 'workspaceId', j.workspace_id, 'userId', j.user_id, 'startedBy', j.started_by,
        'status', j.status, 'type', j.type, 'mode', j.mode, 'options', j.options,
        'counts', jsonb_build_object(
          'read', j.read_count, 'vanished', j.vanished_count, 'carried', j.carried_count, 'created', j.created_count,
          'updated', j.updated_count, 'removed', j.removed_count, 'unchanged', j.unchanged_count,
          'filtered', j.filtered_count, 'failed', j.failed_count, 'quarantined', j.quarantined_count,
          'differs', j.differs_count
        ),
        'errors', j.errors, 'attempt', j.attempt,
        'createdAt', wire_instant(j.created_at), 'updatedAt', wire_instant(j.updated_at)
      ) || jsonb_strip_nulls(jsonb_build_object(
        'errorCategory', j.error_category, 'pauseReason', j.pause_reason, 'resumeAt', wire_instant(j.resume_at),
        'retry', nullif(j.retry, 0), 'cursorsReset', nullif(j.forgot, false),
        'startedAt', wire_instant(j.started_at), 'completedAt', wire_instant(j.completed_at)
      ))
  $$;

create function job_told() returns trigger language plpgsql as $$
  declare
    told text;
    cause jsonb;
  begin
    if tg_op = 'INSERT' then
      told := 'job.created';
      cause := new.started_by;
    else
      told := case new.status
        when 'in_progress' then case old.status when 'paused' then 'job.resumed' else 'job.started' end
        when 'paused' then 'job.paused'
        when 'cancelled' then 'job.cancelled'
        when 'completed' then 'feed.sync.completed'
        when 'failed' then 'feed.sync.failed'
      end;
      cause := coalesce(new.cause, jsonb_build_object('kind', 'sync', 'feedId', new.feed_id, 'jobId', new.id));
      new.cause := null;
    end if;
    insert into event (workspace_id, type, subject_kind, subject_id, cause, data)
    values (new.workspace_id, told, 'job', new.id, cause,
      jsonb_build_object('feedId', new.feed_id, 'job', job_json(new)));
    return new;
  end $$;

create trigger job_freed after update of status, heartbeat, poked_at on job for each row
  when (new.status in ('created', 'in_progress') and new.heartbeat is null and new.poked_at is null
    and (old.status <> new.status or old.heartbeat is not null or old.poked_at is not null))
  execute function job_arrival();
create trigger job_made after insert on job for each row
  when (new.status = 'created')
  execute function job_arrival();
-- After the insert: one that meets the lock of the feed makes no job.
create trigger job_made_told after insert on job for each row
  execute function job_told();
-- Before the update, so that the cause is not stored; after job_transition, which refuses what must not be.
create trigger job_told before update of status on job for each row
  when (old.status is distinct from new.status)
  execute function job_told();
create trigger job_transition before update of status on job for each row
  when (old.status is distinct from new.status)
  execute function job_transition();
