/** Enrichments in the form of all plain things: a body, and columns for the order. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { createResourceTable } from "./resourceTable.ts"

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const fields = `'id', id, 'workspaceId', workspace_id, 'name', name, 'type', type, 'enabled', enabled, 'order', position,
  'dataType', data_type, 'feedIds', feed_ids, 'allFeeds', all_feeds, 'config', config, 'createdBy', created_by,
  'createdAt', ${instant("created_at")}, 'updatedAt', ${instant("updated_at")}, 'version', version, 'revision', revision`

export const resources = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table enrichment_before as select * from enrichment`
  yield* sql`drop table enrichment`
  yield* createResourceTable({ name: "enrichment", columns: { order: "integer" }, versioned: true })
  yield* sql.unsafe(`insert into enrichment (id, workspace_id, "order", version, body)
    select id, workspace_id, position, version,
      case when emoji is null then json_build_object(${fields}) else json_build_object(${fields}, 'emoji', emoji) end
    from enrichment_before`)
  yield* sql`drop table enrichment_before`
})
