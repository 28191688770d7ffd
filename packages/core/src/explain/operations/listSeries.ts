import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { list } from "../../operation/Success.ts"
import { EnrichmentInsights } from "../EnrichmentInsights.ts"
import { seriesExample } from "./Examples.ts"
import { SeriesRecord, seriesToWire } from "./InsightRecord.ts"

export const listSeries = operation({
  noun: "insights",
  id: "listSeries",
  get: "/v1/enrichments/:enrichment_id/series",
  summary: "List the series of payments that an enrichment found",
  description:
    "Lists the series of payments that an enrichment of type `recurring` found, by name, with those that are over.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "enrichments series list",
  tool: "list_series",
  success: list(SeriesRecord),
  errors: ["Unprocessable"],
  example: { data: seriesExample },
  run: ({ caller, ids }) =>
    EnrichmentInsights.use((insights) =>
      Effect.map(insights.series(caller, ids.enrichment), (rows) => ({ rows: rows.map(seriesToWire) }))
    )
})
