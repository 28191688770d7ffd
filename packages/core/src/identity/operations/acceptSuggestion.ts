import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { SuggestionRecord, refOf, suggested } from "./CorrectionRecord.ts"
import { suggestionExample } from "./Examples.ts"

export const acceptSuggestion = operation({
  noun: "corrections",
  id: "acceptSuggestion",
  post: "/v1/banks/:bank_id/accounts/:account_id/suggestions/:suggestion_id/accept",
  summary: "Join two transactions: the older one goes on with what the younger one says",
  description: "Joins the two transactions: the older one goes on with what the younger one says.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "accounts suggestions accept",
  tool: { absent: "A person decides which transactions are the same." },
  success: record(SuggestionRecord),
  example: {
    data: {
      ...suggestionExample,
      state: "accepted",
      decidedBy: { kind: "api", clientId: exampleIds.key },
      decidedAt: exampleTime
    }
  },
  audits: audits(Corrections, "accept"),
  run: ({ caller, ids }) =>
    Corrections.use((corrections) => Effect.map(corrections.accept(caller, refOf(ids), ids.suggestion), suggested))
})
