import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { deleted } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"

export const deleteRow = operation({
  noun: "rows",
  id: "deleteRow",
  delete: "/v1/tables/:table_id/rows/:row_id",
  summary: "Move a row to the trash",
  description: "Moves a row to the trash.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "rows delete",
  tool: { absent: "The tool delete_rows does the same for any number of rows." },
  success: deleted,
  example: {},
  audits: audits(Tables, "deleteRow"),
  run: ({ caller, ids, ifVersion }) =>
    Tables.use((tables) => Effect.asVoid(tables.deleteRow(caller, ids.table, ids.row, ifVersion)))
})
