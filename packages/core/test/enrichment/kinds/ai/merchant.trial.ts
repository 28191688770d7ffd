import { tram, when, type Trial } from "../Trial.ts"

export const trial: Trial = {
  type: "ai_merchant",
  good: [{}, { fallback: "none", minConfidence: 0.9 }, { when: tram }],
  refused: [
    [{ model: "elsewhere" }, "model"],
    [{ fallback: "guess" }, "fallback"],
    [{ minConfidence: 0.2 }, "minConfidence"],
    [{ maxKeysPerRun: 5_001 }, "maxKeysPerRun"],
    [{ monthlyTokens: -1 }, "monthlyTokens"],
    [{ when: when("amount", "like", "1") }, "when.conditions[0].operator"]
  ]
}
