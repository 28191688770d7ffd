import { limits } from "../../../../src/shared/Limits.ts"
import { many, type Trial } from "../Trial.ts"

const entries = (count: number) => ({
  source: { kind: "inline", entries: many(count, (n) => ({ match: `m${n}`, set: { category: "Fare" } })) }
})

export const trial: Trial = {
  type: "lookup",
  good: [
    { source: { kind: "inline", entries: [{ match: "tram", set: { category: "Transport", score: 3 } }] } },
    {
      source: { kind: "inline", entries: [{ match: "nothing like it", set: { category: "Other" } }] },
      mode: "contains",
      onMissing: "default",
      defaults: { category: "Unknown" }
    }
  ],
  limits: [{ at: entries(limits.lookupEntries), over: entries(limits.lookupEntries + 1), path: "source.entries" }],
  refused: [
    [{ source: { kind: "inline", entries: [{ match: "  ", set: { category: "x" } }] } }, "source.entries[0].match"],
    [
      { source: { kind: "inline", entries: [{ match: "a", set: { "transfer.kind": "x" } }] } },
      "source.entries[0].set.transfer.kind"
    ],
    [{ source: { kind: "inline", entries: [{ match: "a", set: { amount: "x" } }] } }, "source.entries[0].set.amount"],
    [{ source: { kind: "inline", entries: [{ match: "a", set: {} }] } }, "source.entries[0].set"],
    [
      { source: { kind: "inline", entries: [{ match: "a", set: { category: "x" } }] }, defaults: { category: "y" } },
      "defaults"
    ],
    [
      {
        source: { kind: "inline", entries: [{ match: "a", set: { category: "x" } }] },
        also: [{ field: "accountId", column: "account" }]
      },
      "also"
    ],
    [{ source: { kind: "inline", entries: [{ match: "a", set: { category: "x" } }] }, field: "budget.keys" }, "field"]
  ]
}
