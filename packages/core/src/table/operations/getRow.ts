import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { rowExample } from "./Examples.ts"
import { RowRecord, shown } from "./RowRecord.ts"

export const getRow = operation({
  noun: "rows",
  id: "getRow",
  get: "/v1/tables/:table_id/rows/:row_id",
  summary: "Get a row",
  description: "Returns one row of a table.",
  access: { anyOf: ["tables:read"], role: "viewer", app: "own" },
  repeats: "read",
  versioned: true,
  command: "rows get",
  tool: "get_row",
  success: record(RowRecord),
  example: { data: rowExample },
  run: ({ caller, ids }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const view = yield* tables.getRow(caller, ids.table, ids.row)
      return shown(view)
    })
})
