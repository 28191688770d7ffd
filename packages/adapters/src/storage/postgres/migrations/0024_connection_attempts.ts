/** Attempts to connect a bank, and what their exchanges gave until a bank has it. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const connectionAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table connection_attempt (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    instance_id key_text not null,
    -- SHA-256 of the id, which may be longer than what an index holds.
    attempt_key key_text not null,
    attempt_id text not null,
    state text not null check (state in ('open', 'completing', 'completed', 'failed', 'superseded', 'expired')),
    bank_id key_text references bank (id) on delete set null,
    -- Sealed by the Secrets port; never plain text.
    exchanged text,
    created_at instant not null,
    updated_at instant not null,
    check (exchanged is null or state <> 'completed'),
    unique (workspace_id, instance_id, attempt_key)
  )`
  yield* sql`create index connection_attempt_bank on connection_attempt (bank_id) where bank_id is not null`
  yield* workspaceWall("connection_attempt")
})
