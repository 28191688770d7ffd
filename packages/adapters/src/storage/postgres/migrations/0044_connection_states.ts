/**
 * Attempts to connect as a whole state machine (decisions 6.3): who began them, until when they wait, what they keep sealed
 * on the way; and the subjects that connections belong to at an upstream.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const connectionStates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table connection_attempt
    add column flow text,
    add column expires_at instant,
    -- Those of before were completed by whoever began them, without a step in between.
    add column credential text not null default 'system',
    add column created_by jsonb not null default '{"kind":"system","reason":"before"}',
    -- No reference: a bank that was removed meanwhile must not make this an attempt for another bank.
    add column reconnects key_text,
    add column institution_id text,
    add column redirect_uri text,
    -- SHA-256, never the state itself.
    add column state_hash key_text,
    add column error jsonb`
  yield* sql`update connection_attempt set expires_at = created_at + interval '30 minutes'`
  yield* sql`alter table connection_attempt
    alter column expires_at set not null,
    alter column credential drop default,
    alter column created_by drop default`
  yield* sql`create unique index connection_attempt_state on connection_attempt (state_hash)
    where state_hash is not null`
  yield* sql`create index connection_attempt_reconnects on connection_attempt (reconnects) where reconnects is not null`
  yield* sql`create index connection_attempt_left on connection_attempt (expires_at)
    where state in ('open', 'completing', 'expired')`
  yield* sql`create index connection_attempt_age on connection_attempt (updated_at)`

  yield* sql`create table connection_attempt_part (
    attempt_id key_text not null references connection_attempt (id) on delete cascade,
    part text not null check (part in ('request', 'secrets', 'step', 'payload')),
    workspace_id key_text not null references workspace (id) on delete cascade,
    -- Sealed by the Secrets port; never plain text.
    sealed text not null,
    primary key (attempt_id, part)
  )`
  yield* workspaceWall("connection_attempt_part")

  yield* sql`create table connection_subject (
    workspace_id key_text not null references workspace (id) on delete cascade,
    instance_id key_text not null,
    ref key_text not null,
    -- Sealed by the Secrets port; null until the upstream gave any.
    sealed text,
    created_at instant not null,
    updated_at instant not null,
    primary key (workspace_id, instance_id)
  )`
  yield* sql`create unique index connection_subject_ref on connection_subject (instance_id, ref)`
  yield* workspaceWall("connection_subject")
})
