/* Enrichments: their configuration, what they keep of records, what they found, and how runs went. */

create table enrichment (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  "order" bigint,
  version bigint not null,
  body json not null,
  "type" key_text
);
comment on table enrichment is
  'An enrichment: its type and configuration. Written by people; destinations in its body are sealed.';
create index enrichment_workspace_id_idx on enrichment (workspace_id);
call isolate('enrichment');

create table enrichment_run (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  enrichment_id key_text,
  feed_id key_text,
  body json not null
);
comment on table enrichment_run is 'How the last runs of a feed went for an enrichment. A bounded number for each.';
create index enrichment_run_workspace_id_enrichment_id_id_idx on enrichment_run (workspace_id, enrichment_id, id);
create index enrichment_run_workspace_id_feed_id_id_idx on enrichment_run (workspace_id, feed_id, id);
create index enrichment_run_workspace_id_id_idx on enrichment_run (workspace_id, id);
call isolate('enrichment_run');

create table enrichment_fact (
  workspace_id key_text not null references workspace (id) on delete cascade,
  id key_text primary key,
  data_type key_text not null,
  enrichment_id key_text,
  record_id key_text,
  other_id key_text,
  body json not null,
  lifted boolean not null default false
);
comment on table enrichment_fact is 'What a person decided about the result of an enrichment. Stays until the person lifts it.';
create index enrichment_fact_other_id_idx on enrichment_fact (other_id) where not lifted;
create index enrichment_fact_record_id_idx on enrichment_fact (record_id) where not lifted;
create index enrichment_fact_workspace_id_data_type_idx on enrichment_fact (workspace_id, data_type) where not lifted;
call isolate('enrichment_fact');

create table analysis (
  workspace_id key_text not null references workspace (id) on delete cascade,
  data_type key_text not null,
  version bigint not null,
  as_of date,
  planned json not null,
  primary key (workspace_id, data_type)
);
comment on table analysis is
  'The version of what enrichments keep of a workspace and a type of data. One row each; every commit names the version that '
  'it read.';
call isolate('analysis');

create table analysis_mark (
  workspace_id key_text not null references workspace (id) on delete cascade,
  data_type key_text not null,
  account_id key_text not null,
  change_no bigint not null,
  signature key_text not null,
  primary key (workspace_id, data_type, account_id)
);
comment on table analysis_mark is
  'Up to which change the enrichments have looked at an account, and under which configuration. One row for each account.';
call isolate('analysis_mark');

create table analysis_partition (
  workspace_id key_text not null references workspace (id) on delete cascade,
  data_type key_text not null,
  enrichment_id key_text not null,
  partition key_text not null,
  tag key_text not null,
  state json not null,
  due date,
  primary key (enrichment_id, partition)
);
comment on table analysis_partition is
  'The state of one partition of an enrichment, such as one merchant, and when it is due again.';
create index analysis_partition_workspace_id_data_type_due_idx on analysis_partition (workspace_id, data_type, due);
call isolate('analysis_partition');

create table analysis_entry (
  workspace_id key_text not null references workspace (id) on delete cascade,
  data_type key_text not null,
  enrichment_id key_text not null,
  partition key_text not null,
  record_id key_text not null,
  account_id key_text not null,
  -- The fields of the record that the enrichment reads.
  fields jsonb not null,
  -- The lines of the record that are in the partition, each with its id and fields; null where the record itself is in it.
  lines jsonb,
  primary key (enrichment_id, partition, record_id)
);
comment on table analysis_entry is
  'A record in a partition of an enrichment, with the fields that the enrichment reads. The analysis of a run writes it. At most one '
  'row for each record and partition; a record is in up to a dozen partitions of all enrichments.';
-- By the account alone: PostgreSQL takes an index with workspace and type in front for selective before it has counted the rows.
create index analysis_entry_account on analysis_entry (account_id);
create index analysis_entry_record_id_enrichment_id_idx on analysis_entry (record_id, enrichment_id);
call isolate('analysis_entry');

create table analysis_event (
  workspace_id key_text not null references workspace (id) on delete cascade,
  enrichment_id key_text not null,
  key key_text not null,
  primary key (enrichment_id, key)
);
comment on table analysis_event is 'An event that an enrichment has reported, so that it reports none twice.';
create index analysis_event_workspace_id_idx on analysis_event (workspace_id);
call isolate('analysis_event');

create table annotation (
  workspace_id key_text not null references workspace (id) on delete cascade,
  data_type key_text not null,
  enrichment_id key_text not null,
  partition key_text not null,
  record_id key_text not null,
  account_id key_text not null,
  claims json not null,
  primary key (enrichment_id, partition, record_id)
);
comment on table annotation is 'What one partition of an enrichment says about a record.';
create index annotation_record_id_idx on annotation (record_id);
create index annotation_workspace_id_idx on annotation (workspace_id);
call isolate('annotation');

create table record_link (
  workspace_id key_text not null references workspace (id) on delete cascade,
  data_type key_text not null,
  enrichment_id key_text not null,
  partition key_text not null,
  id key_text not null,
  kind key_text not null,
  state key_text not null,
  members json not null,
  evidence json not null,
  primary key (enrichment_id, id)
);
comment on table record_link is 'A relation between records that an enrichment found, such as the two legs of a transfer.';
create index record_link_enrichment_id_partition_idx on record_link (enrichment_id, partition);
create index record_link_workspace_id_id_idx on record_link (workspace_id, id);
call isolate('record_link');

create table finding (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  enrichment_id key_text not null,
  partition key_text not null,
  kind key_text not null,
  status key_text not null,
  present boolean not null,
  first_seen_at key_text not null,
  version bigint not null,
  body json not null
);
comment on table finding is 'What an enrichment found that people are to see, and what they decided about it.';
create index finding_enrichment_id_partition_idx on finding (enrichment_id, partition) where present;
create index finding_workspace_id_enrichment_id_first_seen_id_idx on finding
  (workspace_id, enrichment_id, first_seen_at desc, id desc);
call isolate('finding');

create table memory_pattern (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  enrichment_id key_text,
  body json not null
);
comment on table memory_pattern is 'A pattern that an enrichment learnt from people. A bounded number for each enrichment.';
create index memory_pattern_workspace_id_enrichment_id_id_idx on memory_pattern (workspace_id, enrichment_id, id);
create index memory_pattern_workspace_id_id_idx on memory_pattern (workspace_id, id);
call isolate('memory_pattern');

create table simulation (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  status key_text,
  created_at key_text,
  version bigint not null,
  body json not null
);
comment on table simulation is
  'A simulation of an enrichment in the background, with its result. Removed after its time of retention.';
create index simulation_workspace_id_created_at_id_idx on simulation (workspace_id, created_at desc, id);
create index simulation_workspace_id_status_created_at_id_idx on simulation (workspace_id, status, created_at desc, id);
call isolate('simulation');
