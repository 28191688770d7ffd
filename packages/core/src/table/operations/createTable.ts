import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OptionalText } from "../../feed/operations/FeedRecord.ts"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Name } from "../../shared/Name.ts"
import { Tables } from "../Tables.ts"
import { exactAt } from "./Cells.ts"
import { newFieldExample, tableExample } from "./Examples.ts"
import { CreateField, newField } from "./FieldRecord.ts"
import { TableRecord, folderId, keyFields, shown } from "./TableRecord.ts"

const CreateTable = Schema.Struct({
  name: Name,
  icon: OptionalText,
  description: OptionalText,
  folderId,
  fields: Schema.Array(CreateField),
  keyFields
}).annotate({ identifier: "CreateTable" })

const newTableExample = { name: "Subscriptions", fields: [newFieldExample], keyFields: ["amount"] }

export const createTable = operation({
  noun: "tables",
  id: "createTable",
  post: "/v1/tables",
  summary: "Create a table",
  description: "Creates a table with its fields.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "tables create",
  tool: "create_table",
  body: CreateTable,
  success: record(TableRecord, { status: 201 }),
  example: { body: newTableExample, data: { ...tableExample, rowCount: 0 } },
  audits: audits(Tables, "create", { makes: true }),
  run: ({ caller, body: { description, fields, icon, ...payload }, exact }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const table = yield* tables.create(caller, {
        ...payload,
        ...(typeof icon === "string" ? { icon } : {}),
        ...(typeof description === "string" ? { description } : {}),
        fields: fields.map((field, at) => newField(field, exactAt(exact, ["fields", at, "default"])))
      })
      return shown(table)
    })
})
