/**
 * Workspaces, banks and the ledger.
 *
 * Ids sort by byte (`collate "C"`), because their order is the order of creation. Instants keep
 * milliseconds, as the kernel does.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const foundation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create domain key_text as text collate "C"`
  yield* sql`create domain instant as timestamptz(3)`
  // The clock of the store: all that is due, expires or was noted is measured by it, and by no other. It
  // stands still within a statement. Tests replace the function to let time pass.
  yield* sql`create function store_now() returns timestamptz language sql stable as 'select statement_timestamp()'`

  yield* sql`create table workspace (
    id key_text primary key,
    name text not null,
    icon text,
    plan text not null,
    timezone text not null,
    locale text not null,
    base_currency text not null,
    parent_workspace_id key_text references workspace (id),
    created_at instant not null,
    updated_at instant not null,
    version int not null
  )`
  yield* sql`create table app_user (
    id key_text primary key,
    email text not null,
    name text,
    created_at instant not null
  )`
  yield* sql`create table member (
    workspace_id key_text not null references workspace (id) on delete cascade,
    user_id key_text not null references app_user (id),
    role text not null check (role in ('viewer', 'editor', 'admin', 'owner')),
    primary key (workspace_id, user_id)
  )`
  yield* sql`create table api_key (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    hash key_text not null unique,
    key_prefix text not null,
    name text not null,
    scopes json not null,
    expires_at instant,
    created_at instant not null,
    created_by key_text not null,
    revoked_at instant
  )`
  yield* sql`create index on api_key (workspace_id)`

  yield* sql`create table bank (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    name text not null,
    source text not null,
    type text not null,
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
    check (num_nonnulls(connection_instance, connection_ref, connection_secrets) in (0, 3))
  )`
  yield* sql`create unique index bank_connection on bank (workspace_id, connection_instance, connection_ref)
    where deleted_at is null and connection_ref is not null`
  yield* sql`create table account (
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
    updated_at instant not null
  )`
  yield* sql`create index on account (bank_id)`

  // One row an account, apart from the account itself: whoever writes records holds its lock until the
  // transaction ends, and that must not keep anybody from storing a balance.
  yield* sql`create table account_change (
    account_id key_text primary key,
    change_seq bigint not null
  )`
  // Bulk writes pay for every constraint: the account is checked by whoever names it, once.
  yield* sql`create table record (
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    id key_text not null,
    provider_id key_text not null,
    date date,
    pending boolean not null,
    amount numeric,
    state text not null check (state in ('live', 'removed')),
    hash key_text not null,
    fields json not null,
    change_no bigint not null,
    version int not null default 1,
    missed int not null default 0,
    created_at instant not null default store_now(),
    updated_at instant not null default store_now(),
    primary key (account_id, data_type, id)
  )`
  yield* sql`create index record_page on record (account_id, data_type, (coalesce(date, '-infinity'::date)) desc, id desc)`
  yield* sql`create index record_change on record (account_id, data_type, change_no)`
  yield* sql`create index record_provider on record (account_id, data_type, provider_id) where provider_id <> ''`
  yield* sql`create table record_pull (
    account_id key_text not null,
    data_type key_text not null,
    pulled_at instant not null,
    primary key (account_id, data_type)
  )`
  yield* sql`create table checkpoint (
    bank_id key_text not null,
    -- Empty where one checkpoint covers the whole connection.
    account_id key_text not null,
    data_type key_text not null,
    value text not null,
    primary key (bank_id, account_id, data_type)
  )`
})
