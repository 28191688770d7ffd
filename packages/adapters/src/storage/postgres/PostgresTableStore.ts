/** Tables and their rows in PostgreSQL. */
import type { ActorRef } from "@millrace/core/access"
import type { Row, RowId, RowScan, Table, TableField, TableId } from "@millrace/core/table"
import { markKey, type StorageUnavailable, TableStore } from "@millrace/core/storage"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { json, nullable } from "./Column.ts"
import {
  type FeedRowGroup,
  groups,
  makeAllStatement,
  makeColumns,
  makeStatement,
  putColumns,
  putStatement
} from "./FeedRowSql.ts"
import { ofKeys } from "./RowKeys.ts"
import { countSql, isNarrow, scanPlan, type Statement } from "./RowScanSql.ts"
import { inTransaction, stored, storedInBulk } from "./SqlFailure.ts"
import {
  actorJson,
  putParameters,
  rowColumns,
  selectTables,
  toRow,
  toTable,
  type RowRow,
  type TableRow
} from "./TableRows.ts"

/** Rows in the trash keep neither key nor number. */
const removeStatement = `
  with known as materialized (${ofKeys("r.id, r.held", "$1", "$2::text[]", "r.trashed_at is null")}
  ), kept as (
    update table_row set trashed_at = store_now(), external_key = null, key_no = null, former_key = external_key,
      version = version + 1, updated_at = store_now()
    where table_id = $1 and id = any(array(select id from known where held <> '[]')) returning id
  ), removed as (
    delete from table_row where table_id = $1 and id = any(array(select id from known where held = '[]')) returning id
  ), gone as (
    select id from kept union all select id from removed
  ), forgotten as (
    delete from row_lookup where table_id = $1 and row_id in (select id from gone)
  )
  update app_table set row_count = row_count - (select count(*) from gone) where id = $1 and exists (select from gone)`

export const layer: Layer.Layer<TableStore, never, SqlClient.SqlClient> = Layer.effect(
  TableStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const tables = sql.literal(selectTables)

    const insertFields = (id: TableId, fields: ReadonlyArray<TableField>, onConflict: "skip" | "replace") =>
      sql`insert into table_field (id, table_id, key, name, type, options, required, is_unique, indexed, default_cell,
          description, origin, position)
        select f.id, ${id}, f.key, f.name, f.type, f.options, f.required, f."unique", f.indexed, f."default",
          f.description, f.origin, f.position
        from json_to_recordset(${JSON.stringify(fields.map((field, n) => ({ ...field, n })))}::json)
          as f(n int, id text, key text, name text, type text, options json, required boolean, "unique" boolean,
            indexed boolean, "default" json, description text, origin text, position int)
        order by f.n ${
          onConflict === "skip"
            ? sql`on conflict (table_id, key) do nothing`
            : sql`on conflict (id) do update set name = excluded.name, type = excluded.type, options = excluded.options,
                required = excluded.required, is_unique = excluded.is_unique, indexed = excluded.indexed,
                default_cell = excluded.default_cell, description = excluded.description, position = excluded.position`
        } returning id`

    const ask = <A extends object>({ lasting, text, values }: Statement) =>
      lasting === true ? stored(sql.unsafe<A>(text, values)) : storedInBulk(sql.unsafe<A>(text, values))

    /** Fails once it takes longer than its patience. Workers of the database that search in parallel end with it. */
    const withRetries = <A>({ patience }: RowScan, read: Effect.Effect<A, StorageUnavailable>) =>
      patience === undefined
        ? read
        : Effect.andThen(sql`select set_config('statement_timeout', ${`${patience}s`}, true)`, read).pipe(
            inTransaction(sql)
          )

    const addEntries = (id: TableId, entries: string) =>
      storedInBulk(sql`insert into row_lookup (workspace_id, table_id, row_id, facet, text_cell, number_cell,
          mark)
        select (select workspace_id from app_table where id = ${id}), ${id}, e.id, e.facet, e.text, e.number::numeric, e.mark
        from json_to_recordset(${entries}::json) as e(id text, facet text, text text, number text, mark text)`)

    /** Whether none of the rows was there, and all were made. Otherwise those that were not are left to be put. */
    const made = Effect.fnUntraced(function* (id: TableId, group: FeedRowGroup, actor: ActorRef) {
      if (group.rows.some(({ mustExist }) => mustExist)) return false
      const { separator, texts } = yield* makeColumns(group)
      const [answer] = yield* ask<{ readonly made: number }>({
        text: makeStatement,
        values: [id, actorJson(actor), separator, ...texts]
      })
      return answer!.made === group.rows.length
    })

    /** Whether it is there. With the workspace: nobody waits for a lock of a table that is not theirs. */
    const lockOf = (workspaceId: Table["workspaceId"], id: TableId) =>
      Effect.map(
        stored(sql`select 1 from app_table where id = ${id} and workspace_id = ${workspaceId} for no key update`),
        (rows) => rows.length > 0
      )

    const get: TableStore["Service"]["get"] = Effect.fn("TableStore.get")(function* (workspaceId, id) {
      const rows = yield* stored(
        sql<TableRow>`${tables} where t.id = ${id} and t.workspace_id = ${workspaceId} and not t.removed`
      )
      return Arr.head(rows.map(toTable))
    })

    return TableStore.of({
      insert: Effect.fn("TableStore.insert")(function* (table) {
        yield* Effect.gen(function* () {
          yield* sql`insert into app_table (id, workspace_id, name, icon, description, key_fields, row_count,
              created_by, version, created_at, updated_at, trashed_at)
            values (${table.id}, ${table.workspaceId}, ${table.name}, ${nullable(table.icon)},
              ${nullable(table.description)}, ${json(table.keyFields)}, ${table.rowCount}, ${json(table.createdBy)},
              ${table.version}, ${table.createdAt}, ${table.updatedAt}, ${nullable(table.trashedAt)})`
          yield* insertFields(table.id, table.fields, "skip")
        }).pipe(inTransaction(sql))
      }),
      get,
      lock: Effect.fn("TableStore.lock")(function* (workspaceId, id) {
        // Not with the fields: what a statement reads beside the row it waits for may be older than the row.
        yield* lockOf(workspaceId, id)
        return yield* get(workspaceId, id)
      }),
      list: Effect.fn("TableStore.list")(function* (workspaceIds) {
        const rows = yield* stored(
          sql<TableRow>`${tables} where ${sql.in("t.workspace_id", workspaceIds)} and not t.removed order by t.created_at, t.id`
        )
        return rows.map(toTable)
      }),
      update: Effect.fn("TableStore.update")(function* (table) {
        return yield* Effect.gen(function* () {
          const changed = yield* sql`update app_table set name = ${table.name}, icon = ${nullable(table.icon)},
              description = ${nullable(table.description)}, key_fields = ${json(table.keyFields)},
              version = ${table.version}, updated_at = ${table.updatedAt}, trashed_at = ${nullable(table.trashedAt)}
            where id = ${table.id} and version = ${table.version - 1} and not removed returning 1`
          if (changed.length === 0) return false
          const ids = JSON.stringify(table.fields.map((field) => field.id))
          yield* sql`delete from table_field where table_id = ${table.id}
            and id not in (select json_array_elements_text(${ids}::json))`
          yield* insertFields(table.id, table.fields, "replace")
          return true
        }).pipe(inTransaction(sql))
      }),
      addFields: Effect.fn("TableStore.addFields")(function* (id, fields) {
        if (fields.length === 0) return
        yield* Effect.gen(function* () {
          if ((yield* insertFields(id, fields, "skip")).length === 0) return
          yield* sql`update app_table set version = version + 1, updated_at = store_now() where id = ${id}`
        }).pipe(inTransaction(sql))
      }),
      remove: Effect.fn("TableStore.remove")(function* (id) {
        yield* stored(sql`update app_table set removed = true where id = ${id}`)
      }),
      rowTotal: Effect.fn("TableStore.rowTotal")(function* (workspaceId) {
        const [found] = yield* stored(sql<{ readonly total: number }>`
          select coalesce(sum(row_count), 0)::float8 as total from app_table
          where workspace_id = ${workspaceId} and trashed_at is null and not removed`)
        return found!.total
      }),

      rows: Effect.fn("TableStore.rows")(
        function* (scan) {
          const plan = scanPlan(scan)
          const probed = plan.probe === undefined ? [] : yield* ask<{ readonly found: number }>(plan.probe)
          const found: Array<Row> = []
          for (const statement of plan.parts(probed.every((row) => isNarrow(row.found)))) {
            found.push(...(yield* ask<RowRow>(statement)).map(toRow))
            if (found.length >= scan.limit) break
          }
          return found.length > scan.limit ? found.slice(0, scan.limit) : found
        },
        (read, scan) => withRetries(scan, read)
      ),
      count: Effect.fn("TableStore.count")(
        function* (scan) {
          const [row] = yield* ask<{ readonly found: number }>(countSql(scan))
          return row!.found
        },
        (read, scan) => withRetries(scan, read)
      ),
      rowsById: Effect.fn("TableStore.rowsById")(function* (id, rowIds) {
        if (rowIds.length === 0) return []
        const rows = yield* storedInBulk(
          sql<RowRow>`select ${sql.literal(rowColumns)} from table_row r where table_id = ${id} and id = any(${[...rowIds]}::text[])`
        )
        return rows.map(toRow)
      }),
      rowsByKey: Effect.fn("TableStore.rowsByKey")(function* (id, keys) {
        if (keys.length === 0) return []
        const rows = yield* storedInBulk(sql.unsafe<RowRow>(ofKeys(rowColumns, "$1", "$2::text[]"), [id, [...keys]]))
        return rows.map(toRow)
      }),
      holders: Effect.fn("TableStore.holders")(function* (id, marks) {
        if (marks.length === 0) return new Map<string, RowId>()
        const rows = yield* storedInBulk(sql<{
          readonly facet: string
          readonly mark: string
          readonly row_id: RowId
        }>`
          select l.facet, l.mark, l.row_id from json_to_recordset(${JSON.stringify(marks)}::json) as g(facet text, mark text)
          join row_lookup l on l.table_id = ${id} and l.facet = g.facet and l.mark = g.mark`)
        return new Map(rows.map((row) => [markKey(row.facet, row.mark), row.row_id]))
      }),
      putRows: Effect.fn("TableStore.putRows")(function* (id, rows, added) {
        if (rows.length === 0) return
        const [given, entries] = putParameters(rows)
        yield* Effect.gen(function* () {
          yield* storedInBulk(sql`delete from row_lookup where table_id = ${id}
            and row_id = any(${rows.map(({ row }) => row.id)}::text[])`)
          yield* storedInBulk(sql`insert into table_row (id, workspace_id, table_id, field_values, folded, held,
              external_key, key_no, created_by, updated_by, version, created_at, updated_at, trashed_at)
            select g.id, (select workspace_id from app_table where id = ${id}), ${id}, g.vals, g.folded, g.held, g.key,
              row_key_no(${id}, g.key), g.made_by, g.changed_by, g.version, g.made_at,
              g.changed_at, g.trashed_at
            from json_to_recordset(${given}::json) as g(id text, vals jsonb, folded jsonb, held jsonb, key text,
              made_by json, changed_by json, version int, made_at timestamptz, changed_at timestamptz,
              trashed_at timestamptz)
            on conflict (table_id, id) do update set field_values = excluded.field_values, folded = excluded.folded,
              held = excluded.held, external_key = excluded.external_key, key_no = excluded.key_no, updated_by = excluded.updated_by,
              version = excluded.version, updated_at = excluded.updated_at, trashed_at = excluded.trashed_at,
              former_key = case when excluded.trashed_at is null then null else table_row.former_key end`)
          if (entries !== "[]") yield* addEntries(id, entries)
          if (added !== 0) yield* sql`update app_table set row_count = row_count + ${added} where id = ${id}`
        }).pipe(inTransaction(sql))
      }),
      putFeedRows: Effect.fn("TableStore.putFeedRows")(function* (id, rows, ids, actor) {
        const written = new Map<string, string>()
        for (const group of groups(rows, ids)) {
          if (yield* made(id, group, actor)) {
            for (let n = 0; n < group.rows.length; n++) written.set(group.rows[n]!.key, group.ids[n]!)
            continue
          }
          const { separator, texts } = yield* putColumns(group)
          const put = yield* ask<{ readonly key: string; readonly id: string }>({
            text: putStatement,
            values: [id, actorJson(actor), separator, ...texts, group.keys]
          })
          for (const row of put) written.set(row.key, row.id)
        }
        return written
      }),
      makeFeedRows: Effect.fn("TableStore.makeFeedRows")(function* (
        { id, version, workspaceId },
        rows,
        ids,
        actor,
        limit
      ) {
        const { separator, texts } = yield* makeColumns({ ids, rows })
        const values = [id, actorJson(actor), separator, ...texts, version, limit === Infinity ? null : limit]
        // Nothing else stands between the two: all others wait.
        if (!(yield* lockOf(workspaceId, id))) return false
        const [answer] = yield* ask<{ readonly made: number }>({ text: makeAllStatement, values })
        return answer!.made === rows.length
      }),
      removeFeedRows: Effect.fn("TableStore.removeFeedRows")(function* (id, keys) {
        if (keys.length === 0) return
        yield* storedInBulk(sql.unsafe(removeStatement, [id, [...keys]]))
      }),
      formerRows: Effect.fn("TableStore.formerRows")(function* (id, keys) {
        if (keys.length === 0) return new Map<string, Row>()
        const rows = yield* storedInBulk(sql<RowRow & { readonly former_key: string }>`
          select distinct on (former_key) * from table_row
          where table_id = ${id} and former_key = any(${[...keys]}::text[]) and trashed_at is not null
          order by former_key, trashed_at desc, id desc`)
        return new Map(rows.map((row) => [row.former_key, toRow(row)]))
      }),
      heldKeys: Effect.fn("TableStore.heldKeys")(function* (workspaceId, keys) {
        if (keys.length === 0) return new Set<string>()
        const wanted = [...keys]
        // Looked up by lists of keys, table by table: joined, the planner reads whole tables that it knows nothing of yet.
        const rows = yield* storedInBulk(sql<{ readonly key: string }>`
          select r.key from app_table t cross join lateral (
            select external_key as key from table_row where table_id = t.id and external_key = any(${wanted}::text[])
              and trashed_at is null and held <> '[]'
            union all
            select former_key from table_row where table_id = t.id and former_key = any(${wanted}::text[])
              and trashed_at is not null and held <> '[]'
            offset 0
          ) r where t.workspace_id = ${workspaceId} and not t.removed and t.trashed_at is null`)
        return new Set(rows.map(({ key }) => key))
      }),
      heldRows: Effect.fn("TableStore.heldRows")(function* (id, { after = "", limit }) {
        const rows = yield* storedInBulk(sql<RowRow>`select * from table_row
          where table_id = ${id} and external_key > ${after} and trashed_at is null and held <> '[]'
          order by external_key limit ${limit}`)
        return rows.map(toRow)
      }),
      clearField: Effect.fn("TableStore.clearField")(function* (id, key) {
        yield* storedInBulk(sql`update table_row set field_values = field_values - ${key}::text,
            folded = folded - ${key}::text, held = held - ${key}::text
          where table_id = ${id} and (jsonb_exists(field_values, ${key}) or jsonb_exists(held, ${key}))`)
      }),
      dropFacets: Effect.fn("TableStore.dropFacets")(function* (id, facets) {
        if (facets.length === 0) return
        yield* storedInBulk(sql`delete from row_lookup where table_id = ${id} and facet = any(${[...facets]}::text[])`)
      }),
      addEntries: Effect.fn("TableStore.addEntries")(function* (id, rows) {
        const entries = rows.flatMap((row) => row.entries.map((entry) => ({ ...entry, id: row.id })))
        if (entries.length > 0) yield* addEntries(id, JSON.stringify(entries))
      }),
      purge: Effect.fn("TableStore.purge")(function* (before, limit) {
        return yield* Effect.gen(function* () {
          const rows = yield* sql`delete from table_row where (table_id, id) in (
              select table_id, id from table_row where trashed_at < ${before} limit ${limit}) returning 1`
          let done = rows.length
          const gone = yield* sql<{ readonly id: TableId }>`update app_table set removed = true
            where id in (select id from app_table where removed or trashed_at < ${before} order by id limit ${limit})
            returning id`
          for (const { id } of gone) {
            if (done >= limit) break
            const taken = yield* sql`with gone as (
                delete from table_row where table_id = ${id} and id in (
                  select id from table_row where table_id = ${id} limit ${limit - done}) returning id
              ), forgotten as (
                delete from row_lookup where table_id = ${id} and row_id in (select id from gone)
              ) select 1 from gone`
            done += taken.length
            if (done >= limit) break
            yield* sql`delete from app_table where id = ${id}`
            done++
          }
          return done
        }).pipe(inTransaction(sql))
      })
    })
  })
)
