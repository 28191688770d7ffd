import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { tableExample } from "./Examples.ts"
import { TableRecord, shown } from "./TableRecord.ts"

export const restoreTable = operation({
  noun: "tables",
  id: "restoreTable",
  post: "/v1/tables/:table_id/restore",
  summary: "Take a table out of the trash",
  description: "Takes a table out of the trash.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "tables restore",
  tool: { absent: "A person takes things out of the trash." },
  success: record(TableRecord),
  example: { data: tableExample },
  audits: audits(Tables, "restore"),
  run: ({ caller, ids }) => Tables.use((tables) => Effect.map(tables.restore(caller, ids.table), shown))
})
