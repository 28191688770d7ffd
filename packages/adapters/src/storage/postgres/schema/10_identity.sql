/* Which records are one: former ids, matches, suggestions, and what people decided. */

create table record_alias (
  workspace_id key_text not null,
  account_id key_text not null,
  data_type key_text not null,
  provider_id key_text not null,
  record_id key_text not null,
  last_seen instant not null,
  -- Distinguishes what was noted in the same millisecond.
  seq bigint generated always as identity,
  primary key (account_id, data_type, provider_id)
);
comment on table record_alias is
  'A former provider id of a record. Written when the id changes; removed once it was not seen for long.';
create index record_alias_account_id_data_type_record_id_idx on record_alias (account_id, data_type, record_id);
create index record_alias_last_seen_idx on record_alias (last_seen);
call isolate('record_alias');

create table record_match (
  id key_text primary key,
  workspace_id key_text not null,
  account_id key_text not null,
  data_type key_text not null,
  record_id key_text not null,
  version_before int not null,
  before json not null,
  observed json not null,
  separate_id key_text,
  second_source boolean not null,
  evidence json not null,
  coverage json,
  job_id key_text,
  made_at instant not null,
  state text not null check (state in ('made', 'undone')),
  decided_by json,
  decided_at instant
);
comment on table record_match is
  'A merge of an observed row into a record, with its evidence, so that it can be explained and undone. Removed after its time '
  'of retention.';
create index record_match_account_id_data_type_id_idx on record_match (account_id, data_type, id);
create index record_match_account_id_data_type_record_id_id_idx on record_match (account_id, data_type, record_id, id);
create index record_match_made_at_idx on record_match (made_at);
call isolate('record_match');

create table record_suggestion (
  id key_text primary key,
  workspace_id key_text not null,
  account_id key_text not null,
  data_type key_text not null,
  record_id key_text not null,
  observed_id key_text not null,
  evidence json not null,
  job_id key_text,
  made_at instant not null,
  state text not null check (state in ('open', 'accepted', 'rejected')),
  decided_by json,
  decided_at instant,
  unique (account_id, data_type, record_id, observed_id)
);
comment on table record_suggestion is 'Two records that may be one, for a person to decide. Removed after its time of retention.';
create index record_suggestion_account_id_data_type_id_idx on record_suggestion (account_id, data_type, id);
create index record_suggestion_made_at_idx on record_suggestion (made_at);
call isolate('record_suggestion');

create table identity_fact (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  account_id key_text not null,
  data_type key_text not null,
  kind text not null check (kind in ('forbid', 'delete', 'keep')),
  record_id key_text not null,
  known_by json,
  other_id key_text,
  other_known_by json,
  made_by json not null,
  made_at instant not null,
  lifted_by json,
  lifted_at instant
);
comment on table identity_fact is
  'What a person decided about the identity of records: keep apart, delete, keep. Stays until the person lifts it.';
create index identity_fact_account_id_data_type_idx on identity_fact (account_id, data_type) where lifted_at is null;
create index identity_fact_workspace_id_idx on identity_fact (workspace_id) where lifted_at is null;
call isolate('identity_fact');

create table id_trust (
  workspace_id key_text not null,
  account_id key_text not null,
  data_type key_text not null,
  contradictions int[] not null,
  demoted boolean not null,
  primary key (account_id, data_type)
);
comment on table id_trust is
  'Whether the provider ids of an account can be trusted, from how often they contradicted. One row for each account and type '
  'of data.';
call isolate('id_trust');

create table learnt_text (
  workspace_id key_text not null,
  account_id key_text not null,
  data_type key_text not null,
  -- Least recently shown first: pending, booked, score.
  texts json not null,
  primary key (account_id, data_type)
);
comment on table learnt_text is
  'Which pending texts of an account are booked as which other ones. One row for each account and type of data, of bounded length.';
call isolate('learnt_text');
