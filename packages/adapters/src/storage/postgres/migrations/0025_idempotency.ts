/** Requests that carried an idempotency key, and their answers. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const idempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table idempotency_key (
    workspace_id key_text not null references workspace (id) on delete cascade,
    -- Digests: of who asks for which operation with which key, and of what is asked.
    key key_text not null,
    request key_text not null,
    -- Null until there is one.
    answer text,
    begun_at instant not null default store_now(),
    primary key (workspace_id, key)
  )`
  yield* sql`create index idempotency_key_over on idempotency_key (begun_at)`
  yield* workspaceWall("idempotency_key")
})
