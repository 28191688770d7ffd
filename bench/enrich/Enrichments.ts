/** One enrichment of each kind that looks at records alone, as people have them, with many rules. */
import { bundledKinds, type Enrichment, kindsOf, Pipeline } from "@millrace/core/enrichment"
import { NodeDigest } from "@millrace/adapters"
import { provenPatterns } from "@millrace/core/pattern"
import { Timestamp } from "@millrace/core"
import { merchant } from "../merchants.ts"
import { ruleOf } from "../rules/ours.ts"
import { textRules } from "../rules/TextRule.ts"
import type { Configured } from "../sync/Installation.ts"

const at = Timestamp.make("2026-03-14T00:00:00.000Z")

const enrichmentOf = (type: string, config: object, order: number): Enrichment => ({
  id: `enr_${String(order).padStart(26, "0")}` as Enrichment["id"],
  workspaceId: "ws_00000000000000000000000001" as Enrichment["workspaceId"],
  name: type,
  type,
  enabled: true,
  order,
  dataType: "transactions",
  feedIds: [],
  allFeeds: true,
  config: config as Enrichment["config"],
  createdBy: "usr_00000000000000000000000001",
  createdAt: at,
  updatedAt: at,
  version: 1,
  revision: 1
})

const when = (field: string, operator: string, value: string | number) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})

/** Texts that are tidied before anything looks at them. */
const tidying = {
  phase: "pre",
  rules: ["POS", "CARD 4821", "DEBIT"].map((word) => ({
    conditions: when("description", "startsWith", word),
    action: { field: "channel", value: "card" }
  }))
}

/** Account codes of merchants. */
const codes = (count: number) => ({
  source: {
    kind: "inline",
    entries: Array.from({ length: count }, (_, n) => ({
      match: merchant(n).toLowerCase(),
      set: { ledgerCode: `${4_000 + n}` }
    }))
  },
  field: "merchantName"
})

const halves = {
  rules: [
    {
      id: "shared",
      conditions: when("description", "contains", "NEW YORK"),
      lines: [
        { key: "mine", method: "percent", value: "60" },
        { key: "yours", method: "remainder", set: { category: "Shared" } }
      ]
    }
  ]
}

const late = {
  phase: "post",
  rules: [{ conditions: when("pending", "equals", "true"), action: { field: "notes", value: "Pending" } }]
}
const hidden = { conditions: when("amount", "gt", -1), hold: when("description", "contains", "PAYPAL") }

/** What is written in statements that a first sync reads (`generate`): a third of their rows. */
const written = ["migros", "shell oil", "netflix", "salary", "atm withdrawal"]

const occurring = written.map((text, n) => ({
  id: `written ${n}`,
  conditions: when("description", "contains", text),
  action: { field: "category", value: `Category ${n}` }
}))

/** In the order of their stages. `rules`: of the main phase. */
const configurations = (
  rules: number,
  more: ReadonlyArray<object> = []
): ReadonlyArray<readonly [type: string, config: object]> => {
  const main = {
    rules: [
      ...more,
      ...textRules(rules).map((rule, n) => {
        const { actions, ...rest } = ruleOf(rule, n)
        return { ...rest, action: actions[0]! }
      })
    ],
    mode: "all"
  }
  return [
    ["rule", tidying],
    ["lookup", codes(1_000)],
    ["rule", main],
    ["split", halves],
    ["rule", late],
    ["filter", hidden]
  ]
}

/** The same as people send them, with the kinds that may ask a model and ask none here, and the memory. Some rules match. */
export const everyRecordKind = (rules: number): ReadonlyArray<Configured> => [
  ...configurations(rules - occurring.length, occurring).map(([type, config]): Configured => [
    type,
    JSON.parse(JSON.stringify(config))
  ]),
  ["ai_merchant", {}],
  ["memory", {}],
  ["ai_categorize", {}]
]

const budgets = {
  period: { unit: "month", anchor: "1970-01-01" },
  lines: ["Groceries", "Restaurants", "Travel"].map((name) => ({
    key: name.toLowerCase(),
    name,
    match: when("category", "equals", name),
    amount: "400"
  }))
}
const spending = {
  checks: [
    {
      key: "spending",
      kind: "aggregate",
      conditions: when("amount", "lt", 0),
      measure: "sum",
      windowDays: 30,
      op: "lt",
      threshold: "-5000"
    }
  ]
}
const large = {
  conditions: when("amount", "lt", -2_000),
  destinations: [{ type: "email", recipients: ["owner@example.com"] }]
}

/** Rules, and what is the same record or the same money: what `performance.md` section 11 calls the whole way. */
export const rulesAndMatches = (rules: number): ReadonlyArray<Configured> => [
  ...everyRecordKind(rules).filter(([type], place) => type === "rule" && place === 2),
  ["dedupe", {}],
  ["transfer_match", {}]
]

/** All sixteen. */
export const everyKind = (rules: number): ReadonlyArray<Configured> => [
  ...everyRecordKind(rules),
  ["dedupe", {}],
  ["transfer_match", {}],
  ["fees", {}],
  ["recurring", {}],
  ["anomaly", {}],
  ["budget", budgets],
  ["monitor", spending],
  ["alert", large],
  ["digest", {}]
]

export const recordPipeline = (rules: number): Pipeline.CompiledPipeline => {
  const pipeline = Pipeline.compile(
    configurations(rules).map(([type, config], order) => enrichmentOf(type, config, order)),
    "transactions",
    kindsOf(bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }))
  )
  const [fault] = pipeline.faults
  if (fault !== undefined) throw new Error(fault.message.slice(0, 500))
  return pipeline
}

/** Rules alone, of the same number. */
export const rulesAlone = (rules: number): Pipeline.CompiledPipeline => {
  const whole = recordPipeline(rules)
  return { ...whole, steps: whole.steps.filter((_, n) => n === 2), makesLines: false }
}
