import { limits } from "../../../src/shared/Limits.ts"
import { many, tram, type Trial } from "./Trial.ts"

const rules = (count: number) => ({
  rules: many(count, (n) => ({ conditions: tram, action: { field: "category", value: `C${n}` } }))
})

export const trial: Trial = {
  type: "rule",
  good: [
    { rules: [{ conditions: tram, action: { field: "category", value: "Transport" } }] },
    { rules: [{ conditions: tram, action: { kind: "math", field: "score", source: "amount", op: "abs" } }] },
    { phase: "post", rules: [{ conditions: tram, action: { field: "amount", value: "-60" } }] }
  ],
  limits: [{ at: rules(limits.rulesPerEnrichment), over: rules(limits.rulesPerEnrichment + 1), path: "rules" }],
  refused: [
    [{ rules: [{ conditions: tram, action: { field: "id", value: "x" } }] }, "rules[0].action.field"],
    [{ phase: "late", rules: [{ conditions: tram, action: { field: "category", value: "x" } }] }, "phase"]
  ]
}
