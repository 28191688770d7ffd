import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { RowView } from "@millrace/core/table/RowRequest"
import type { Row, Table } from "@millrace/core/table/Table"
import { Tables } from "@millrace/core/table/Tables"
import { Api } from "../api/Api.ts"
import { deleted, many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { exactBody, principal, target } from "../middleware/CurrentRequest.ts"
import { exactAt, exactObjectAt, valuesToWire } from "./Cells.ts"
import { identified } from "./Identified.ts"
import { demanded, versioned } from "./Versions.ts"

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

export const layer = HttpApiBuilder.group(
  Api,
  "rows",
  Effect.fnUntraced(function* (handlers) {
    const tables = yield* Tables
    return handlers
      .handle("listRows", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const page = yield* tables.queryRows(yield* principal, yield* identified("table", params.table_id), query)
            return many(yield* target, page.rows.map(rowsOf(page.table)), page)
          })
        )
      )
      .handle("queryRows", ({ params, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const exact = yield* exactBody
            const page = yield* tables.queryRows(yield* principal, id, {
              ...payload,
              ...(payload.filter === undefined ? {} : { filter: exactAt(exact, ["filter"]) }),
              ...(payload.params === undefined ? {} : { params: exactObjectAt(exact, ["params"]) })
            })
            const total = page.total === undefined ? {} : { total: page.total }
            const self = yield* target
            // What leads on is a body, so there is no link to it.
            return { ...many(self, page.rows.map(rowsOf(page.table)), page, total), links: { self } }
          })
        )
      )
      .handle("getRow", ({ params, headers }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const view = yield* tables.getRow(yield* principal, id, yield* identified("row", params.row_id))
            return yield* versioned(view.row.version, headers["if-none-match"], one(toWire(view)))
          })
        )
      )
      .handle("createRows", ({ params, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const exact = yield* exactBody
            const outcomes = yield* tables.createRows(yield* principal, id, {
              rows: payload.rows.map(({ externalKey }, at) => ({
                values: exactObjectAt(exact, ["rows", at, "values"]),
                ...(typeof externalKey === "string" ? { externalKey } : {})
              })),
              mode: payload.mode ?? "insert"
            })
            return many(
              yield* target,
              outcomes.map(({ id: rowId, status }) => ({ id: rowId, status }))
            )
          })
        )
      )
      .handle("updateRows", ({ params, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const exact = yield* exactBody
            const asked = payload.rows.map((row, at) => ({
              ...row,
              values: exactObjectAt(exact, ["rows", at, "values"])
            }))
            const { rows, table } = yield* tables.updateRows(yield* principal, id, asked)
            return many(yield* target, rows.map(rowsOf(table)))
          })
        )
      )
      .handle("deleteRows", ({ params, payload }) =>
        answering(
          Effect.gen(function* () {
            yield* tables.deleteRows(yield* principal, yield* identified("table", params.table_id), payload.ids)
            return deleted
          })
        )
      )
      .handle("updateRow", ({ params, headers, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const rowId = yield* identified("row", params.row_id)
            const change = { ...payload, values: exactObjectAt(yield* exactBody, ["values"]) }
            return one(
              toWire(yield* tables.updateRow(yield* principal, id, rowId, change, demanded(headers["if-match"])))
            )
          })
        )
      )
      .handle("deleteRow", ({ params, headers }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const rowId = yield* identified("row", params.row_id)
            yield* tables.deleteRow(yield* principal, id, rowId, demanded(headers["if-match"]))
            return deleted
          })
        )
      )
      .handle("restoreRow", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const rowId = yield* identified("row", params.row_id)
            return one(toWire(yield* tables.restoreRow(yield* principal, id, rowId)))
          })
        )
      )
  })
)
