/* Feeds, and how far each has come. */

create table feed (
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
  next_run_at instant,
  file_bank_id key_text,
  -- Which columns the names in its mappings mean.
  bound_columns jsonb not null default '{}',
  extraction_config json
);
comment on table feed is 'A feed: source, destination, mappings and schedule. Written by people.';
create index feed_schedule on feed (next_run_at) where next_run_at is not null;
create index feed_workspace_id_idx on feed (workspace_id);
call isolate('feed');

alter table bank add foreign key (made_for) references feed (id) deferrable initially deferred;

create table feed_mark (
  feed_id key_text not null references feed (id) on delete cascade,
  account_id key_text not null,
  change_no bigint not null,
  signature text not null,
  workspace_id key_text not null,
  primary key (feed_id, account_id)
);
comment on table feed_mark is
  'Up to which change a feed has projected an account, and under which configuration. One row for each account of a feed.';
call isolate('feed_mark');

create table feed_place (
  place key_text primary key,
  feed_id key_text not null references feed (id) on delete cascade,
  workspace_id key_text not null
);
comment on table feed_place is
  'A place at a destination that belongs to one feed alone, such as a file path. One row for each place.';
create index feed_place_feed on feed_place (feed_id);
call isolate('feed_place');

create table feed_wake (
  feed_id key_text primary key references feed (id) on delete cascade,
  due_at instant not null,
  reason text not null,
  "type" text not null,
  retry int not null,
  -- Newest job at that time; a newer one makes the wake void.
  after_job key_text not null,
  workspace_id key_text not null
);
comment on table feed_wake is 'When a feed is to run beside its schedule: a retry, a resumption. At most one row for each feed.';
create index feed_wake_due_at_idx on feed_wake (due_at);
call isolate('feed_wake');
create trigger workspace_of_owner before insert on feed_mark for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('feed', 'feed_id');
create trigger workspace_of_owner before insert on feed_place for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('feed', 'feed_id');
create trigger workspace_of_owner before insert on feed_wake for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('feed', 'feed_id');
