/* Messages of enrichments to people. */

create table message (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  enrichment_id key_text not null,
  lane key_text not null,
  place bigint generated always as identity,
  state key_text not null check (state in ('held', 'ready', 'sending', 'sent', 'collected', 'withdrawn', 'failed')),
  cooldown_seconds int not null check (cooldown_seconds >= 0),
  endpoint json not null,
  content json not null,
  told_by key_text,
  error text,
  created_at instant not null default store_now(),
  sent_at instant
);
comment on table message is
  'A message of an enrichment to people. Written by runs, sent by a task; removed after its time of retention.';
create index message_created_at_idx on message (created_at);
create index message_enrichment_id_place_idx on message (enrichment_id, place);
create index message_lane_idx on message (lane) where state in ('ready', 'sending');
create index message_lane_place_idx on message (lane, place) where state = 'held';
create index message_lane_sent_at_idx on message (lane, sent_at) where state = 'sent';
create index message_workspace_id_place_idx on message (workspace_id, place);
call isolate('message');
