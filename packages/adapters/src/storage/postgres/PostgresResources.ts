/** Plain things in PostgreSQL: the body as JSON text, and the columns by which it is found and put in order. */
import {
  type AnyDefinition,
  bodyOf,
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
import { columnName, uniqueName } from "./migrations/resourceTable.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface BodyRow {
  readonly body: string
}

const storeOf =
  (sql: SqlClient.SqlClient) =>
  <A extends Plain>(definition: AnyDefinition<A>): KeyedStore<A> => {
    const { name, trash = false, unique = [], versioned } = definition
    const table = sql(name)
    const body = bodyOf(definition)
    const order = sql.literal(
      orderOf(definition)
        .map(
          ({ direction, field }) => `"${columnName(field)}" ${direction === "ascending" ? "asc" : "desc"} nulls last`
        )
        .join(", ")
    )
    /** What stands behind a place: absent values come last, in either direction. */
    const behind = (place: Place): Fragment => {
      const parts = orderOf(definition).map(({ direction, field }, at) => ({
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
      list: Effect.fn(`Resources.list ${name}`)(function* (workspaceIds) {
        const rows = yield* stored(sql<BodyRow>`select body::text as body from ${table}
          where ${sql.in("workspace_id", workspaceIds)} order by ${order}`)
        return rows.map((row) => body.read(row.body))
      }),
      page: Effect.fn(`Resources.page ${name}`)(function* ({ after, limit, trashed, where = {}, workspaceIds }) {
        const wanted = Object.entries<string | number | null | undefined>(where).map(([field, cell]) =>
          cell === null ? sql`${sql(columnName(field))} is null` : sql`${sql(columnName(field))} = ${cell!}`
        )
        const rows = yield* stored(sql<BodyRow>`select body::text as body from ${table}
          where ${sql.and([
            sql.in("workspace_id", workspaceIds),
            ...wanted,
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
