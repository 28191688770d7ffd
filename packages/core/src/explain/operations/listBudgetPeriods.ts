import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Amount } from "../../operation/Amount.ts"
import { operation } from "../../operation/Definition.ts"
import { daysFrom } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import * as Currency from "../../shared/Currency.ts"
import { EnrichmentInsights } from "../EnrichmentInsights.ts"
import { Date } from "./InsightRecord.ts"

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

const periodExample = {
  from: "2026-03-01",
  to: "2026-03-31",
  current: true,
  currency: "EUR",
  lines: [
    {
      key: "food",
      name: "Food",
      planned: 400,
      carriedIn: 49.75,
      spent: 350.25,
      left: 99.5,
      carriedOut: 99.5,
      unconverted: []
    }
  ]
}

export const listBudgetPeriods = operation({
  noun: "insights",
  id: "listBudgetPeriods",
  get: "/v1/enrichments/:enrichment_id/periods",
  summary: "List the periods of a budget, newest first: planned, carried over, spent and left of each line",
  description:
    "Lists the periods of an enrichment of type `budget`, newest first: what was planned for each line, carried over, spent and " +
    "is left, exactly. Periods that are over keep the amounts that were in force on their last day.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "enrichments periods",
  tool: "list_budget_periods",
  query: daysFrom(),
  success: list(PeriodRecord),
  errors: ["Unprocessable"],
  example: { data: periodExample },
  run: ({ caller, ids, query }) =>
    EnrichmentInsights.use((insights) =>
      Effect.map(insights.periods(caller, ids.enrichment, query), (rows) => ({ rows: rows }))
    )
})
