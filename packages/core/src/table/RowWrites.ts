/** Changing, trashing and restoring rows (decisions 5.7 and 6.11). */
import * as Effect from "effect/Effect"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { PreconditionFailed } from "../failure/Failure.ts"
import { Digest } from "../shared/Digest.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Faults } from "./FieldDefinition.ts"
import { below, bulk, RowChecks, type Candidate } from "./RowChecks.ts"
import { mergeRow } from "./RowMerge.ts"
import { checkRow, readValues, relationsIn, type RelationUse } from "./RowReader.ts"
import type { RowChange } from "./RowRequest.ts"
import { shapeOf } from "./RowShape.ts"
import type { Row, RowId, Table } from "./Table.ts"
import { TableAccess, conflict, judged, noRow } from "./TableAccess.ts"
import type { Tables } from "./Tables.ts"
import { TableStore } from "./TableStore.ts"

export const make = Effect.gen(function* () {
  const store = yield* TableStore
  const { contentHash } = yield* Digest
  const { atomically } = yield* Transactor
  const access = yield* TableAccess
  const { checkMarks, checkPlan, checkRelations } = yield* RowChecks

  /** Changes live rows of a locked table, all or none. */
  const change = Effect.fnUntraced(function* (
    caller: Caller,
    operation: OperationId,
    table: Table,
    asked: ReadonlyArray<{ readonly row: Row; readonly change: RowChange; readonly path: string }>
  ) {
    const shape = shapeOf(table, contentHash)
    const fields = new Map(table.fields.map((field) => [field.key, field]))
    const faults = new Faults()
    const uses: Array<RelationUse> = []
    const now = yield* Timestamp.now
    const actor = caller.cause
    const rows = asked.map(({ change: request, path, row }) => {
      const at = below(path, "values")
      const values = readValues(fields, request.values, at, faults)
      uses.push(...relationsIn(fields, values, at))
      for (const [n, key] of (request.release ?? []).entries())
        if (!fields.has(key)) faults.add(path, `release[${n}]`, `"${key}" is no field of the table`)
      const merged = mergeRow(row, { values, release: request.release ?? [], actor, now })
      if (merged.values !== row.values) checkRow(table, merged.values, at, faults)
      return merged
    })
    const stale = asked.filter(({ change: { version }, row }) => version !== undefined && version !== row.version)
    yield* checkRelations(caller, operation, table, uses, faults)
    yield* judged(faults.details)
    if (stale.length > 0)
      return yield* conflict(
        "INVALID_STATE",
        "Row has changed",
        stale.map(({ path, row }) => ({ field: below(path, "version"), message: `is ${row.version} now` }))
      )
    const candidates = rows.flatMap((after, n): ReadonlyArray<Candidate> => {
      const { path, row: before } = asked[n]!
      return after === before ? [] : [{ after, path }]
    })
    const stored = yield* checkMarks(table, shape, candidates)
    if (stored.length > 0) yield* store.putRows(table.id, stored, 0)
    return rows
  })

  /** Live rows in the order of their ids; fails when one is missing. */
  const liveRows = Effect.fnUntraced(function* (table: Table, rowIds: ReadonlyArray<string>) {
    const found = new Map((yield* store.rowsById(table.id, rowIds)).map((row): [string, Row] => [row.id, row]))
    const rows: Array<Row> = []
    for (const id of rowIds) {
      const row = found.get(id)
      if (row === undefined || row.trashedAt !== undefined) return yield* noRow
      rows.push(row)
    }
    return rows
  })

  const updateRows: Tables["Service"]["updateRows"] = Effect.fn("Tables.updateRows")(
    function* (caller, id, asked) {
      yield* bulk("rows", asked.length)
      const table = yield* access.lock(caller, "updateRows", id)
      const twice = asked.flatMap((row, at) =>
        asked.findIndex((other) => other.id === row.id) === at
          ? []
          : [{ field: `rows[${at}].id`, message: "is used twice" }]
      )
      yield* judged(twice)
      const found = yield* liveRows(
        table,
        asked.map((row) => row.id)
      )
      const rows = yield* change(
        caller,
        "updateRows",
        table,
        asked.map((request, at) => ({ row: found[at]!, change: request, path: `rows[${at}]` }))
      )
      return { table, rows }
    },
    (effect) => atomically(effect)
  )

  const updateRow: Tables["Service"]["updateRow"] = Effect.fn("Tables.updateRow")(
    function* (caller, id, rowId, request, ifVersion) {
      const table = yield* access.lock(caller, "updateRow", id)
      const [before] = yield* liveRows(table, [rowId])
      if (ifVersion !== undefined && ifVersion !== before!.version) return yield* new PreconditionFailed()
      const [row] = yield* change(caller, "updateRow", table, [{ row: before!, change: request, path: "" }])
      return { table, row: row! }
    },
    (effect) => atomically(effect)
  )

  const trashAll = Effect.fnUntraced(function* (caller: Caller, table: Table, rows: ReadonlyArray<Row>) {
    const shape = shapeOf(table, contentHash)
    const now = yield* Timestamp.now
    const trashed = rows.map((row) =>
      shape.stored({
        ...row,
        version: row.version + 1,
        updatedBy: caller.cause,
        updatedAt: now,
        trashedAt: now
      })
    )
    yield* store.putRows(table.id, trashed, -rows.length)
  })

  const deleteRows: Tables["Service"]["deleteRows"] = Effect.fn("Tables.deleteRows")(
    function* (caller, id, rowIds) {
      yield* bulk("ids", rowIds.length)
      const table = yield* access.lock(caller, "deleteRows", id)
      yield* trashAll(caller, table, yield* liveRows(table, [...new Set(rowIds)]))
    },
    (effect) => atomically(effect)
  )

  const deleteRow: Tables["Service"]["deleteRow"] = Effect.fn("Tables.deleteRow")(
    function* (caller, id, rowId, ifVersion) {
      const table = yield* access.lock(caller, "deleteRow", id)
      const rows = yield* liveRows(table, [rowId])
      if (ifVersion !== undefined && ifVersion !== rows[0]!.version) return yield* new PreconditionFailed()
      yield* trashAll(caller, table, rows)
    },
    (effect) => atomically(effect)
  )

  const restoreRow: Tables["Service"]["restoreRow"] = Effect.fn("Tables.restoreRow")(
    function* (caller, id, rowId: RowId) {
      const table = yield* access.lock(caller, "restoreRow", id)
      const [found] = yield* store.rowsById(id, [rowId])
      if (found === undefined) return yield* noRow
      const { trashedAt, ...row } = found
      if (trashedAt === undefined) return yield* conflict("INVALID_STATE", "Row is live")
      yield* checkPlan(caller, 1)
      const after: Row = {
        ...row,
        version: row.version + 1,
        updatedBy: caller.cause,
        updatedAt: yield* Timestamp.now
      }
      const stored = yield* checkMarks(table, shapeOf(table, contentHash), [{ after, path: "" }])
      yield* store.putRows(id, stored, 1)
      return { table, row: after }
    },
    (effect) => atomically(effect)
  )

  return { updateRows, updateRow, deleteRows, deleteRow, restoreRow }
})
