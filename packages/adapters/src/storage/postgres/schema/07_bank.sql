/* Banks, their accounts, and how far each was read. */

create table bank (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  name text not null,
  source text not null,
  "type" text not null,
  position int not null,
  icon text,
  connection_status json,
  institution_id text,
  provider_instance_id text,
  connection_instance key_text,
  connection_ref key_text,
  -- Sealed by the Secrets port; never plain text.
  connection_secrets text,
  created_at instant not null,
  updated_at instant not null,
  deleted_at instant,
  -- The feed that it was made for, which removes it in its own transaction.
  made_for key_text,
  -- What is left to do where it is being removed permanently.
  removal json,
  check (num_nonnulls(connection_instance, connection_ref, connection_secrets) = any (array[0, 3]))
);
comment on table bank is
  'A bank of a workspace: a connection, uploaded files, or what a feed made for itself. Removed some days after a person '
  'deletes it.';
create index bank_called on bank (connection_instance, connection_ref) where connection_ref is not null;
create unique index bank_connection on bank (workspace_id, connection_instance, connection_ref)
  where deleted_at is null and connection_ref is not null;
create index bank_deleted on bank (deleted_at) where deleted_at is not null and removal is null;
create unique index bank_made on bank (made_for, source) where made_for is not null;
call isolate('bank');

create table account (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  bank_id key_text not null references bank (id) on delete cascade,
  provider_account_id text not null,
  stable_keys json not null,
  account_number text not null,
  account_name text not null,
  account_type text not null,
  account_subtype text,
  balance numeric not null,
  available_balance numeric not null,
  currency text not null,
  credit_limit numeric,
  balance_as_of instant,
  supports json not null,
  state text not null check (state in ('open', 'closed', 'missing')),
  created_at instant not null,
  updated_at instant not null,
  history_from date,
  -- How far back it was read, where feeds that begin later kept earlier days from being read.
  read_from jsonb,
  -- What people say: a name, and whether the connection reports signs the wrong way round.
  given_name text,
  sign_override boolean not null default false,
  -- The account that it is part of, and how many are part of it: every run of a feed asks for both.
  joined_into key_text,
  joins int,
  -- Since when somebody waits for the signs of its amounts to be flipped.
  sign_asked_at instant
);
comment on table account is 'An account of a bank, as its provider and its people describe it. Written by syncs and by people.';
create index account_bank_id_idx on account (bank_id);
call isolate('account');

create table account_change (
  account_id key_text primary key,
  change_seq bigint not null,
  workspace_id key_text not null
);
comment on table account_change is
  'The newest change number of the records of an account. Locked while records are written; apart from the account, so that a '
  'balance can be stored meanwhile.';
call isolate('account_change');

create table account_join (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  account_id key_text not null,
  joined_id key_text not null,
  -- Files that had shown the joined account.
  uploads text[] not null,
  -- Ids of all records that either account had: large, and read only to part them.
  body json not null
);
comment on table account_join is
  'Two accounts that a person said are one, with what it takes to part them. One row for each join.';
create index account_join_account_id_id_idx on account_join (account_id, id);
create unique index account_join_joined_id_idx on account_join (joined_id);
call isolate('account_join');

create table checkpoint (
  bank_id key_text not null,
  -- Empty where one checkpoint covers the whole connection.
  account_id key_text not null,
  data_type key_text not null,
  value text not null,
  workspace_id key_text not null,
  primary key (bank_id, account_id, data_type)
);
comment on table checkpoint is 'How far the source of a bank was read. Written with what was read, in one transaction.';
call isolate('checkpoint');
create trigger workspace_of_owner before insert on account_change for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('account', 'account_id');
create trigger workspace_of_owner before insert on checkpoint for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('bank', 'bank_id');
