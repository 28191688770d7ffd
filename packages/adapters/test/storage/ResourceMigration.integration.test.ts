/** Plain things in PostgreSQL: their tables have what their definitions ask for, and older ones were brought along. */
import { migrateTo, newestSchema } from "../../src/storage/postgres/Migrations.ts"
import { layer as resources } from "../../src/storage/postgres/PostgresResources.ts"
import { schemaName } from "../../src/storage/postgres/Schema.ts"
import { columnName, columnTypes, uniqueName } from "../../src/storage/postgres/migrations/resourceTable.ts"
import {
  type Enrichment,
  enrichmentResource,
  enrichmentRunResource,
  findingResource,
  memoryPatternResource,
  simulationResource
} from "@millrace/core/enrichment"
import { type ApiKey, apiKeyResource } from "@millrace/core/access"
import { bundledCollections } from "@millrace/core/collection"
import type { AnyDefinition, ColumnType } from "@millrace/core/resource"
import { ApiKeyStore, EnrichmentStore } from "@millrace/core/storage"
import { uploadPageResource } from "@millrace/core/upload"
import type { WorkspaceId } from "@millrace/core/workspace"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const definitions: ReadonlyArray<AnyDefinition<never>> = [
  enrichmentResource,
  apiKeyResource,
  enrichmentRunResource,
  findingResource,
  memoryPatternResource,
  simulationResource,
  uploadPageResource,
  ...bundledCollections.map(({ resource }) => resource)
] as never

layer(
  Layer.mergeAll(ApiKeyStore.layer, EnrichmentStore.layer).pipe(
    Layer.provide(resources),
    Layer.provideMerge(database(inject("postgres")))
  ),
  {
    excludeTestServices: true
  }
)("tables of plain things", (it) => {
  it.effect("have the columns and keys of their definitions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const { columns, name, unique, versioned } of definitions) {
        const found = yield* sql<{ readonly name: string; readonly type: string }>`select column_name as name,
          coalesce(domain_name, data_type) as type from information_schema.columns
          where table_schema = ${schemaName} and table_name = ${name}`
        expect(Object.fromEntries(found.map((one) => [one.name, one.type]))).toEqual({
          id: "key_text",
          workspace_id: "key_text",
          ...Object.fromEntries(
            Object.entries(columns as Readonly<Record<string, ColumnType>>).map(([field, type]) => [
              columnName(field),
              columnTypes[type]
            ])
          ),
          ...(versioned ? { version: "bigint" } : {}),
          body: "json"
        })
        const keys = yield* sql<{ readonly name: string }>`select indexname as name from pg_indexes
          where schemaname = ${schemaName} and tablename = ${name} and indexname like '%\\_key'`
        const wanted = (unique ?? []) as ReadonlyArray<{ readonly fields: ReadonlyArray<string> }>
        expect(keys.map((key) => key.name).toSorted()).toEqual(
          wanted.map(({ fields }) => uniqueName(name, fields)).toSorted()
        )
      }
    })
  )

  it.effect("hold what earlier versions stored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
      // Another schema stands for the database of an earlier version.
      yield* sql`create schema earlier`
      yield* sql`set local search_path = earlier`
      yield* migrateTo(25)
      yield* sql`insert into workspace (id, name, plan, timezone, locale, base_currency, created_at, updated_at, version)
        values (${workspaceId}, 'Books', 'free', 'UTC', 'en', 'CHF', now(), now(), 1)`
      const config = `{"z": 1e21, "a": [1.50, "\\u0000", "é 😀"], "": null}`
      for (const [n, emoji] of ["🧾", null].entries()) {
        yield* sql`insert into enrichment (id, workspace_id, name, emoji, type, enabled, position, data_type, feed_ids,
            all_feeds, config, created_by, created_at, updated_at, version, revision)
          values (${`enr_0000000000000000000000000${n}`}, ${workspaceId}, 'Say "hi"', ${emoji}, 'rule', true, ${10 - n},
            'transactions', '["feed_00000000000000000000000001"]', false, ${config}, 'usr_1',
            '2026-03-14T06:30:00.120Z', '2026-03-14T08:30:00.000+01:00', 3, 2)`
      }
      for (const [n, ends] of [null, "2026-04-01T00:00:00.000Z"].entries()) {
        yield* sql`insert into api_key (id, workspace_id, hash, key_prefix, name, scopes, expires_at, created_at, created_by,
            revoked_at)
          values (${`key_0000000000000000000000000${n}`}, ${workspaceId}, ${`hash ${n}`}, 'mill_abc', 'Export',
            '["banks:read"]', ${ends}, '2026-03-14T06:30:00.120Z', 'usr_00000000000000000000000001', ${ends})`
      }
      yield* migrateTo(27)
      const keyOf = (n: number, ends: string | null) =>
        ({
          id: `key_0000000000000000000000000${n}`,
          workspaceId,
          keyPrefix: "mill_abc",
          name: "Export",
          scopes: ["banks:read"],
          expiresAt: ends,
          createdAt: "2026-03-14T06:30:00.120Z",
          createdBy: "usr_00000000000000000000000001",
          revokedAt: ends
        }) as unknown as ApiKey
      const keys = yield* ApiKeyStore
      const [open, ended] = [keyOf(0, null), keyOf(1, "2026-04-01T00:00:00.000Z")]
      expect(yield* keys.list(workspaceId)).toEqual([ended, open])
      expect(yield* keys.byHash("hash 1")).toEqual(Option.some(ended))
      const enrichments = yield* EnrichmentStore
      const read = yield* enrichments.list([workspaceId])
      const both: Omit<Enrichment, "id" | "order"> = {
        workspaceId,
        name: 'Say "hi"',
        type: "rule",
        enabled: true,
        dataType: "transactions",
        feedIds: ["feed_00000000000000000000000001" as never],
        allFeeds: false,
        config: JSON.parse(config),
        createdBy: "usr_1",
        createdAt: "2026-03-14T06:30:00.120Z" as never,
        updatedAt: "2026-03-14T07:30:00.000Z" as never,
        version: 3,
        revision: 2
      }
      expect(read).toEqual([
        { ...both, id: "enr_00000000000000000000000001", order: 9 },
        { ...both, id: "enr_00000000000000000000000000", order: 10, emoji: "🧾" }
      ])
      yield* migrateTo(newestSchema)
      expect(yield* enrichments.list([workspaceId], { type: "rule" })).toEqual(read)
      expect(yield* enrichments.list([workspaceId], { type: "dedupe" })).toEqual([])
    }).pipe((steps) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(steps)))
  )
})
