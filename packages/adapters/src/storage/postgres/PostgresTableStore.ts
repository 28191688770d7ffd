/** Tables and their rows in PostgreSQL. */
import type { Row, Table, TableField } from "@millrace/core/table/Table"
import { TableStore, type FeedRow } from "@millrace/core/table/TableStore"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, json, nullable, present } from "./Column.ts"
import { stored, storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

interface TableRow {
  readonly id: Table["id"]
  readonly workspace_id: Table["workspaceId"]
  readonly name: string
  readonly icon: string | null
  readonly description: string | null
  readonly fields: ReadonlyArray<TableField>
  readonly row_count: number
  readonly created_by: Table["createdBy"]
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const toTable = (row: TableRow): Table => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  fields: row.fields,
  keyFields: [],
  rowCount: row.row_count,
  createdBy: row.created_by,
  version: row.version,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({ icon: row.icon, description: row.description })
})

interface RowRow {
  readonly id: Row["id"]
  readonly table_id: Row["tableId"]
  readonly field_values: Row["values"]
  readonly external_key: string | null
  readonly created_by: Row["createdBy"]
  readonly updated_by: Row["updatedBy"]
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const toRow = (row: RowRow): Row => ({
  id: row.id,
  tableId: row.table_id,
  values: row.field_values,
  held: [],
  createdBy: row.created_by,
  updatedBy: row.updated_by,
  version: row.version,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({ externalKey: row.external_key })
})

const selectTables = `select t.id, t.workspace_id, t.name, t.icon, t.description, t.row_count, t.created_by, t.version,
    t.created_at, t.updated_at,
    (select coalesce(json_agg(json_build_object('id', f.id, 'key', f.key, 'name', f.name, 'type', f.type,
      'required', false, 'unique', false, 'indexed', false,
      'origin', f.origin, 'position', f.position) order by f.seq), '[]')
      from table_field f where f.table_id = t.id) as fields
  from app_table t`

// Cells that are equal already leave the row alone; `||` writes the given cells and no others.
const putStatement = `
  with given as (
    select g.key, g.id, g.must = 't' as must, g.vals::jsonb as vals, g.n
    from unnest(string_to_array($4, $3), string_to_array($5, $3), string_to_array($6, $3), string_to_array($7, $3))
      with ordinality as g(key, id, must, vals, n)
  ), merged as (
    update table_row r set field_values = r.field_values || g.vals, updated_by = $2::json, version = r.version + 1,
      updated_at = store_now()
    from given g
    where g.must and r.table_id = $1 and r.external_key = g.key and r.field_values || g.vals <> r.field_values
  ), put as (
    insert into table_row as r (id, table_id, field_values, external_key, created_by, updated_by, version, created_at,
      updated_at)
    select g.id, $1, g.vals, g.key, $2::json, $2::json, 1, store_now(), store_now()
    from given g where not g.must order by g.n
    on conflict (table_id, external_key) do update set field_values = r.field_values || excluded.field_values,
      updated_by = excluded.updated_by, version = r.version + 1, updated_at = excluded.updated_at
      where r.field_values || excluded.field_values <> r.field_values
    returning r.id, r.external_key, r.version
  ), counted as (
    update app_table set row_count = row_count + (select count(*) from put where version = 1)
    where id = $1 and exists (select from put where version = 1)
  )
  select external_key as key, id from put
  union all
  select r.external_key, r.id from given g join table_row r on r.table_id = $1 and r.external_key = g.key
  where not exists (select from put p where p.external_key = g.key)`

const putColumns = (rows: ReadonlyArray<FeedRow>, ids: ReadonlyArray<Row["id"]>) =>
  textColumns(
    [rows.map((row) => row.key), rows.map((_, n) => ids[n] ?? ""), rows.map((row) => (row.mustExist ? "t" : "f"))],
    [rows.map((row) => JSON.stringify(row.values))]
  )

export const layer: Layer.Layer<TableStore, never, SqlClient.SqlClient> = Layer.effect(
  TableStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const tables = sql.literal(selectTables)

    const insertFields = (id: Table["id"], fields: ReadonlyArray<TableField>) =>
      sql`insert into table_field (id, table_id, key, name, type, origin, position)
        select f.id, ${id}, f.key, f.name, f.type, f.origin, f.position
        from json_to_recordset(${JSON.stringify(fields.map((field, n) => ({ ...field, n })))}::json)
          as f(n int, id text, key text, name text, type text, origin text, position int)
        order by f.n on conflict (table_id, key) do nothing returning id`

    return TableStore.of({
      insert: Effect.fn("TableStore.insert")(function* (table) {
        yield* Effect.gen(function* () {
          yield* sql`insert into app_table (id, workspace_id, name, icon, description, row_count, created_by, version,
              created_at, updated_at)
            values (${table.id}, ${table.workspaceId}, ${table.name}, ${nullable(table.icon)},
              ${nullable(table.description)}, ${table.rowCount}, ${json(table.createdBy)}, ${table.version},
              ${table.createdAt}, ${table.updatedAt})`
          yield* insertFields(table.id, table.fields)
        }).pipe(sql.withTransaction, stored)
      }),
      get: Effect.fn("TableStore.get")(function* (workspaceId, id) {
        const rows = yield* stored(sql<TableRow>`${tables} where t.id = ${id} and t.workspace_id = ${workspaceId}`)
        return Arr.head(rows.map(toTable))
      }),
      list: Effect.fn("TableStore.list")(function* (workspaceId) {
        const rows = yield* stored(
          sql<TableRow>`${tables} where t.workspace_id = ${workspaceId} order by t.created_at, t.id`
        )
        return rows.map(toTable)
      }),
      addFields: Effect.fn("TableStore.addFields")(function* (id, fields) {
        if (fields.length === 0) return
        yield* Effect.gen(function* () {
          if ((yield* insertFields(id, fields)).length === 0) return
          yield* sql`update app_table set version = version + 1, updated_at = store_now() where id = ${id}`
        }).pipe(sql.withTransaction, stored)
      }),
      rows: Effect.fn("TableStore.rows")(function* (id, { limit, after }) {
        const rows = yield* stored(
          sql<RowRow>`select * from table_row where ${sql.and([
            sql`table_id = ${id}`,
            ...(after === undefined ? [] : [sql`id > ${after}`])
          ])} order by id limit ${limit}`
        )
        return rows.map(toRow)
      }),
      row: Effect.fn("TableStore.row")(function* (id, rowId) {
        const rows = yield* stored(sql<RowRow>`select * from table_row where table_id = ${id} and id = ${rowId}`)
        return Arr.head(rows.map(toRow))
      }),
      putFeedRows: Effect.fn("TableStore.putFeedRows")(function* (id, rows, ids, actor) {
        if (rows.length === 0) return new Map<string, string>()
        const { separator, texts } = yield* putColumns(rows, ids)
        const put = yield* storedInBulk(
          sql.unsafe<{ readonly key: string; readonly id: string }>(putStatement, [
            id,
            JSON.stringify(actor),
            separator,
            ...texts
          ])
        )
        return new Map(put.map((row) => [row.key, row.id]))
      }),
      removeFeedRows: Effect.fn("TableStore.removeFeedRows")(function* (id, keys) {
        if (keys.length === 0) return
        yield* storedInBulk(sql`with gone as (
            delete from table_row where table_id = ${id} and external_key = any(${keys}::text[]) returning 1
          )
          update app_table set row_count = row_count - (select count(*) from gone)
          where id = ${id} and exists (select from gone)`)
      })
    })
  })
)
