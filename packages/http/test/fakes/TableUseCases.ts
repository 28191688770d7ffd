/** The use cases of tables in memory: one table with one row. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { NotFound, Unprocessable } from "@millrace/core"
import { readFilter } from "../../../core/src/filter/FilterNode.ts"
import { Tables } from "@millrace/core/kernel"
import { checkCursor, checkVersion, only } from "./Checks.ts"
import * as Records from "./Records.ts"

const tableOf = (id: string) => only("Table", Records.table.id, id, Records.table)
const fieldOf = Effect.fnUntraced(function* (id: string, fieldId: string) {
  const table = yield* tableOf(id)
  return { table, field: yield* only("Field", Records.field.id, fieldId, Records.field) }
})
const rowOf = Effect.fnUntraced(function* (id: string, rowId: string) {
  const table = yield* tableOf(id)
  return { table, row: yield* only("Row", Records.row.id, rowId, Records.row) }
})

const checkFilter = (filter: unknown): Effect.Effect<void, Unprocessable> => {
  const read = filter === undefined ? undefined : readFilter(filter)
  return read === undefined || Result.isSuccess(read)
    ? Effect.void
    : Effect.fail(
        new Unprocessable({
          code: "FILTER_INVALID",
          message: "Filter is not valid",
          details: read.failure.map(({ field, message }) => ({ field: `filter${field && `.${field}`}`, message }))
        })
      )
}

type Note = (operation: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<void>

export const layer = (note: Note) =>
  Layer.succeed(
    Tables,
    Tables.of({
      create: (_, table) => Effect.as(note("createTable", table), Records.table),
      list: (_, query) => Effect.as(note("listTables", query), [Records.table]),
      get: (_, id) => tableOf(id),
      update: Effect.fnUntraced(function* (_, id, change, ifVersion) {
        yield* note("updateTable", change)
        yield* checkVersion(Records.table.version, ifVersion)
        return yield* tableOf(id)
      }),
      trash: Effect.fnUntraced(function* (_, id, options) {
        yield* note("deleteTable", options)
        yield* checkVersion(Records.table.version, options.ifVersion)
        yield* tableOf(id)
      }),
      restore: (_, id) => tableOf(id),
      createField: Effect.fnUntraced(function* (_, id, field) {
        yield* note("createField", field)
        return { table: yield* tableOf(id), field: Records.field }
      }),
      updateField: Effect.fnUntraced(function* (_, id, fieldId, change, ifVersion) {
        yield* note("updateField", change)
        yield* checkVersion(Records.table.version, ifVersion)
        return yield* fieldOf(id, fieldId)
      }),
      deleteField: (_, id, fieldId, ifVersion) =>
        Effect.andThen(checkVersion(Records.table.version, ifVersion), Effect.asVoid(fieldOf(id, fieldId))),
      queryRows: Effect.fnUntraced(function* (_, id, query) {
        yield* note("queryRows", query)
        yield* checkCursor(query)
        yield* checkFilter(query.filter)
        const more = query.cursor === undefined && query.limit === 1
        return {
          table: yield* tableOf(id),
          rows: [Records.row],
          hasMore: more,
          ...(more ? { cursor: "next" } : {}),
          ...(query.includeTotal === true ? { total: 7 } : {})
        }
      }),
      getRow: (_, id, rowId) => rowOf(id, rowId),
      createRows: Effect.fnUntraced(function* (_, id, request) {
        yield* note("createRows", request)
        yield* tableOf(id)
        return [{ id: Records.row.id, status: "created" }]
      }),
      updateRows: Effect.fnUntraced(function* (_, id, rows) {
        yield* note("updateRows", rows)
        return { table: yield* tableOf(id), rows: [Records.row] }
      }),
      updateRow: Effect.fnUntraced(function* (_, id, rowId, change, ifVersion) {
        yield* note("updateRow", change)
        yield* checkVersion(Records.row.version, ifVersion)
        return yield* rowOf(id, rowId)
      }),
      deleteRows: Effect.fnUntraced(function* (_, id, rowIds) {
        yield* note("deleteRows", rowIds)
        yield* tableOf(id)
        if (rowIds.some((rowId) => rowId !== Records.row.id)) return yield* new NotFound({ resource: "Row" })
      }),
      deleteRow: (_, id, rowId, ifVersion) =>
        Effect.andThen(checkVersion(Records.row.version, ifVersion), Effect.asVoid(rowOf(id, rowId))),
      restoreRow: (_, id, rowId) => rowOf(id, rowId),
      purge: Effect.succeed(0)
    })
  )
