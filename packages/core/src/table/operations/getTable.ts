import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Tables } from "../Tables.ts"
import { tableExample } from "./Examples.ts"
import { TableRecord, shown } from "./TableRecord.ts"

export const getTable = operation({
  noun: "tables",
  id: "getTable",
  get: "/v1/tables/:table_id",
  summary: "Get a table",
  description: "Returns one table with its fields.",
  access: { anyOf: ["tables:read"], role: "viewer", app: "own" },
  repeats: "read",
  versioned: true,
  command: "tables get",
  tool: "get_table",
  success: record(TableRecord),
  example: { data: tableExample },
  run: ({ caller, ids }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const table = yield* tables.get(caller, ids.table)
      return shown(table)
    })
})
