import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { list } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import { Tables } from "../Tables.ts"
import { exactObjectAt } from "./Cells.ts"
import { CreateRows } from "./RowRecord.ts"

const Outcome = Schema.Struct({
  id: Id("row"),
  status: Schema.Literals(["created", "updated", "unchanged"])
}).annotate({ identifier: "RowOutcome" })

export const createRows = operation({
  noun: "rows",
  id: "createRows",
  post: "/v1/tables/:table_id/rows",
  summary: "Create or upsert rows, all or none",
  description: "Creates rows, or finds them by their key and updates them. All of them, or none.",
  access: { anyOf: ["tables:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "rows create",
  tool: "create_rows",
  body: CreateRows,
  success: list(Outcome, { status: 201 }),
  example: {
    body: { rows: [{ values: { amount: -48.55 } }], mode: "upsert" },
    data: { id: exampleIds.row, status: "created" }
  },
  audits: audits(Tables, "createRows"),
  run: ({ caller, ids, body, exact }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const outcomes = yield* tables.createRows(caller, ids.table, {
        rows: body.rows.map(({ externalKey }, at) => ({
          values: exactObjectAt(exact, ["rows", at, "values"]),
          ...(typeof externalKey === "string" ? { externalKey } : {})
        })),
        mode: body.mode ?? "insert"
      })
      return { rows: outcomes.map(({ id, status }) => ({ id, status })) }
    })
})
