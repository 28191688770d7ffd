/** Plain things in PostgreSQL: the body as JSON text, and the columns by which it is found and put in order. */
import {
  type AnyDefinition,
  bodyOf,
  type Bounds,
  type Cell,
  type ColumnType,
  type KeyedStore,
  KeyTaken,
  orderOf,
  type Place,
  type Plain,
  Resources
} from "@millrace/core/resource"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { columnName, orderedBy, uniqueName } from "./ResourceTable.ts"
import { inTransaction, stored, storedInBulk } from "./SqlFailure.ts"

interface BodyRow {
  readonly body: string
}

/** Types of columns in rows that come as JSON. */
const givenTypes: Readonly<Record<ColumnType, string>> = { boolean: "boolean", integer: "bigint", text: "text" }

/** Writes rows that come as one JSON text, which stands between both parts: new ones, and those that follow what is held. */
const putStatement = <A extends Plain>({ columns, name, versioned }: AnyDefinition<A>): readonly [string, string] => {
  const given: ReadonlyArray<readonly [string, string]> = [
    ["id", "text"],
    ["workspace_id", "text"],
    ...Object.entries<ColumnType | undefined>(columns).map(
      ([field, type]) => [columnName(field), givenTypes[type!]] as const
    ),
    ...(versioned ? [["version", "bigint"] as const] : [])
  ]
  const names = given.map(([column]) => `"${column}"`)
  const replaced = [...names.slice(2), "body"].map((column) => `${column} = excluded.${column}`)
  const follows = versioned ? "and held.version in (excluded.version, excluded.version - 1)" : ""
  return [
    `insert into "${name}" as held (${names.join(", ")}, body)
      select ${names.join(", ")}, body::json from json_to_recordset(`,
    `::json) as given(${given.map(([column, type]) => `"${column}" ${type}`).join(", ")}, body text)
      on conflict (id) do update set ${replaced.join(", ")}
      where held.workspace_id = excluded.workspace_id ${follows} returning id`
  ]
}

const storeOf =
  (sql: SqlClient.SqlClient) =>
  <A extends Plain>(definition: AnyDefinition<A>): KeyedStore<A> => {
    const { name, trash = false, unique = [], versioned } = definition
    const table = sql(name)
    const body = bodyOf(definition)
    const [putHead, putTail] = putStatement(definition)
    const ordered = orderOf(definition)
    const order = sql.literal(ordered.map(orderedBy).join(", "))
    /** Whether places can be compared as rows, which an index knows how to begin at. */
    const comparesRows = ordered.every(
      (by) => (by.field === "id" || by.always === true) && by.direction === ordered[0]!.direction
    )
    /** What stands behind a place: absent values come last, in either direction. */
    const behind = (place: Place): Fragment => {
      if (comparesRows) {
        const names = sql.csv(ordered.map(({ field }) => sql`${sql(columnName(field))}`))
        const cells = sql.csv(place.map((cell) => sql`${cell}`))
        return ordered[0]!.direction === "ascending" ? sql`(${names}) > (${cells})` : sql`(${names}) < (${cells})`
      }
      const parts = ordered.map(({ direction, field }, at) => ({
        column: sql(columnName(field)),
        direction,
        cell: place[at]!
      }))
      const ways = parts.flatMap(({ cell, column, direction }, at) => {
        if (cell === null) return []
        const same = parts.slice(0, at).map((one) => sql`${one.column} is not distinct from ${one.cell}`)
        const later = direction === "ascending" ? sql`${column} > ${cell}` : sql`${column} < ${cell}`
        return [sql.and([...same, sql`(${later} or ${column} is null)`])]
      })
      return sql.or(ways)
    }
    const narrowed = (where: Readonly<Record<string, Cell | Bounds | undefined>> = {}): ReadonlyArray<Fragment> =>
      Object.entries(where).flatMap(([field, wanted]) => {
        const column = sql(columnName(field))
        if (wanted === undefined) return []
        if (wanted === null) return [sql`${column} is null`]
        // Not as a parameter: indexes of a part of the rows are for a truth that is written out.
        if (typeof wanted === "boolean") return [wanted ? sql`${column}` : sql`not ${column}`]
        if (typeof wanted !== "object") return [sql`${column} = ${wanted}`]
        const { below, from, oneOf } = wanted
        return [
          ...(oneOf === undefined ? [] : [sql`${column} = any(${[...oneOf]}::text[])`]),
          ...(from === undefined ? [] : [sql`${column} >= ${from}`]),
          ...(below === undefined ? [] : [sql`${column} < ${below}`])
        ]
      })
    const versionOf = (value: A): number => (value as unknown as { readonly version: number }).version

    const rowOf = (value: A): Record<string, unknown> => {
      const { columns, text } = body.write(value)
      return {
        ...Object.fromEntries(Object.entries(columns).map(([field, cell]) => [columnName(field), cell])),
        ...(versioned ? { version: versionOf(value) } : {}),
        body: text
      }
    }
    const taken = (error: SqlError): KeyTaken | SqlError => {
      const { reason } = error
      const key =
        reason._tag === "UniqueViolation" && unique.find(({ fields }) => uniqueName(name, fields) === reason.constraint)
      return key ? new KeyTaken({ resource: name, fields: key.fields }) : error
    }
    // A key that is taken must not end the transaction around it.
    const writing = <B>(effect: Effect.Effect<B, SqlError>) =>
      unique.length === 0
        ? stored(effect)
        : inTransaction(sql)(Effect.mapError(effect, (error) => (isSqlError(error) ? taken(error) : error)))

    return {
      insert: Effect.fn(`Resources.insert ${name}`)(function* (value: A) {
        const row = { id: value.id, workspace_id: value.workspaceId, ...rowOf(value) }
        yield* writing(sql`insert into ${table} ${sql.insert(row)}`)
      }),
      update: Effect.fn(`Resources.update ${name}`)(function* (value: A) {
        const same = versioned ? sql`version = ${versionOf(value) - 1}` : sql`true`
        const rows = yield* writing(sql`update ${table} set ${sql.update(rowOf(value))}
          where id = ${value.id} and workspace_id = ${value.workspaceId} and ${same} returning id`)
        return rows.length > 0
      }),
      get: Effect.fn(`Resources.get ${name}`)(function* (workspaceId, id) {
        const rows = yield* stored(sql<BodyRow>`select body::text as body from ${table}
          where id = ${id} and workspace_id = ${workspaceId}`)
        return Arr.head(rows.map((row) => body.read(row.body)))
      }),
      list: Effect.fn(`Resources.list ${name}`)(function* (workspaceIds, where) {
        const wanted = [sql.in("workspace_id", workspaceIds), ...narrowed(where)]
        const rows = yield* (where === undefined ? stored : storedInBulk)(
          sql<BodyRow>`select body::text as body from ${table} where ${sql.and(wanted)} order by ${order}`
        )
        return rows.map((row) => body.read(row.body))
      }),
      page: Effect.fn(`Resources.page ${name}`)(function* ({ after, limit, trashed, where, workspaceIds }) {
        const rows = yield* storedInBulk(sql<BodyRow>`select body::text as body from ${table}
          where ${sql.and([
            sql.in("workspace_id", workspaceIds),
            ...narrowed(where),
            ...(trashed === undefined ? [] : [trashed ? sql`trashed_at is not null` : sql`trashed_at is null`]),
            ...(after === undefined ? [] : [behind(after)])
          ])} order by ${order} limit ${limit}`)
        return rows.map((row) => body.read(row.body))
      }),
      purge: Effect.fn(`Resources.purge ${name}`)(function* (before, limit) {
        if (!trash) return 0
        const rows = yield* stored(sql`delete from ${table} where id in (
          select id from ${table} where trashed_at < ${before} limit ${limit}) returning id`)
        return rows.length
      }),
      remove: Effect.fn(`Resources.remove ${name}`)(function* (workspaceId, id) {
        const rows = yield* stored(sql`delete from ${table} where id = ${id} and workspace_id = ${workspaceId}
          returning id`)
        return rows.length > 0
      }),
      put: Effect.fn(`Resources.put ${name}`)(function* (values: ReadonlyArray<A>) {
        if (values.length === 0) return true
        const rows = values.map((value) => ({ id: value.id, workspace_id: value.workspaceId, ...rowOf(value) }))
        const put = sql`${sql.literal(putHead)}${JSON.stringify(rows)}${sql.literal(putTail)}`
        const written = yield* writing(put.unprepared)
        return written.length === values.length
      }),
      removeAll: Effect.fn(`Resources.removeAll ${name}`)(function* (workspaceId, where) {
        const rows = yield* storedInBulk(sql`delete from ${table}
          where ${sql.and([sql`workspace_id = ${workspaceId}`, ...narrowed(where)])} returning id`)
        return rows.length
      }),
      find: Effect.fn(`Resources.find ${name}`)(function* (key) {
        const same = Object.entries(key).map(([field, wanted]) => sql`${sql(columnName(field))} = ${wanted}`)
        const rows = yield* stored(sql<BodyRow>`select body::text as body from ${table} where ${sql.and(same)}`)
        return Arr.head(rows.map((row) => body.read(row.body)))
      })
    }
  }

export const layer: Layer.Layer<Resources, never, SqlClient.SqlClient> = Layer.effect(
  Resources,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Resources.of({
      open: (definition) => {
        const { find: _, ...store } = storeOf(sql)(definition)
        // Without keys none can be taken.
        return store as never
      },
      openKeyed: storeOf(sql)
    })
  )
)
