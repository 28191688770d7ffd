import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { rowExample } from "./Examples.ts"
import { RowRecord, shown } from "./RowRecord.ts"

export const restoreRow = operation({
  noun: "rows",
  id: "restoreRow",
  post: "/v1/tables/:table_id/rows/:row_id/restore",
  summary: "Take a row out of the trash",
  description: "Takes a row out of the trash.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "rows restore",
  tool: { absent: "A person takes things out of the trash." },
  success: record(RowRecord),
  example: { data: rowExample },
  audits: audits(Tables, "restoreRow"),
  run: ({ caller, ids }) => Tables.use((tables) => Effect.map(tables.restoreRow(caller, ids.table, ids.row), shown))
})
