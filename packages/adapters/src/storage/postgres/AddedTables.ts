/** Tables of collections, bundled ones and those that a program adds: made as the owner of the database, where they are not there yet. */
import { AddedCollections, bundledCollections } from "@millrace/core/collection"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DatabaseUnfit } from "./DatabaseCheck.ts"
import { columnName, createResourceTable } from "./ResourceTable.ts"
import { schemaName } from "./Schema.ts"

/** In the transaction of the caller, who holds the lock of the schema. Refuses a table that has not what is asked of it. */
export const addTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const { resource, surface } of [...bundledCollections, ...(yield* AddedCollections)]) {
    const found = yield* sql<{ readonly name: string }>`select column_name as name from information_schema.columns
      where table_schema = ${schemaName} and table_name = ${resource.name}`
    if (found.length === 0) {
      yield* createResourceTable(resource)
      continue
    }
    const names = new Set(found.map(({ name }) => name))
    const wanted = ["id", "workspace_id", "version", "body", ...Object.keys(resource.columns).map(columnName)]
    const missing = wanted.filter((name) => !names.has(name))
    if (missing.length > 0) {
      return yield* new DatabaseUnfit({
        message:
          `The table "${resource.name}" of the collection "${surface.many}" lacks the columns ${missing.join(", ")}: it ` +
          "holds an earlier form of the collection, or something else. Add them, filled from its body"
      })
    }
  }
})
