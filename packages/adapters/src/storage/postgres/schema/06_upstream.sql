/* Budgets of requests to upstream providers, and callbacks received from them. */

create table upstream_turn (
  instance_id key_text not null,
  -- Empty for all connections of the instance together.
  connection key_text not null,
  -- When the next request may go.
  next_at timestamptz not null,
  -- The place that was given last; null when it was refused.
  place_at timestamptz,
  -- Until when the upstream wants no request.
  held_until timestamptz,
  -- What the places were given under: requests of a block, blocks, and seconds.
  block int,
  blocks int,
  span float8,
  -- Requests of the block that has begun.
  begun int not null default 0,
  -- When the last blocks ended, the oldest first.
  ends timestamptz[] not null default '{}',
  primary key (instance_id, connection)
);
comment on table upstream_turn is
  'The queue of requests to one upstream, or to one connection of it: when the next may go. One row each.';

create table received_webhook (
  instance_id key_text not null,
  key key_text not null,
  received_at instant not null default store_now(),
  primary key (instance_id, key)
);
comment on table received_webhook is
  'The digest of a callback that was accepted, so that it is not accepted twice. Removed after its time of replay.';
create index received_webhook_received_at_idx on received_webhook (received_at);
