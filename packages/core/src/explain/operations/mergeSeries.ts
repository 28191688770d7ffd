import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Decisions } from "../Decisions.ts"
import { DecisionRecord, RecordOf, decisionToWire } from "./DecisionRecord.ts"
import { decisionExample } from "./Examples.ts"

const MergeSeries = Schema.Struct({ seriesId: RecordOf }).annotate({ identifier: "MergeSeries" })

const otherSeriesExample = "ser_9bq2m0c4s8f6t1v3x5z7a9d2e4"

export const mergeSeries = operation({
  noun: "decisions",
  id: "mergeSeries",
  post: "/v1/enrichments/:enrichment_id/series/:series_id/merge",
  summary: "Say that two series of payments are one",
  description: "Says that two series of payments are one, of one merchant or of two. Undo it among the decisions.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "enrichments series merge",
  tool: "merge_series",
  body: MergeSeries,
  success: record(DecisionRecord),
  example: {
    body: { seriesId: otherSeriesExample },
    data: { ...decisionExample, kind: "confirm", sentence: "Two records belong together" }
  },
  audits: audits(Decisions, "mergeSeries"),
  run: ({ caller, ids, body: { seriesId } }) =>
    Decisions.use((decisions) =>
      Effect.map(decisions.mergeSeries(caller, ids.enrichment, ids.series, seriesId), (decision) =>
        decisionToWire(decision)
      )
    )
})
