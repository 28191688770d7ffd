import { many, tram, type Trial } from "../Trial.ts"

const shares = (count: number) => ({
  rules: [{ conditions: tram, lines: many(count, (n) => ({ key: `k${n}`, method: "remainder" })) }]
})

export const trial: Trial = {
  type: "split",
  good: [
    { rules: [{ conditions: tram, lines: [{ key: "a", method: "fixed", value: "15", set: { category: "Fare" } }] }] },
    { rules: [{ conditions: tram, lines: [{ key: "a", method: "percent", value: "30" }] }], deliver: "parent" },
    {
      rules: [{ conditions: tram, lines: [{ key: "a", method: "remainder", weight: 2 }] }],
      deliver: "both",
      onOverflow: "skip"
    }
  ],
  limits: [{ at: shares(50), over: shares(51), path: "rules[0].lines" }],
  refused: [
    [
      { rules: [{ conditions: tram, lines: [{ key: "a", method: "percent", value: "101" }] }] },
      "rules[0].lines[0].value"
    ],
    [{ rules: [{ conditions: tram, lines: [{ key: "a", method: "fixed", value: "1" }] }], deliver: "none" }, "deliver"]
  ]
}
