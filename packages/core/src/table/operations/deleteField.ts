import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { deleted } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"

export const deleteField = operation({
  noun: "fields",
  id: "deleteField",
  delete: "/v1/tables/:table_id/fields/:field_id",
  summary: "Delete a field and its cells",
  description: "Deletes a field with its cells, unless something uses it (409).",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "tables fields remove",
  tool: { absent: "A person decides about the fields of a table." },
  success: deleted,
  errors: ["Conflict"],
  example: {},
  audits: audits(Tables, "deleteField"),
  run: ({ caller, ids, ifVersion }) =>
    Tables.use((tables) => Effect.asVoid(tables.deleteField(caller, ids.table, ids.field, ifVersion)))
})
