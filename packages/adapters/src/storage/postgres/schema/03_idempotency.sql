/* Answers to requests that carried an idempotency key, and long cursors. */

create table idempotency_key (
  workspace_id key_text not null references workspace (id) on delete cascade,
  -- Digests: of who asks for which operation with which key, and of what is asked.
  key key_text not null,
  request key_text not null,
  -- Null until there is one.
  answer text,
  begun_at instant not null default store_now(),
  primary key (workspace_id, key)
);
comment on table idempotency_key is
  'A request that carried an idempotency key, and its answer. Written by the request; removed after 24 hours.';
create index idempotency_key_over on idempotency_key (begun_at);
call isolate('idempotency_key');

create sequence cursor_part_turn;
create table cursor_part (
  workspace_id key_text not null,
  digest key_text not null,
  part text not null,
  bytes int not null,
  kept_until instant not null,
  -- Greater, the later it was stored.
  turn bigint not null default nextval('cursor_part_turn'),
  primary key (workspace_id, digest)
);
comment on table cursor_part is
  'A part of a cursor that is too long for a caller to carry. Written with a page; removed once it has expired.';
create index cursor_part_over on cursor_part (kept_until);
call isolate('cursor_part');
