import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { FieldsParameter, FilterParameter, SortParameter } from "../../operation/Filter.ts"
import { Flag, paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { rowExample } from "./Examples.ts"
import { RowRecord, rowsOf } from "./RowRecord.ts"

export const listRows = operation({
  noun: "rows",
  id: "listRows",
  get: "/v1/tables/:table_id/rows",
  summary: "List the rows of a table, oldest first unless sorted",
  description: "Lists the rows of a table, oldest first unless sorted. Rows without a value come last.",
  access: { anyOf: ["tables:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "rows list",
  tool: { absent: "The tool query_rows does the same and more." },
  query: {
    ...paging,
    sort: Schema.optionalKey(SortParameter),
    filter: Schema.optionalKey(FilterParameter),
    fields: Schema.optionalKey(FieldsParameter),
    trashed: Schema.optionalKey(Flag)
  },
  success: list(RowRecord),
  errors: ["Unprocessable"],
  example: { data: rowExample },
  run: ({ caller, ids, query }) =>
    Tables.use((tables) =>
      Effect.map(tables.queryRows(caller, ids.table, query), (page) => ({
        ...page,
        rows: page.rows.map(rowsOf(page.table))
      }))
    )
})
