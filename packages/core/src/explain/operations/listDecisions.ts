import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { Decisions } from "../Decisions.ts"
import { DecisionRecord, decisionToWire } from "./DecisionRecord.ts"
import { decisionExample } from "./Examples.ts"

export const listDecisions = operation({
  noun: "decisions",
  id: "listDecisions",
  get: "/v1/enrichments/:enrichment_id/decisions",
  summary: "List what people decided about what an enrichment says, newest first",
  description:
    "Lists what people decided about what an enrichment says and holds, newest first: names, what is one and what is not, " +
    "questions that were answered, and what it has to be silent about.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "enrichments decisions list",
  tool: "list_decisions",
  query: paging,
  success: list(DecisionRecord),
  errors: ["Unprocessable"],
  example: { data: decisionExample },
  run: ({ caller, ids, query }) =>
    Decisions.use((decisions) =>
      Effect.map(decisions.list(caller, ids.enrichment, query), (page) => ({
        ...page,
        rows: page.rows.map(decisionToWire)
      }))
    )
})
