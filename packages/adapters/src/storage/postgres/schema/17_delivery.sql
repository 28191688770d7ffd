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
create index delivery_aside on delivery (feed_id, record_id) where (state = 'skipped') or dead;
create index delivery_list on delivery (feed_id, job_id, updated_at) where version > 0;
-- Open deliveries, in the order in which runs walk them.
create index delivery_waiting on delivery (feed_id, ( case when date is null then 'infinity'::date else date end), record_id)
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
  -- The order in which entries were added, shared with history_block.
  turn bigint generated always as identity,
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  feed_id key_text not null,
  account_id key_text not null,
  record_id key_text not null,
  field key_text,
  job_id key_text,
  gone_at instant,
  body json not null,
  fields text[],
  check ((field is null) <> (fields is null))
);
comment on table record_history is
  'Why a delivered value is what it is. Written by runs; removed after its time of retention. Entries of one run for several '
  'rows are one history_block.';
create index record_history_account_id_idx on record_history (account_id);
create index record_history_feed_id_record_id_field_turn_idx on record_history (feed_id, record_id, field, turn desc);
create index record_history_gone_at_idx on record_history (gone_at) where gone_at is not null;
create index record_history_job_id_turn_idx on record_history (job_id, turn);
create index record_history_workspace_id_record_id_idx on record_history (workspace_id, record_id);
call isolate('record_history');

create table history_block (
  turn bigint not null,
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  feed_id key_text not null,
  account_id key_text not null,
  job_id key_text,
  gone_at instant,
  size int not null,
  begins key_text not null,
  records text[] not null,
  body text storage external not null
);
comment on table history_block is 'Entries that one run added to the histories of several rows.';
create index history_block_account_id_begins_idx on history_block (account_id, begins);
create index history_block_feed_id_begins_turn_idx on history_block (feed_id, begins, turn);
create index history_block_gone_at_idx on history_block (gone_at) where gone_at is not null;
create index history_block_job_id_turn_idx on history_block (job_id, turn);
create index history_block_workspace_id_begins_turn_idx on history_block (workspace_id, begins, turn);
call isolate('history_block');
create trigger workspace_of_owner before insert on delivery for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('feed', 'feed_id');
create trigger workspace_of_owner before insert on delivery_file for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('feed', 'feed_id');
