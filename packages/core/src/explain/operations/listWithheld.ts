import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { Withheld, type WithheldRow } from "../Withheld.ts"
import { Date } from "./InsightRecord.ts"

const WithheldRecord = Schema.Struct({
  rowId: Schema.String,
  recordId: Schema.String,
  accountId: Id("account"),
  date: Schema.NullOr(Date),
  verdict: Schema.Literals(["hold", "drop"]).annotate({
    description: "hold: it waits until the filter lets it go; drop: it is not delivered."
  }),
  enrichmentId: Schema.NullOr(Schema.String).annotate({ description: "The filter that says so." }),
  reason: Schema.String,
  path: Schema.String.annotate({ description: "The part of the filter's configuration that says so." }),
  fields: Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))).annotate({
    description: "The row as its enrichments leave it; numbers are text."
  }),
  since: Timestamp.Timestamp.annotate({
    description:
      "Neither the record nor an enrichment of the feed has changed since: it is withheld for at least so long."
  }),
  overdue: Schema.Boolean.annotate({ description: `It waits for more than ${limits.holdDays} days.` })
}).annotate({ identifier: "WithheldRow" })

const withheldToWire = ({ verdict: { enrichmentId, path, reason, value }, ...row }: WithheldRow) => ({
  ...row,
  verdict: value === "hold" ? ("hold" as const) : ("drop" as const),
  enrichmentId,
  reason,
  path
})

const withheldExample = {
  rowId: exampleIds.transaction,
  recordId: exampleIds.transaction,
  accountId: exampleIds.account,
  date: "2026-03-02",
  verdict: "hold",
  enrichmentId: exampleIds.enrichment,
  reason: "the hold conditions match",
  path: "hold",
  fields: { description: "BISTRO LUNE", amount: "-42", currency: "EUR", pending: true },
  since: exampleTime,
  overdue: false
}

export const listWithheld = operation({
  noun: "insights",
  id: "listWithheld",
  get: "/v1/feeds/:feed_id/withheld",
  summary:
    "List the rows that filters keep from the destination of a feed: those that wait and those that are dropped, and why",
  description:
    "Lists the rows that filters keep from the destination of a feed, and why: those that wait (`hold`) and those that are not " +
    "delivered (`drop`). Worked out when it is asked for, from all records of the feed: of a large feed a page may have fewer " +
    `rows than asked for and go on. A run warns once a day of rows that wait for more than ${limits.holdDays} days (ROWS_HELD).`,
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "feeds withheld",
  tool: "list_withheld",
  query: { verdict: Schema.optionalKey(Schema.Literals(["hold", "drop"])), ...paging },
  success: list(WithheldRecord),
  example: { data: withheldExample },
  run: ({ caller, ids, query }) =>
    Withheld.use((withheld) =>
      Effect.map(withheld.list(caller, ids.feed, query), (page) => ({ ...page, rows: page.rows.map(withheldToWire) }))
    )
})
