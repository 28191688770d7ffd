/* The ledger: what is known about the records of accounts. */

-- A number for the account and the type of a record: indexes begin with it, since it takes 4 bytes where the texts take 45.
-- Other accounts can have the same number, so a statement names account and type as well (in_scope).
create function record_scope(account text, type text) returns int language sql immutable parallel safe
  return ('x' || left(md5(account || ' ' || type), 8))::bit(32)::integer;

-- PostgreSQL puts this expression in its place. It guesses that half of the rows meet a case; as separate conditions the texts
-- would count again, and it would sort an account instead of walking its index.
create function in_scope(no int, account text, type text, workspace text, own_account text, own_type text, own_workspace text)
  returns boolean language sql immutable parallel safe
  return no = record_scope(own_account, own_type)
    and case when account = own_account and type = own_type and workspace = own_workspace then true else false end;

create table record (
  workspace_id key_text not null,
  account_id key_text not null,
  data_type key_text not null,
  id key_text not null,
  provider_id key_text not null,
  date date,
  pending boolean not null,
  amount numeric,
  state text not null,
  hash key_text not null,
  -- What the provider says, under the public names of the fields and with their public values.
  fields jsonb not null,
  change_no bigint not null,
  version int not null default 1,
  missed int not null default 0,
  created_at instant not null default store_now(),
  updated_at instant not null default store_now(),
  -- The reads that first and last lacked it, while missed is above 0.
  missed_since instant,
  missed_at instant,
  -- The record that it turned out to be.
  merged_into key_text,
  apart boolean not null default false,
  -- Whether annotations exist, for readers of the record.
  annotated boolean not null default false,
  -- The number of account and type: record_scope.
  scope_no int not null,
  -- The change with which readers were last shown something else.
  public_change_no bigint not null,
  -- Records without a day come before all others.
  day date not null generated always as
    (case when date is null then '-infinity'::date else date end) stored,
  -- What lists filter by: of each text the first 200 bytes. The kernel folds texts.
  "type" key_text,
  currency key_text,
  category key_text,
  folded_description key_text,
  folded_merchant key_text,
  -- The texts whose beginning alone is in the columns before.
  whole_texts json,
  primary key (id, scope_no),
  constraint record_state_check check (state in ('live', 'removed', 'deleted')) not valid
);
comment on table record is
  'A record of an account: a transaction, holding, balance or other data type. Written by syncs, uploads and people; removed '
  'with its account.';
-- Lists walk it, newest first, and read the table only for the rows of the page.
create index record_list on record (scope_no, day, id)
  include (workspace_id, account_id, data_type, pending, amount, type, currency, category, folded_description, folded_merchant)
  where state = 'live';
create index record_list_gone on record (scope_no, day, id) where state <> 'live';
create index record_scope_change on record (scope_no, change_no);
create index record_scope_provider on record (scope_no, provider_id) where provider_id <> '';
create index record_scope_public_change on record (scope_no, public_change_no);
call isolate('record');

create table record_pull (
  account_id key_text not null,
  data_type key_text not null,
  pulled_at instant not null,
  shown json,
  workspace_id key_text not null,
  primary key (account_id, data_type)
);
comment on table record_pull is 'When an account was last read for a type of data, and which days that showed. One row each.';
call isolate('record_pull');

create table record_settled (
  account_id key_text not null,
  data_type key_text not null,
  change_no bigint not null,
  workspace_id key_text not null,
  primary key (account_id, data_type)
);
comment on table record_settled is
  'The newest change number of an account and type when a sync wrote its hashes of days: they are current while the number is '
  'the newest. Written with the hashes and removed by changes that take no number. One row for each account and type.';
call isolate('record_settled');

create table record_day (
  account_id key_text not null,
  data_type key_text not null,
  -- Minus infinity stands for records without a day.
  day date not null,
  -- Empty: the last read showed nothing of the day and proves nothing about it. Null: each read matches the day.
  hash key_text,
  workspace_id key_text not null,
  primary key (account_id, data_type, day)
);
comment on table record_day is
  'The hash of what the last read of an account showed of a day, so that the next read matches only days that differ. Written '
  'by syncs; one row for each day that has live records.';
call isolate('record_day');

create unlogged table stage_chunk (
  workspace_id key_text not null,
  stage_id key_text not null,
  number int not null,
  -- The lease under which the pull runs.
  resource key_text not null,
  holder key_text not null,
  account text not null,
  -- Compressed by the process that writes it.
  rows bytea storage external not null,
  primary key (stage_id, number)
);
comment on table stage_chunk is
  'A page of a pull that is too large to be held in memory. Written and removed within a run. Unlogged: after a crash the run '
  'reads again.';
call isolate('stage_chunk');
create trigger workspace_of_owner before insert on record_pull for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('account', 'account_id');
create trigger workspace_of_owner before insert on record_settled for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('account', 'account_id');
