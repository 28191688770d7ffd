/** Tables of ours as enrichments read them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { TableSnapshots } from "../enrichment/kinds/TableSnapshots.ts"
import type { FieldType } from "../record/DataType.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { wholeScan } from "./RowScan.ts"
import type { TableFieldType } from "./Table.ts"
import { TableStore } from "./TableStore.ts"

const types: Readonly<Record<TableFieldType, FieldType>> = {
  text: "str",
  number: "num",
  currency: "num",
  date: "date",
  datetime: "ts",
  boolean: "bool",
  select: "str",
  multi_select: "str",
  relation: "str",
  email: "str",
  url: "str",
  json: "str"
}

export const layer: Layer.Layer<TableSnapshots, never, TableStore | Digest> = Layer.effect(
  TableSnapshots,
  Effect.gen(function* () {
    const store = yield* TableStore
    const digest = yield* Digest
    return TableSnapshots.of({
      read: Effect.fn("TableSnapshots.read")(function* (workspaceId, tableId) {
        const table = Option.getOrUndefined(yield* store.get(workspaceId, tableId))
        if (table === undefined || table.trashedAt !== undefined) return undefined
        const rows = yield* store.rows(wholeScan(tableId, { limit: limits.lookupRows + 1 }))
        if (rows.length > limits.lookupRows) return "tooMany"
        const labels = new Map(
          table.fields.flatMap(({ key, options }) =>
            options?.choices === undefined
              ? []
              : [[key, new Map(options.choices.map(({ id, label }) => [id, label]))] as const]
          )
        )
        const read = rows.map(({ id, values }) => ({
          id,
          values: Object.fromEntries(
            Object.entries(values).flatMap(([key, cell]): ReadonlyArray<readonly [string, FieldValue]> =>
              typeof cell === "string" || typeof cell === "boolean" || cell === null
                ? [[key, typeof cell === "string" ? (labels.get(key)?.get(cell) ?? cell) : cell]]
                : []
            )
          )
        }))
        return {
          version: digest.contentHash(JSON.stringify([table.fields.map(({ key, type }) => [key, type]), read])),
          columns: new Map(table.fields.map(({ key, type }) => [key, types[type]])),
          rows: read
        }
      })
    })
  })
)
