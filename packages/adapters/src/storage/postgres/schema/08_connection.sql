/* Attempts to connect a bank, and the subjects that connections belong to at an upstream. */

create table connection_attempt (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  instance_id key_text not null,
  -- SHA-256 of the id, which may be longer than an index entry.
  attempt_key key_text not null,
  attempt_id text not null,
  state text not null check (state in ('open', 'completing', 'completed', 'failed', 'superseded', 'expired')),
  bank_id key_text references bank (id) on delete set null,
  -- Sealed by the Secrets port; never plain text.
  exchanged text,
  created_at instant not null,
  updated_at instant not null,
  flow text,
  expires_at instant not null,
  credential text not null,
  created_by jsonb not null,
  -- No reference: a bank that was removed meanwhile must not make this an attempt for another bank.
  reconnects key_text,
  institution_id text,
  redirect_uri text,
  -- SHA-256, never the state itself.
  state_hash key_text,
  error jsonb,
  unique (workspace_id, instance_id, attempt_key),
  check ((exchanged is null) or (state <> 'completed'))
);
comment on table connection_attempt is
  'An attempt to connect a bank, as a state machine (decisions 6.3). Written by each step; removed some time after its end.';
create index connection_attempt_age on connection_attempt (updated_at);
create index connection_attempt_bank on connection_attempt (bank_id) where bank_id is not null;
create index connection_attempt_left on connection_attempt (expires_at) where state in ('open', 'completing', 'expired');
create index connection_attempt_reconnects on connection_attempt (reconnects) where reconnects is not null;
create unique index connection_attempt_state on connection_attempt (state_hash) where state_hash is not null;
call isolate('connection_attempt');

create table connection_attempt_part (
  attempt_id key_text not null references connection_attempt (id) on delete cascade,
  part text not null check (part in ('request', 'secrets', 'step', 'payload')),
  workspace_id key_text not null references workspace (id) on delete cascade,
  -- Sealed by the Secrets port; never plain text.
  sealed text not null,
  primary key (attempt_id, part)
);
comment on table connection_attempt_part is
  'What an attempt keeps on the way, sealed. Removed when the step that needs it is over.';
call isolate('connection_attempt_part');

create table connection_subject (
  workspace_id key_text not null references workspace (id) on delete cascade,
  instance_id key_text not null,
  ref key_text not null,
  -- Sealed by the Secrets port; null until the upstream gave any.
  sealed text,
  created_at instant not null,
  updated_at instant not null,
  -- Ended subjects stay until the upstream has deleted them, beside the next one.
  ended_at instant,
  -- When it was last checked whether anything needs it.
  taken_at instant,
  primary key (instance_id, ref)
);
comment on table connection_subject is
  'The subject that the connections of a workspace belong to at an upstream, with its sealed secret. Kept until the upstream '
  'has deleted it.';
create index connection_subject_ended on connection_subject (workspace_id, instance_id) where ended_at is not null;
create unique index connection_subject_live on connection_subject (workspace_id, instance_id) where ended_at is null;
call isolate('connection_subject');
