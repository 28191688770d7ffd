import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { exactObjectAt } from "./Cells.ts"
import { rowExample } from "./Examples.ts"
import { RowRecord, change, shown } from "./RowRecord.ts"

const UpdateRow = Schema.Struct(change).annotate({ identifier: "UpdateRow" })

export const updateRow = operation({
  noun: "rows",
  id: "updateRow",
  put: "/v1/tables/:table_id/rows/:row_id",
  summary: "Change a row",
  description: "Changes one row: values merge by key, null clears.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "rows update",
  tool: { absent: "The tool update_rows does the same for any number of rows." },
  body: UpdateRow,
  success: record(RowRecord),
  errors: ["Conflict", "Unprocessable"],
  example: {
    body: { values: { amount: -49 }, version: 1 },
    data: { ...rowExample, values: { amount: -49 }, version: 2 }
  },
  audits: audits(Tables, "updateRow"),
  run: ({ caller, ids, body, ifVersion, exact }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const asked = { ...body, values: exactObjectAt(exact, ["values"]) }
      return shown(yield* tables.updateRow(caller, ids.table, ids.row, asked, ifVersion))
    })
})
