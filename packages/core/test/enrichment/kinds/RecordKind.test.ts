import { NodeDigest } from "@millrace/adapters"
import { bundledKinds } from "../../../src/enrichment/Kinds.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import { limits } from "../../../src/shared/Limits.ts"
import { type RecordKindSuiteOptions, suite } from "@millrace/testing/suite/enrichment"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { RecordKind } from "../../../src/enrichment/kinds/Kind.ts"
import { makeMemory, withPatterns } from "../../../src/enrichment/kinds/memory/memory.ts"
import type { MemoryConfig } from "../../../src/enrichment/kinds/memory/MemoryConfig.ts"
import { acts, idOf, learn } from "./memory/Acts.ts"

const noPatterns = { list: () => Effect.succeed([]), keep: () => Effect.void, idOf, versionOf: () => "" }
const remembering: RecordKind["prepare"] = (config, catalog) =>
  withPatterns(
    makeMemory(noPatterns).prepare(config as MemoryConfig, catalog),
    learn(acts(3, "Transport", { merchantName: "TRAM TOURS" }))
  )

const kinds = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }).filter(
  (kind) => kind.family === "record"
)
const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})
const tram = when("description", "contains", "tram")
const records = [
  { description: "TRAM TOURS", amount: "-61.2", category: "", date: "2026-05-30" },
  { description: "STARBUCKS STORE 00231 SEATTLE WA", amount: "-6.45", category: "", date: "2026-05-29" },
  { description: "Salary", amount: "2100", category: "INCOME", date: "2026-04-01" }
]

const many = <A>(count: number, of: (n: number) => A) => Array.from({ length: count }, (_, n) => of(n))
const rules = (count: number) => ({
  rules: many(count, (n) => ({ conditions: tram, action: { field: "category", value: `C${n}` } }))
})
const entries = (count: number) => ({
  source: { kind: "inline", entries: many(count, (n) => ({ match: `m${n}`, set: { category: "Fare" } })) }
})
const shares = (count: number) => ({
  rules: [{ conditions: tram, lines: many(count, (n) => ({ key: `k${n}`, method: "remainder" })) }]
})
const nested = (depth: number): object => (depth === 1 ? tram : { logic: "or", conditions: [nested(depth - 1)] })

/** What to run each kind with. */
const trials: Readonly<Record<string, Pick<RecordKindSuiteOptions, "good" | "refused" | "limits">>> = {
  rule: {
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
  },
  lookup: {
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
  },
  split: {
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
      [
        { rules: [{ conditions: tram, lines: [{ key: "a", method: "fixed", value: "1" }] }], deliver: "none" },
        "deliver"
      ]
    ]
  },
  dedupe: {
    good: [{}, { exactWindowDays: 5, changedWindowDays: 5, crossSource: "suggest", removeAfterMissing: 0 }],
    refused: [
      [{ exactWindowDays: 5 }, "changedWindowDays"],
      [{ exactWindowDays: 46 }, "exactWindowDays"],
      [{ keyFields: ["merchantName"] }, "keyFields"],
      [{ crossSource: "maybe" }, "crossSource"],
      [{ reviewMargin: -1 }, "reviewMargin"]
    ]
  },
  memory: {
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
  },
  ai_merchant: {
    good: [{}, { fallback: "none", minConfidence: 0.9 }, { when: tram }],
    refused: [
      [{ model: "elsewhere" }, "model"],
      [{ fallback: "guess" }, "fallback"],
      [{ minConfidence: 0.2 }, "minConfidence"],
      [{ maxKeysPerRun: 5_001 }, "maxKeysPerRun"],
      [{ monthlyTokens: -1 }, "monthlyTokens"],
      [{ when: when("amount", "like", "1") }, "when.conditions[0].operator"]
    ]
  },
  ai_categorize: {
    good: [
      {},
      { targetField: "group", abstainBelow: 0.5 },
      {
        categories: [
          { id: "food", label: "Food", seeds: ["FOOD_AND_DRINK"] },
          { id: "trips", label: "Trips and tours", description: "Away from home", seeds: ["TRAVEL", "TRANSPORTATION"] },
          { id: "pay", label: "Pay", seeds: ["INCOME"] }
        ],
        when: when("amount", "gt", "0")
      }
    ],
    refused: [
      [{ model: "default" }, "model"],
      [{ abstainBelow: 1 }, "abstainBelow"],
      [{ categories: [{ id: "a", label: "A" }] }, "categories"],
      [{ categories: ["a", "a"].map((id) => ({ id, label: id })) }, "categories[1].id"],
      [
        {
          categories: ["a", "b"]
            .map((id) => ({ id, label: id, seeds: ["NONE"] }))
            .slice(0, 2)
            .with(1, { id: "b", label: "b", seeds: [] })
        },
        "categories[0].seeds[0]"
      ],
      [{ targetField: "transfer.kind" }, "targetField"],
      [{ targetField: "amount" }, "targetField"],
      [{ monthlyTokens: 0.5 }, "monthlyTokens"]
    ]
  },
  filter: {
    good: [
      { conditions: tram },
      { mode: "keep", conditions: tram },
      { conditions: when("amount", "gt", "0"), hold: tram },
      { conditions: when("date", "gte", "7d") }
    ],
    limits: [
      {
        at: { conditions: nested(limits.conditionDepth) },
        over: { conditions: nested(limits.conditionDepth + 1) },
        path: "conditions"
      }
    ],
    refused: [
      [{ conditions: when("amount", "lt", "zero") }, "conditions.conditions[0].value"],
      [{ conditions: tram, hold: when("amount", "like", "1") }, "hold.conditions[0].operator"],
      [{ conditions: tram, hold: tram }, "hold"],
      [{ mode: "drop" }, "conditions"],
      [{ conditions: tram, mode: "hide" }, "mode"],
      [{ conditions: tram, onFault: "drop" }, "onFault"],
      [{ conditions: tram, onDropAfterDelivery: "hide" }, "onDropAfterDelivery"],
      [{ conditions: tram, reason: "x".repeat(201) }, "reason"]
    ]
  }
}

it("holds every bundled kind to the suite", () => {
  expect(Object.keys(trials).toSorted()).toEqual(kinds.map(({ type }) => type).toSorted())
})

/** What a memory does follows from what it has learnt. */
const learnt = { ...makeMemory(noPatterns), prepare: remembering }

for (const bundled of kinds) {
  const kind = bundled.type === "memory" ? learnt : bundled
  const trial = trials[kind.type]
  if (trial !== undefined) suite(`the kind ${kind.type}`, { ...trial, kind, dataType: "transactions", records })
}
