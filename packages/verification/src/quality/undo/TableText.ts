/** What stands in a table, as text. */
import type { Table } from "@millrace/core/table"
import { TableStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { wholeScan } from "../../../../core/src/table/RowScan.ts"

/** A row for each record, in order. */
export const rowsOf = Effect.fnUntraced(function* ({ id, workspaceId }: Pick<Table, "id" | "workspaceId">) {
  const tables = yield* TableStore
  const { fields } = Option.getOrThrow(yield* tables.get(workspaceId, id))
  return (yield* tables.rows(wholeScan(id)))
    .map(({ values }) =>
      fields
        .map(({ key, name }) => `${name}=${String(values[key] ?? "")}`)
        .toSorted()
        .join("; ")
    )
    .toSorted()
})
