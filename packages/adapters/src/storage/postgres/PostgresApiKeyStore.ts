/** API keys in PostgreSQL. */
import type { ApiKey, Scope } from "@millrace/core/access"
import { ApiKeyStore } from "@millrace/core/storage"
import type { UserId, WorkspaceId } from "@millrace/core/workspace"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, json, optionalInstant } from "./Column.ts"
import { stored } from "./SqlFailure.ts"

interface KeyRow {
  readonly id: ApiKey["id"]
  readonly workspace_id: WorkspaceId
  readonly key_prefix: string
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly created_by: UserId
  readonly revoked_at: Date | null
}

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  workspaceId: row.workspace_id,
  keyPrefix: row.key_prefix,
  name: row.name,
  scopes: row.scopes,
  expiresAt: optionalInstant(row.expires_at),
  createdAt: instant(row.created_at),
  createdBy: row.created_by,
  revokedAt: optionalInstant(row.revoked_at)
})

export const layer: Layer.Layer<ApiKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  ApiKeyStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ApiKeyStore.of({
      insert: Effect.fn("ApiKeyStore.insert")(function* (key, hash) {
        yield* stored(sql`insert into api_key (id, workspace_id, hash, key_prefix, name, scopes, expires_at, created_at,
            created_by, revoked_at)
          values (${key.id}, ${key.workspaceId}, ${hash}, ${key.keyPrefix}, ${key.name}, ${json(key.scopes)},
            ${key.expiresAt}, ${key.createdAt}, ${key.createdBy}, ${key.revokedAt})`)
      }),
      byHash: Effect.fn("ApiKeyStore.byHash")(function* (hash) {
        const rows = yield* stored(sql<KeyRow>`select * from api_key where hash = ${hash}`)
        return Arr.head(rows.map(toKey))
      }),
      list: Effect.fn("ApiKeyStore.list")(function* (workspaceId) {
        const rows = yield* stored(sql<KeyRow>`select * from api_key where workspace_id = ${workspaceId}
          order by created_at desc, id desc`)
        return rows.map(toKey)
      })
    })
  )
)
