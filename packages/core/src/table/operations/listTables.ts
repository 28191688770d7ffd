import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { Flag, Text } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { tableExample } from "./Examples.ts"
import { TableRecord, tableToWire } from "./TableRecord.ts"

export const listTables = operation({
  noun: "tables",
  id: "listTables",
  get: "/v1/tables",
  summary: "List tables, oldest first",
  description: "Lists the tables of the workspace, oldest first.",
  access: { anyOf: ["tables:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "tables list",
  tool: "list_tables",
  query: { trashed: Schema.optionalKey(Flag), folderId: Schema.optionalKey(Text) },
  success: list(TableRecord),
  example: { data: tableExample },
  run: ({ caller, query }) =>
    Tables.use((tables) => Effect.map(tables.list(caller, query), (found) => ({ rows: found.map(tableToWire) })))
})
