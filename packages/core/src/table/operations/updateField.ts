import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Name } from "../../shared/Name.ts"
import { askableFieldTypes } from "../Table.ts"
import { Tables } from "../Tables.ts"
import { exactAt } from "./Cells.ts"
import { fieldExample } from "./Examples.ts"
import { FieldRecord, shown, traits } from "./FieldRecord.ts"

const UpdateField = Schema.Struct({
  name: Schema.optionalKey(Name),
  type: Schema.optionalKey(Schema.Literals(askableFieldTypes)),
  ...traits,
  position: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      description: "Place among the fields, 0 for the first."
    })
  )
}).annotate({ identifier: "UpdateField" })

export const updateField = operation({
  noun: "fields",
  id: "updateField",
  put: "/v1/tables/:table_id/fields/:field_id",
  summary: "Change a field; its key stays",
  description: "Changes a field. Its type changes only where every cell can follow (422).",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "tables fields update",
  tool: { absent: "A person decides about the fields of a table." },
  body: UpdateField,
  success: record(FieldRecord),
  errors: ["Conflict", "Unprocessable"],
  example: {
    body: { name: "Price", description: "What it costs a month" },
    data: { ...fieldExample, name: "Price", description: "What it costs a month" }
  },
  audits: audits(Tables, "updateField"),
  run: ({ caller, ids, body, ifVersion, exact }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const sent = exactAt(exact, ["default"])
      const change = sent === undefined ? body : { ...body, default: sent }
      return shown(yield* tables.updateField(caller, ids.table, ids.field, change, ifVersion))
    })
})
