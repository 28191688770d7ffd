import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { Flag } from "../../operation/Parameters.ts"
import { deleted } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"

export const deleteTable = operation({
  noun: "tables",
  id: "deleteTable",
  delete: "/v1/tables/:table_id",
  summary: "Move a table to the trash for 30 days; permanent=true deletes it from there",
  description: "Moves a table to the trash for 30 days. `permanent=true` deletes for good what is in the trash.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "tables delete",
  tool: "delete_table",
  query: { permanent: Schema.optionalKey(Flag) },
  success: deleted,
  errors: ["Conflict"],
  example: {},
  audits: audits(Tables, "trash"),
  run: ({ caller, ids, query, ifVersion }) =>
    Tables.use((tables) =>
      Effect.asVoid(
        tables.trash(caller, ids.table, {
          permanent: query.permanent ?? false,
          ifVersion: ifVersion
        })
      )
    )
})
