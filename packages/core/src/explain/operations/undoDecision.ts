import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Decisions } from "../Decisions.ts"
import { DecisionRecord, decisionToWire } from "./DecisionRecord.ts"
import { decisionExample } from "./Examples.ts"

export const undoDecision = operation({
  noun: "decisions",
  id: "undoDecision",
  post: "/v1/enrichments/:enrichment_id/decisions/:decision_id/undo",
  summary: "Take a decision back",
  description: "Takes a decision back: what follows is as if nobody had decided.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "enrichments decisions undo",
  tool: "undo_decision",
  success: record(DecisionRecord),
  example: { data: decisionExample },
  audits: audits(Decisions, "undo"),
  run: ({ caller, ids }) =>
    Decisions.use((decisions) =>
      Effect.map(decisions.undo(caller, ids.enrichment, ids.decision), (decision) => decisionToWire(decision))
    )
})
