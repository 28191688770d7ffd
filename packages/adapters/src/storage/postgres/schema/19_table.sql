/* Tables of people: fields, rows, and what rows are looked up by. */

create function folded_merged(old jsonb, given jsonb, keys text[], held jsonb)
  returns jsonb language sql immutable parallel safe as $$
    select case when held = '[]' then (old - keys) || given
      else (old - array(select k from unnest(keys) k where not held ? k))
        || (given - array(select jsonb_array_elements_text(held))) end
  $$;

-- A number for the key of a row: 8 bytes in the index, where table and key take 75. A statement names both as well.
create function row_key_no(table_id text, key text) returns bigint language sql immutable parallel safe
  return ('x' || left(md5(table_id || ' ' || key), 16))::bit(64)::bigint;

create table app_table (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  name text not null,
  icon text,
  description text,
  row_count int not null,
  created_by json not null,
  version int not null,
  created_at instant not null,
  updated_at instant not null,
  key_fields json not null default '[]',
  trashed_at instant,
  -- Nobody finds it any more; its rows are removed in chunks.
  removed boolean not null default false
);
comment on table app_table is 'A table of a workspace. Written by people and by feeds.';
create index app_table_trashed_at_idx on app_table (trashed_at) where trashed_at is not null or removed;
create index app_table_workspace_id_idx on app_table (workspace_id);
call isolate('app_table');

create table table_field (
  id key_text primary key,
  table_id key_text not null references app_table (id) on delete cascade,
  key key_text not null,
  name text not null,
  "type" text not null,
  origin text not null check (origin in ('user', 'feed')),
  position int not null,
  -- The order in which they came, where positions are equal.
  seq bigint generated always as identity,
  options json,
  required boolean not null default false,
  is_unique boolean not null default false,
  indexed boolean not null default false,
  default_cell json,
  description text,
  workspace_id key_text not null,
  unique (table_id, key)
);
comment on table table_field is 'A field of a table. A bounded number for each table.';
call isolate('table_field');

create table table_row (
  id key_text not null,
  table_id key_text not null,
  field_values jsonb not null,
  external_key key_text,
  created_by json not null,
  -- Null: who made it.
  updated_by json,
  version int not null,
  created_at instant not null,
  updated_at instant not null,
  -- Folded texts that differ from the text in lower case, to filter by.
  folded jsonb not null default '{}',
  -- Keys of the cells that a person wrote in a row of a feed.
  held jsonb not null default '[]',
  trashed_at instant,
  -- The key that it had: a row that went to the trash with its record comes back with it.
  former_key key_text,
  workspace_id key_text not null,
  -- The number of table and key: row_key_no.
  key_no bigint,
  primary key (table_id, id)
);
comment on table table_row is 'A row of a table. Written by people and by feeds; bounded by the plan.';
create index table_row_held on table_row (table_id, external_key) where held <> '[]';
create index table_row_key on table_row (key_no) where key_no is not null;
create index table_row_table_id_former_key_idx on table_row (table_id, former_key) where former_key is not null;
create index table_row_trashed_at_idx on table_row (trashed_at) where trashed_at is not null;
call isolate('table_row');

create table row_lookup (
  table_id key_text not null,
  row_id key_text not null,
  -- The id of a field, or 'key' for the key fields together.
  facet key_text not null,
  text_cell key_text,
  number_cell numeric,
  -- Of unique facets: a digest of the whole value.
  mark key_text,
  workspace_id key_text not null,
  -- Behind a policy an index takes comparisons that are leakproof, which those of numeric are not.
  number_near float8 generated always as (number_cell::float8) stored,
  primary key (table_id, row_id, facet)
);
comment on table row_lookup is 'A cell by which rows are looked up: an indexed, unique or key field. One row for each such cell.';
create unique index row_lookup_mark on row_lookup (table_id, facet, mark) where mark is not null;
create index row_lookup_nothing on row_lookup (table_id, facet, row_id) where text_cell is null and number_cell is null;
create index row_lookup_number on row_lookup (table_id, facet, number_near, number_cell, row_id) where number_cell is not null;
create index row_lookup_text on row_lookup (table_id, facet, text_cell, row_id) where text_cell is not null;
call isolate('row_lookup');
create trigger workspace_of_owner before insert on table_field for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('app_table', 'table_id');
create trigger workspace_of_owner before insert on table_row for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('app_table', 'table_id');
create trigger workspace_of_owner before insert on row_lookup for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('app_table', 'table_id');
