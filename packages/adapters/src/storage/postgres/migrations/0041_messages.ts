/** Messages of enrichments to people. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const messages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table message (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    enrichment_id key_text not null,
    lane key_text not null,
    place bigint generated always as identity,
    state key_text not null
      check (state in ('held', 'ready', 'sending', 'sent', 'collected', 'withdrawn', 'failed')),
    cooldown_seconds integer not null check (cooldown_seconds >= 0),
    endpoint json not null,
    content json not null,
    told_by key_text,
    error text,
    created_at instant not null default store_now(),
    sent_at instant
  )`
  yield* sql`create index on message (lane, place) where state = 'held'`
  yield* sql`create index on message (lane) where state in ('ready', 'sending')`
  yield* sql`create index on message (lane, sent_at) where state = 'sent'`
  yield* sql`create index on message (enrichment_id, place)`
  yield* sql`create index on message (workspace_id, place)`
  yield* sql`create index on message (created_at)`
  yield* workspaceWall("message")
})
