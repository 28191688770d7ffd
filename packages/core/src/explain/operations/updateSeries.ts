import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Decisions } from "../Decisions.ts"
import { Named } from "./DecisionRecord.ts"
import { seriesExample } from "./Examples.ts"
import { SeriesRecord, seriesToWire } from "./InsightRecord.ts"

const UpdateSeries = Schema.Struct({
  name: Schema.NullOr(Named).annotate({ description: "null takes the name away.", expected: "a name, or null" })
}).annotate({ identifier: "UpdateSeries" })

export const updateSeries = operation({
  noun: "decisions",
  id: "updateSeries",
  put: "/v1/enrichments/:enrichment_id/series/:series_id",
  summary: "Name a series of payments",
  description: "Names a series of payments. The name stays with most of its payments, whatever is worked out anew.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "enrichments series update",
  tool: "update_series",
  body: UpdateSeries,
  success: record(SeriesRecord),
  errors: ["Unprocessable"],
  example: { body: { name: "Rent" }, data: { ...seriesExample, name: "Rent" } },
  audits: audits(Decisions, "nameSeries"),
  run: ({ caller, ids, body: { name } }) =>
    Decisions.use((decisions) =>
      Effect.map(decisions.nameSeries(caller, ids.enrichment, ids.series, name), (series) => seriesToWire(series))
    )
})
