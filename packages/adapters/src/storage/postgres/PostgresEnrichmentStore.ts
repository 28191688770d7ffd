/** Enrichments in PostgreSQL. */
import type { Enrichment } from "@millrace/core/enrichment"
import { EnrichmentStore } from "@millrace/core/storage"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, json, nullable, present } from "./Column.ts"
import { stored } from "./SqlFailure.ts"

interface EnrichmentRow {
  readonly id: Enrichment["id"]
  readonly workspace_id: Enrichment["workspaceId"]
  readonly name: string
  readonly emoji: string | null
  readonly type: Enrichment["type"]
  readonly enabled: boolean
  readonly position: number
  readonly data_type: Enrichment["dataType"]
  readonly feed_ids: Enrichment["feedIds"]
  readonly all_feeds: boolean
  readonly config: Enrichment["config"]
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly version: number
  readonly revision: number
}

const toEnrichment = (row: EnrichmentRow): Enrichment => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  type: row.type,
  enabled: row.enabled,
  order: row.position,
  dataType: row.data_type,
  feedIds: row.feed_ids,
  allFeeds: row.all_feeds,
  config: row.config,
  createdBy: row.created_by,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  version: row.version,
  revision: row.revision,
  ...present({ emoji: row.emoji })
})

export const layer: Layer.Layer<EnrichmentStore, never, SqlClient.SqlClient> = Layer.effect(
  EnrichmentStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    EnrichmentStore.of({
      insert: Effect.fn("EnrichmentStore.insert")(function* (it) {
        yield* stored(sql`insert into enrichment (id, workspace_id, name, emoji, type, enabled, position, data_type,
            feed_ids, all_feeds, config, created_by, created_at, updated_at, version, revision)
          values (${it.id}, ${it.workspaceId}, ${it.name}, ${nullable(it.emoji)}, ${it.type}, ${it.enabled},
            ${it.order}, ${it.dataType}, ${json(it.feedIds)}, ${it.allFeeds}, ${json(it.config)}, ${it.createdBy},
            ${it.createdAt}, ${it.updatedAt}, ${it.version}, ${it.revision})`)
      }),
      update: Effect.fn("EnrichmentStore.update")(function* (it) {
        const rows = yield* stored(sql`update enrichment set name = ${it.name}, emoji = ${nullable(it.emoji)},
            type = ${it.type}, enabled = ${it.enabled}, position = ${it.order}, data_type = ${it.dataType},
            feed_ids = ${json(it.feedIds)}, all_feeds = ${it.allFeeds}, config = ${json(it.config)},
            created_by = ${it.createdBy}, created_at = ${it.createdAt}, updated_at = ${it.updatedAt},
            version = ${it.version}, revision = ${it.revision}
          where id = ${it.id} and workspace_id = ${it.workspaceId} and version = ${it.version - 1} returning id`)
        return rows.length > 0
      }),
      get: Effect.fn("EnrichmentStore.get")(function* (workspaceId, id) {
        const rows = yield* stored(
          sql<EnrichmentRow>`select * from enrichment where id = ${id} and workspace_id = ${workspaceId}`
        )
        return Arr.head(rows.map(toEnrichment))
      }),
      list: Effect.fn("EnrichmentStore.list")(function* (workspaceIds) {
        const rows = yield* stored(
          sql<EnrichmentRow>`select * from enrichment where ${sql.in("workspace_id", workspaceIds)} order by position, id`
        )
        return rows.map(toEnrichment)
      }),
      remove: Effect.fn("EnrichmentStore.remove")(function* (workspaceId, id) {
        const rows = yield* stored(
          sql`delete from enrichment where id = ${id} and workspace_id = ${workspaceId} returning id`
        )
        return rows.length > 0
      })
    })
  )
)
