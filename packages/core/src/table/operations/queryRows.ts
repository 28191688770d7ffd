import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { FilterTree, Sort } from "../../operation/Filter.ts"
import { Cursor, Text } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { limits } from "../../shared/Limits.ts"
import { Tables } from "../Tables.ts"
import { exactAt, exactObjectAt } from "./Cells.ts"
import { rowExample } from "./Examples.ts"
import { RowRecord, rowsOf } from "./RowRecord.ts"

const QueryRows = Schema.Struct({
  filter: Schema.optionalKey(FilterTree),
  sort: Schema.optionalKey(
    Schema.Array(Sort).annotate({
      description: `At most ${limits.rowSortFields} fields. Rows without a value come last.`
    })
  ),
  fields: Schema.optionalKey(Schema.Array(Text).annotate({ description: "Keys of the only cells to answer." })),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      default: limits.page.default,
      description: `More than ${limits.page.max} is taken for ${limits.page.max}.`
    })
  ),
  cursor: Schema.optionalKey(
    Cursor.annotate({ description: "meta.cursor of an earlier answer. Beside it only limit and includeTotal count." })
  ),
  params: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: 'Values of {"$param": name} in the filter.' })
  ),
  timezone: Schema.optionalKey(
    Text.annotate({
      description: "IANA name of the zone in which days begin; that of the workspace when absent."
    })
  ),
  includeTotal: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Counts all rows that pass the filter, in meta.total." })
  )
}).annotate({ identifier: "QueryRows" })

export const queryRows = operation({
  noun: "rows",
  id: "queryRows",
  post: "/v1/tables/:table_id/rows/query",
  summary: "Find rows of a table by a filter",
  description: "Finds rows by a filter of any size, in any order, and counts them when asked.",
  access: { anyOf: ["tables:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "rows query",
  tool: "query_rows",
  body: QueryRows,
  bodyOptional: true,
  success: list(RowRecord, {
    meta: {
      total: Schema.optionalKey(
        Schema.Int.annotate({ description: "Rows of the whole query, where it was asked for." })
      )
    }
  }),
  errors: ["Unprocessable"],
  example: {
    body: {
      filter: { field: "amount", op: "lt", value: -10 },
      sort: [{ field: "amount" }],
      limit: 100,
      includeTotal: true
    },
    data: rowExample,
    meta: { total: 1 }
  },
  run: ({ caller, ids, body, exact }) =>
    Effect.gen(function* () {
      const tables = yield* Tables
      const page = yield* tables.queryRows(caller, ids.table, {
        ...body,
        ...(body.filter === undefined ? {} : { filter: exactAt(exact, ["filter"]) }),
        ...(body.params === undefined ? {} : { params: exactObjectAt(exact, ["params"]) })
      })
      const meta = page.total === undefined ? {} : { total: page.total }
      return { ...page, rows: page.rows.map(rowsOf(page.table)), meta }
    })
})
