import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Decisions } from "../Decisions.ts"
import { DecisionRecord, RecordOf, decisionToWire } from "./DecisionRecord.ts"
import { decisionExample } from "./Examples.ts"

const SplitSeries = Schema.Struct({
  recordId: RecordOf.annotate({ description: "The payment with which the second series begins." })
}).annotate({ identifier: "SplitSeries" })

export const splitSeries = operation({
  noun: "decisions",
  id: "splitSeries",
  post: "/v1/enrichments/:enrichment_id/series/:series_id/split",
  summary: "Begin a series of its own with one of its payments",
  description: "Begins a series of its own with one of the payments of a series. Undo it among the decisions.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "enrichments series split",
  tool: "split_series",
  body: SplitSeries,
  success: record(DecisionRecord),
  example: {
    body: { recordId: exampleIds.transaction },
    data: { ...decisionExample, kind: "forbid", sentence: "Two records do not belong together" }
  },
  audits: audits(Decisions, "splitSeries"),
  run: ({ caller, ids, body: { recordId } }) =>
    Decisions.use((decisions) =>
      Effect.map(decisions.splitSeries(caller, ids.enrichment, ids.series, recordId), (decision) =>
        decisionToWire(decision)
      )
    )
})
