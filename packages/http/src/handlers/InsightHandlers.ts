import * as Effect from "effect/Effect"
import { EnrichmentInsights, type RecurringSeries, Withheld, type WithheldRow } from "@millrace/core/kernel"
import { many } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

/** Without where it was found: nobody outside has a use for it. */
export const seriesToWire = ({ partition: _partition, ...series }: RecurringSeries) => series

const withheldToWire = ({ verdict: { enrichmentId, path, reason, value }, ...row }: WithheldRow) => ({
  ...row,
  verdict: value === "hold" ? ("hold" as const) : ("drop" as const),
  enrichmentId,
  reason,
  path
})

export const layer = serve(
  "insights",
  Effect.map(Effect.all([EnrichmentInsights, Withheld]), ([insights, withheld]) => ({
    listWithheld: ({ caller, ids, query, self }) =>
      Effect.map(withheld.list(caller, ids.feed, query), (page) => many(self, page.rows.map(withheldToWire), page)),
    listBudgetPeriods: ({ caller, ids, query, self }) =>
      Effect.map(insights.periods(caller, ids.enrichment, query), (rows) => many(self, rows)),
    listSeries: ({ caller, ids, self }) =>
      Effect.map(insights.series(caller, ids.enrichment), (rows) => many(self, rows.map(seriesToWire))),
    listLinks: ({ caller, ids, query, self }) =>
      Effect.map(insights.links(caller, ids.enrichment, query), (page) => many(self, page.rows, page))
  }))
)
