import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { exactAt } from "./Cells.ts"
import { fieldExample, newFieldExample } from "./Examples.ts"
import { CreateField, FieldRecord, newField, shown } from "./FieldRecord.ts"

export const createField = operation({
  noun: "fields",
  id: "createField",
  post: "/v1/tables/:table_id/fields",
  summary: "Add a field to a table",
  description: "Adds a field to a table. Its key never changes.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "tables fields add",
  tool: { absent: "A person decides about the fields of a table." },
  body: CreateField,
  success: record(FieldRecord, { status: 201 }),
  example: { body: newFieldExample, data: fieldExample },
  audits: audits(Tables, "createField", { makes: true }),
  run: ({ caller, ids, body, exact }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const asked = newField(body, exactAt(exact, ["default"]))
      return shown(yield* tables.createField(caller, ids.table, asked))
    })
})
