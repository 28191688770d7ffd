import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OptionalText } from "../../feed/operations/FeedRecord.ts"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Name } from "../../shared/Name.ts"
import { Tables } from "../Tables.ts"
import { tableExample } from "./Examples.ts"
import { TableRecord, folderId, keyFields, keys, shown } from "./TableRecord.ts"

const UpdateTable = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: OptionalText,
  description: OptionalText,
  folderId,
  keyFields,
  fieldOrder: keys("Keys of fields in their new order; those left out follow in the order they have.")
}).annotate({ identifier: "UpdateTable" })

export const updateTable = operation({
  noun: "tables",
  id: "updateTable",
  put: "/v1/tables/:table_id",
  summary: "Change a table",
  description: "Changes what is sent and leaves the rest as it is. Fields have operations of their own.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "tables update",
  tool: "update_table",
  body: UpdateTable,
  success: record(TableRecord),
  errors: ["Unprocessable"],
  example: { body: { name: "Bills", description: null }, data: { ...tableExample, name: "Bills", version: 2 } },
  audits: audits(Tables, "update", { read: "get" }),
  run: ({ caller, ids, body, ifVersion }) =>
    Tables.use((tables) => Effect.map(tables.update(caller, ids.table, body, ifVersion), shown))
})
