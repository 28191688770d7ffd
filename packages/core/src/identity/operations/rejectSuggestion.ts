import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { SuggestionRecord, refOf, suggested } from "./CorrectionRecord.ts"
import { suggestionExample } from "./Examples.ts"

export const rejectSuggestion = operation({
  noun: "corrections",
  id: "rejectSuggestion",
  post: "/v1/banks/:bank_id/accounts/:account_id/suggestions/:suggestion_id/reject",
  summary: "Keep two transactions apart for good",
  description: "Keeps the two transactions apart for good.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "accounts suggestions reject",
  tool: { absent: "A person decides which transactions are the same." },
  success: record(SuggestionRecord),
  example: {
    data: {
      ...suggestionExample,
      state: "rejected",
      decidedBy: { kind: "api", clientId: exampleIds.key },
      decidedAt: exampleTime
    }
  },
  audits: audits(Corrections, "reject"),
  run: ({ caller, ids }) =>
    Corrections.use((corrections) => Effect.map(corrections.reject(caller, refOf(ids), ids.suggestion), suggested))
})
