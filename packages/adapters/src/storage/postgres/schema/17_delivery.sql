/* What each feed has delivered, and why values are what they are. */

create table delivery (
  feed_id key_text not null,
  record_id key_text not null,
  account_id key_text not null,
  date date,
  version int not null,
  op text not null check (op in ('create', 'update', 'remove')),
  state text not null check (state in ('intended', 'sending', 'done', 'failed', 'skipped')),
  hash key_text not null,
  job_id key_text not null,
  -- Null where a table of ours has the row.
  field_values json,
  provenance json not null,
  remote_ref text,
  attempts int not null,
  last_error text,
  present boolean not null,
  updated_at instant not null,
  dead boolean not null default false,
  asked boolean not null default false,
  sent_at instant,
  doubt json,
  workspace_id key_text not null,
  primary key (feed_id, record_id)
);
comment on table delivery is
  'What a feed has delivered of a record, and whether it arrived. At most one row for each feed and record.';
-- What plain runs pass over: few rows, which a person looks for.
create index delivery_aside on delivery (feed_id, record_id) where state = 'skipped' or dead;
create index delivery_list on delivery (feed_id, job_id, updated_at) where version > 0;
-- Open deliveries, in the order in which runs walk them.
create index delivery_waiting on delivery (feed_id, (case when date is null then 'infinity'::date else date end), record_id)
  where state in ('intended', 'sending', 'failed') and not dead;
-- The conditions of these two indexes hold for every row, so that only a statement that says the same uses them: they are so
-- much smaller than the key that PostgreSQL would otherwise look single records up in them.
create index delivery_walk on delivery (feed_id, coalesce(date, 'infinity'::date)) where version > 0;
call isolate('delivery');

create table delivery_file (
  feed_id key_text primary key references feed (id) on delete cascade,
  mark key_text not null,
  written_at instant not null,
  workspace_id key_text not null
);
comment on table delivery_file is 'The mark of the file that a feed wrote last. One row for each feed that writes whole files.';
call isolate('delivery_file');

create table record_history (
  -- The order in which rows were added.
  turn bigint generated always as identity,
  -- The id of the last entry.
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  feed_id key_text not null,
  account_id key_text not null,
  -- A record, or one of its items or lines: record:line.
  record_id key_text not null,
  record_version int not null,
  job_id key_text,
  actor jsonb not null,
  at instant not null,
  -- One object for each field: id, field, before, after, beforeAuthority, afterAuthority, and where there are any
  -- enrichmentId, revision, rulePath, evidence.
  entries jsonb not null,
  -- When the records of the account went away.
  gone_at instant
);
comment on table record_history is
  'The values that one run, or one act of a person, changed in a record of a feed, and why. Runs and acts write it, only where an '
  'enrichment or a person changes a value. At most one row for each record, feed and run; it is removed some time after its '
  'record is gone.';
create index record_history_account_id_idx on record_history (account_id);
create index record_history_gone_at_idx on record_history (gone_at) where gone_at is not null;
create index record_history_job_id_turn_idx on record_history (job_id, turn);
create index record_history_record_id_feed_id_turn_idx on record_history (record_id, feed_id, turn);
call isolate('record_history');

create trigger workspace_of_owner before insert on delivery for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('feed', 'feed_id');
create trigger workspace_of_owner before insert on delivery_file for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('feed', 'feed_id');
