import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { ActorRef } from "@millrace/core/access/ActorRef"
import type { RowValues } from "@millrace/core/filter/FilterField"
import type { Row, Table } from "@millrace/core/table/Table"
import { Tables } from "@millrace/core/table/Tables"
import { rawNumber } from "../api/Amount.ts"
import { Api } from "../api/Api.ts"
import { many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { principal, target } from "../middleware/CurrentRequest.ts"
import { identified } from "./Identified.ts"
import { versioned } from "./Versions.ts"

const sourceOf = (createdBy: ActorRef) =>
  createdBy.kind === "sync" || createdBy.kind === "extractor"
    ? { kind: "feed" as const, id: createdBy.feedId }
    : { kind: "manual" as const, id: null }

/** A table as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (table: Table) => ({
  id: table.id,
  name: table.name,
  icon: table.icon ?? null,
  ...(table.description === undefined ? {} : { description: table.description }),
  folderId: null,
  fields: table.fields.map(({ id, key, name, type, origin, position }) => ({
    id,
    key,
    name,
    type,
    required: false,
    unique: false,
    origin,
    position
  })),
  keyFields: [],
  rowCount: table.rowCount,
  source: sourceOf(table.createdBy),
  createdBy: table.createdBy,
  version: table.version,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
  trashedAt: null,
  purgeAt: null
})

/** Cells by the type of their field: numbers and amounts as exact JSON numbers. */
const valuesToWire = (numeric: ReadonlySet<string>, values: RowValues): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === "string" && numeric.has(key) ? rawNumber(value) : value
    ])
  )

const rowToWire = (table: Table) => {
  const numeric = new Set(
    table.fields.filter(({ type }) => type === "number" || type === "currency").map(({ key }) => key)
  )
  return (row: Row) => ({
    id: row.id,
    tableId: row.tableId,
    values: valuesToWire(numeric, row.values),
    externalKey: row.externalKey ?? null,
    createdBy: row.createdBy,
    updatedBy: row.updatedBy,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    trashedAt: null
  })
}

export const layer = HttpApiBuilder.group(
  Api,
  "tables",
  Effect.fnUntraced(function* (handlers) {
    const tables = yield* Tables
    return handlers
      .handle("createTable", ({ payload: { icon, description, ...payload } }) =>
        answering(
          Effect.gen(function* () {
            const table = yield* tables.create(yield* principal, {
              ...payload,
              ...(typeof icon === "string" ? { icon } : {}),
              ...(typeof description === "string" ? { description } : {})
            })
            return one(toWire(table))
          })
        )
      )
      .handle("listTables", () =>
        answering(
          Effect.gen(function* () {
            const rows = yield* tables.list(yield* principal, {})
            return many(yield* target, rows.map(toWire))
          })
        )
      )
      .handle("getTable", ({ params, headers }) =>
        answering(
          Effect.gen(function* () {
            const table = yield* tables.get(yield* principal, yield* identified("table", params.table_id))
            return yield* versioned(table.version, headers["if-none-match"], one(toWire(table)))
          })
        )
      )
      .handle("listRows", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const page = yield* tables.queryRows(yield* principal, yield* identified("table", params.table_id), query)
            return many(yield* target, page.rows.map(rowToWire(page.table)), page)
          })
        )
      )
      .handle("getRow", ({ params, headers }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const { table, row } = yield* tables.getRow(yield* principal, id, yield* identified("row", params.row_id))
            return yield* versioned(row.version, headers["if-none-match"], one(rowToWire(table)(row)))
          })
        )
      )
  })
)
