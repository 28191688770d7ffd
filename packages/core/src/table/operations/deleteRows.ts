import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { deleted } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { bulk } from "./RowRecord.ts"

const DeleteRows = Schema.Struct({ ids: Schema.Array(Schema.String).check(...bulk) }).annotate({
  identifier: "DeleteRows"
})

export const deleteRows = operation({
  noun: "rows",
  id: "deleteRows",
  post: "/v1/tables/:table_id/rows/delete",
  summary: "Move rows to the trash, all or none",
  description: "Moves rows to the trash. All of them, or none.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "rows delete",
  tool: "delete_rows",
  hints: { destructiveHint: true, idempotentHint: true },
  body: DeleteRows,
  success: deleted,
  example: { body: { ids: [exampleIds.row] } },
  audits: audits(Tables, "deleteRows"),
  run: ({ caller, ids, body }) => Tables.use((tables) => Effect.asVoid(tables.deleteRows(caller, ids.table, body.ids)))
})
