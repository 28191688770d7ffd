import * as Effect from "effect/Effect"
import { type Decision, Decisions } from "@millrace/core/kernel"
import { many, one } from "../api/Envelope.ts"
import { seriesToWire } from "./InsightHandlers.ts"
import { serve } from "./Serve.ts"

const toWire = ({ facts: _facts, ...decision }: Decision) => decision

export const layer = serve(
  "decisions",
  Effect.map(Decisions, (decisions) => ({
    listDecisions: ({ caller, ids, query, self }) =>
      Effect.map(decisions.list(caller, ids.enrichment, query), (page) => many(self, page.rows.map(toWire), page)),
    undoDecision: ({ caller, ids }) =>
      Effect.map(decisions.undo(caller, ids.enrichment, ids.decision), (decision) => one(toWire(decision))),
    updateSeries: ({ caller, ids, payload: { name } }) =>
      Effect.map(decisions.nameSeries(caller, ids.enrichment, ids.series, name), (series) => one(seriesToWire(series))),
    mergeSeries: ({ caller, ids, payload: { seriesId } }) =>
      Effect.map(decisions.mergeSeries(caller, ids.enrichment, ids.series, seriesId), (decision) =>
        one(toWire(decision))
      ),
    splitSeries: ({ caller, ids, payload: { recordId } }) =>
      Effect.map(decisions.splitSeries(caller, ids.enrichment, ids.series, recordId), (decision) =>
        one(toWire(decision))
      ),
    mergeMerchants: ({ caller, ids, payload: { from, into } }) =>
      Effect.map(decisions.mergeMerchants(caller, ids.enrichment, from, into), (decision) => one(toWire(decision)))
  }))
)
