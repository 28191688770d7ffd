import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Decisions } from "../Decisions.ts"
import { DecisionRecord, Named, decisionToWire } from "./DecisionRecord.ts"
import { decisionExample } from "./Examples.ts"

const MergeMerchants = Schema.Struct({
  from: Named.annotate({ description: "What the merchant is called now." }),
  into: Named.annotate({ description: "What it is called from now on; where another merchant is, the two are one." })
}).annotate({ identifier: "MergeMerchants" })

export const mergeMerchants = operation({
  noun: "decisions",
  id: "mergeMerchants",
  post: "/v1/enrichments/:enrichment_id/merchants/merge",
  summary: "Call a merchant otherwise, or say that two are one",
  description:
    "Says what a merchant is called, in an enrichment of type `ai_merchant`. Where another merchant is called so, the two are " +
    "one. Undo it among the decisions: both have their former ids again.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "enrichments merchants merge",
  tool: "merge_merchants",
  body: MergeMerchants,
  success: record(DecisionRecord),
  example: {
    body: { from: "Blue Heron Cafe", into: "Blue Heron" },
    data: {
      ...decisionExample,
      kind: "accept",
      field: "merchant Blue Heron Cafe",
      value: "Blue Heron",
      sentence: 'What is called "Blue Heron Cafe" is "Blue Heron"',
      recordIds: []
    }
  },
  audits: audits(Decisions, "mergeMerchants"),
  run: ({ caller, ids, body: { from, into } }) =>
    Decisions.use((decisions) =>
      Effect.map(decisions.mergeMerchants(caller, ids.enrichment, from, into), (decision) => decisionToWire(decision))
    )
})
