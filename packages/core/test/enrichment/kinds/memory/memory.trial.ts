import type { Trial } from "../Trial.ts"

export const trial: Trial = {
  type: "memory",
  good: [{}, { activation: "confirm", confidence: 0.75, learnFields: ["category", "client"] }],
  refused: [
    [{ patternField: "category" }, "learnFields[0]"],
    [{ patternField: "ai.confidence" }, "patternField"],
    [{ learnFields: ["amount"] }, "learnFields[0]"],
    [{ learnFields: ["category", "accountId"] }, "learnFields[1]"],
    [{ learnFields: ["transfer.kind"] }, "learnFields[0]"],
    [{ learnFields: ["category", "category"] }, "learnFields[1]"],
    [{ learnFields: [] }, "learnFields"],
    [{ confidence: 0.615 }, "confidence"],
    [{ confidence: "0.99" }, "confidence"],
    [{ backtestPrecision: 0.5 }, "backtestPrecision"],
    [{ minSupport: 1 }, "minSupport"],
    [{ activation: "never" }, "activation"]
  ]
}
