/** Plain things in PostgreSQL: their tables have what their definitions ask for. */
import { schemaName } from "../../src/storage/postgres/Schema.ts"
import { columnName, columnTypes, uniqueName } from "../../src/storage/postgres/ResourceTable.ts"
import {
  enrichmentResource,
  enrichmentRunResource,
  findingResource,
  memoryPatternResource,
  simulationResource
} from "@millrace/core/enrichment"
import { apiKeyResource } from "@millrace/core/access"
import { bundledCollections } from "@millrace/core/collection"
import type { AnyDefinition, ColumnType } from "@millrace/core/resource"
import { uploadPageResource } from "@millrace/core/upload"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
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

layer(database(inject("postgres")), { excludeTestServices: true })("tables of plain things", (it) => {
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
})
