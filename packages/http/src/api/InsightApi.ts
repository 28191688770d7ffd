/** What enrichments of sets worked out: periods of budgets, series of payments, links between records (enrichments C8, C10, C12). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { CalendarDate, Currency, Id, limits, Timestamp } from "@millrace/core"
import { Amount } from "../wire/Amount.ts"
import { ofPath, Unprocessable } from "./ApiError.ts"
import { Many } from "./Envelope.ts"
import { Day, paging } from "./Parameters.ts"

const Date = CalendarDate.CalendarDate

const PeriodRecord = Schema.Struct({
  from: Date,
  to: Date.annotate({ description: "The last day." }),
  current: Schema.Boolean,
  currency: Currency.Currency,
  lines: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      name: Schema.String,
      planned: Amount,
      carriedIn: Amount.annotate({ description: "What the period before left over; negative where it was overspent." }),
      spent: Amount,
      left: Amount.annotate({ description: "planned + carriedIn - spent" }),
      carriedOut: Amount,
      unconverted: Schema.Array(
        Schema.Struct({ currency: Schema.String, records: Schema.Int, amount: Amount })
      ).annotate({ description: "What is in no sum: there is no rate to the currency of the budget." })
    })
  )
}).annotate({ identifier: "BudgetPeriod" })

const DayText = Schema.String.annotate({ description: "YYYY-MM-DD" })

export const SeriesRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String).annotate({ description: "As a person named it." }),
  merchant: Schema.String,
  direction: Schema.Literals(["out", "in"]),
  cadence: Schema.String,
  schedule: Schema.String.annotate({
    description: "How its days follow: cadence, anchor and shift to business days, such as monthly/12/none."
  }),
  state: Schema.Literals(["early", "mature", "late", "ended"]),
  first: DayText,
  last: DayText,
  expected: DayText.annotate({ description: "When the next payment is expected: YYYY-MM-DD." }),
  recordIds: Schema.Array(Schema.String).annotate({ description: "Its payments, by day." })
}).annotate({ identifier: "RecurringSeries" })

const linkStates = Schema.Literals(["suggested", "auto", "confirmed", "broken"])

const LinkRecord = Schema.Struct({
  id: Schema.String,
  kind: Schema.String.annotate({ description: "Such as transfer." }),
  state: linkStates.annotate({
    description:
      "suggested: a question to people; auto: made by itself; confirmed: a person said so; broken: a side is gone."
  }),
  members: Schema.Array(Schema.Struct({ recordId: Schema.String, role: Schema.String })),
  evidence: Schema.Json
}).annotate({ identifier: "RecordLink" })

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

const path = "/v1/enrichments/:enrichment_id"
const ofEnrichment = { enrichment_id: Schema.String }

export const InsightApi = HttpApiGroup.make("insights", { topLevel: true }).add(
  HttpApiEndpoint.get("listBudgetPeriods", `${path}/periods`, {
    params: ofEnrichment,
    query: { from: Schema.optionalKey(Day), to: Schema.optionalKey(Day) },
    success: Many(PeriodRecord),
    error: [...ofPath, Unprocessable]
  }),
  HttpApiEndpoint.get("listSeries", `${path}/series`, {
    params: ofEnrichment,
    success: Many(SeriesRecord),
    error: [...ofPath, Unprocessable]
  }),
  HttpApiEndpoint.get("listLinks", `${path}/links`, {
    params: ofEnrichment,
    query: { state: Schema.optionalKey(linkStates), ...paging },
    success: Many(LinkRecord),
    error: [...ofPath, Unprocessable]
  }),
  HttpApiEndpoint.get("listWithheld", "/v1/feeds/:feed_id/withheld", {
    params: { feed_id: Schema.String },
    query: { verdict: Schema.optionalKey(Schema.Literals(["hold", "drop"])), ...paging },
    success: Many(WithheldRecord),
    error: ofPath
  })
)
