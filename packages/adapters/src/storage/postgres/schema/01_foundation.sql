/* What all tables share: texts that sort by byte, instants in milliseconds, the clock of the database, and the rule that keeps
   workspaces apart; and what all processes of one installation agree on. Files run in the order of their names, once, in one
   transaction. */

-- Ids sort by byte: the order of ids is the order of creation.
create domain key_text as text collate "C";
-- Milliseconds, as the kernel has.
create domain instant as timestamptz(3);

-- The clock of the store: due times, expiry and notes are measured by it alone. It stands still within a statement. Tests
-- replace it to let time pass.
create function store_now() returns timestamptz language sql stable as $$ select statement_timestamp() $$;

create function wire_instant(at timestamptz)
  returns text language sql immutable as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- A transaction names its workspaces in the setting millrace.workspaces: ids with commas between, * for all, empty for none.
create function reaches_every_workspace()
  returns boolean language sql stable parallel safe as $$ select current_setting('millrace.workspaces', true) = '*' $$;

create function reached_workspaces()
  returns text[] language sql stable parallel safe
  as $$ select string_to_array(nullif(current_setting('millrace.workspaces', true), ''), ',') $$;

-- The workspace of a row that does not name one is that of its owner.
create function workspace_of_owner() returns trigger language plpgsql as $$
  begin
    execute format('select workspace_id from %I where id = ($1).%I', tg_argv[0], tg_argv[1])
      using new into new.workspace_id;
    new.workspace_id := coalesce(new.workspace_id, '');
    return new;
  end $$;

-- Every table with rows of workspaces is isolated: PostgreSQL shows a transaction only rows of the workspaces that it was begun for, and
-- refuses to write others. It holds for the owner of the table as well. The conditions are asked once a statement.
create procedure isolate(name text, owner_column text default 'workspace_id') language plpgsql as $$
begin
  execute format('create policy workspace_wall on %I
    using ((select reaches_every_workspace()) or %I = any ((select reached_workspaces())::text[]))', name, owner_column);
  execute format('alter table %I enable row level security, force row level security', name);
end $$;

create table installation (
  id int primary key check (id = 1),
  key_fingerprint key_text not null,
  -- Of secrets that were replaced.
  former_fingerprints text[] not null default '{}'
);
comment on table installation is
  'One row: what all processes of the installation agree on. The first process writes it; a new secret key adds a fingerprint.';

create table data_key (
  name key_text primary key,
  -- Sealed by the Secrets port; never plain text.
  sealed text not null,
  created_at instant not null
);
comment on table data_key is
  'A key of the installation, sealed by its secret. Made when it is first needed; one for each purpose.';

create sequence lease_epoch;
create table lease (
  resource key_text primary key,
  holder key_text not null,
  -- Never given twice.
  epoch bigint not null default nextval('lease_epoch'),
  expires_at timestamptz not null
);
comment on table lease is
  'Who holds a resource, such as a bank or a whole-workspace run, and until when. Written by who takes, renews or frees it; '
  'expired ones are removed.';
create index lease_holder on lease (holder);

create unlogged table request_window (
  key key_text primary key,
  size int not null,
  stamps float8[] not null
) with (fillfactor = 50);
comment on table request_window is
  'When the requests of one caller came in the last minute. Written with each request; old keys are removed. Unlogged: a crash '
  'forgets one minute.';
