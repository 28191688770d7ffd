import * as Effect from "effect/Effect"
import type { Row, RowView, Table } from "@millrace/core/table"
import { Tables } from "@millrace/core/kernel"
import { deleted, many, one } from "../api/Envelope.ts"
import { exactBody } from "../request/CurrentRequest.ts"
import { exactAt, exactObjectAt, valuesToWire } from "./Cells.ts"
import { demanded, versioned } from "./Versions.ts"
import { serve } from "./Serve.ts"

/** Rows of a table as they are sent. Names every field, so that nothing internal can slip through. */
const rowsOf = (table: Table) => {
  const values = valuesToWire(table.fields)
  return (row: Row) => ({
    id: row.id,
    tableId: row.tableId,
    values: values(row.values),
    externalKey: row.externalKey ?? null,
    held: row.held,
    createdBy: row.createdBy,
    updatedBy: row.updatedBy,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    trashedAt: row.trashedAt ?? null
  })
}

const toWire = ({ row, table }: RowView) => rowsOf(table)(row)

const shown = (view: RowView) => one(toWire(view))

export const layer = serve(
  "rows",
  Effect.gen(function* () {
    const tables = yield* Tables
    return {
      listRows: ({ caller, ids, query, self }) =>
        Effect.map(tables.queryRows(caller, ids.table, query), (page) =>
          many(self, page.rows.map(rowsOf(page.table)), page)
        ),
      queryRows: Effect.fnUntraced(function* ({ caller, ids, payload, self }) {
        const exact = yield* exactBody
        const page = yield* tables.queryRows(caller, ids.table, {
          ...payload,
          ...(payload.filter === undefined ? {} : { filter: exactAt(exact, ["filter"]) }),
          ...(payload.params === undefined ? {} : { params: exactObjectAt(exact, ["params"]) })
        })
        const total = page.total === undefined ? {} : { total: page.total }
        // What leads on is a body, so there is no link to it.
        return { ...many(self, page.rows.map(rowsOf(page.table)), page, total), links: { self } }
      }),
      getRow: Effect.fnUntraced(function* ({ caller, headers, ids }) {
        const view = yield* tables.getRow(caller, ids.table, ids.row)
        return yield* versioned(view.row.version, headers["if-none-match"], shown(view))
      }),
      createRows: Effect.fnUntraced(function* ({ caller, ids, payload, self }) {
        const exact = yield* exactBody
        const outcomes = yield* tables.createRows(caller, ids.table, {
          rows: payload.rows.map(({ externalKey }, at) => ({
            values: exactObjectAt(exact, ["rows", at, "values"]),
            ...(typeof externalKey === "string" ? { externalKey } : {})
          })),
          mode: payload.mode ?? "insert"
        })
        return many(
          self,
          outcomes.map(({ id, status }) => ({ id, status }))
        )
      }),
      updateRows: Effect.fnUntraced(function* ({ caller, ids, payload, self }) {
        const exact = yield* exactBody
        const asked = payload.rows.map((row, at) => ({ ...row, values: exactObjectAt(exact, ["rows", at, "values"]) }))
        const { rows, table } = yield* tables.updateRows(caller, ids.table, asked)
        return many(self, rows.map(rowsOf(table)))
      }),
      deleteRows: ({ caller, ids, payload }) => Effect.as(tables.deleteRows(caller, ids.table, payload.ids), deleted),
      updateRow: Effect.fnUntraced(function* ({ caller, headers, ids, payload }) {
        const change = { ...payload, values: exactObjectAt(yield* exactBody, ["values"]) }
        return shown(yield* tables.updateRow(caller, ids.table, ids.row, change, demanded(headers["if-match"])))
      }),
      deleteRow: ({ caller, headers, ids }) =>
        Effect.as(tables.deleteRow(caller, ids.table, ids.row, demanded(headers["if-match"])), deleted),
      restoreRow: ({ caller, ids }) => Effect.map(tables.restoreRow(caller, ids.table, ids.row), shown)
    }
  })
)
