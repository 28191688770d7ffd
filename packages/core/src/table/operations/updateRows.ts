import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { list } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { exactObjectAt } from "./Cells.ts"
import { rowExample } from "./Examples.ts"
import { RowRecord, bulk, change, rowsOf } from "./RowRecord.ts"

const UpdateRows = Schema.Struct({
  rows: Schema.Array(Schema.Struct({ id: Schema.String, ...change })).check(...bulk)
}).annotate({ identifier: "UpdateRows" })

export const updateRows = operation({
  noun: "rows",
  id: "updateRows",
  put: "/v1/tables/:table_id/rows",
  summary: "Change rows, all or none",
  description: "Changes rows by their ids: values merge by key, null clears. All of them, or none.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "rows update",
  tool: "update_rows",
  body: UpdateRows,
  success: list(RowRecord),
  errors: ["Conflict", "Unprocessable"],
  example: {
    body: { rows: [{ id: exampleIds.row, values: { amount: -49 }, version: 1 }] },
    data: { ...rowExample, values: { amount: -49 }, version: 2 }
  },
  audits: audits(Tables, "updateRows"),
  run: ({ caller, ids, body, exact }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const asked = body.rows.map((row, at) => ({ ...row, values: exactObjectAt(exact, ["rows", at, "values"]) }))
      const { rows, table } = yield* tables.updateRows(caller, ids.table, asked)
      return { rows: rows.map(rowsOf(table)) }
    })
})
