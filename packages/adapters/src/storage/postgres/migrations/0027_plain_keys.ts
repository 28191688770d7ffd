/** API keys in the form of all plain things: a body, and columns for look-up and order. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { createResourceTable } from "./resourceTable.ts"

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const plainKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table api_key_before as select * from api_key`
  yield* sql`drop table api_key`
  yield* createResourceTable({
    name: "api_key",
    columns: { hash: "text", createdAt: "text" },
    unique: [{ fields: ["hash"], within: "installation" }],
    versioned: false
  })
  yield* sql.unsafe(`insert into api_key (id, workspace_id, hash, created_at, body)
    select id, workspace_id, hash, ${instant("created_at")}, json_build_object('id', id, 'workspaceId', workspace_id,
      'keyPrefix', key_prefix, 'name', name, 'scopes', scopes, 'expiresAt', ${instant("expires_at")},
      'createdAt', ${instant("created_at")}, 'createdBy', created_by, 'revokedAt', ${instant("revoked_at")}, 'hash', hash)
    from api_key_before`)
  yield* sql`drop table api_key_before`
})
