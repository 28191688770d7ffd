import { decode } from "../../../src/shared/StrictDecoding.ts"
import { makeRule, RuleConfig } from "../../../src/enrichment/kinds/rule.ts"
import type { FilterPlan } from "../../../src/filter/FilterPlan.ts"
import { catalogOf } from "../../../src/record/FieldCatalog.ts"
import { formulaOf, Implication } from "../../../src/rule/lint/Implication.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

type Asked = readonly [field: string, operator: string, value?: string | number]
const ask = ([field, operator, value]: Asked) => ({ field, operator, ...(value === undefined ? {} : { value }) })
const when = (...asked: ReadonlyArray<Asked>) => ({ logic: "and", conditions: asked.map(ask) })
const whenAny = (...asked: ReadonlyArray<Asked>) => ({ logic: "or", conditions: asked.map(ask) })
const category = (value: string) => ({ action: { field: "category", value } })

const check = (rules: ReadonlyArray<object>, mode = "all") => {
  const config = Result.getOrThrow(decode(RuleConfig, { mode, rules }))
  return makeRule({ patterns: provenPatterns }).check(config, catalogOf("transactions"))
}
const lintsOf = (rules: ReadonlyArray<object>, mode?: string) =>
  check(rules, mode).lints.map(({ field, message }) => `${field} ${message}`)

const small = { conditions: when(["amount", "between", "-5..0"]), ...category("Small") }
const spent = { conditions: when(["amount", "lte", 0]), ...category("Spent") }
const tram = { conditions: when(["description", "contains", "tram"]), ...category("Transport") }

describe("a rule that leaves nothing", () => {
  it("is pointed at, with the rules that set its fields again", () => {
    expect(lintsOf([small, spent])).toEqual([
      "rules[0] has no effect: rules[1] sets category again on every record that matches here"
    ])
    const both = { ...small, action: undefined, actions: [small.action, { field: "type", value: "x" }] }
    const type = { ...spent, action: { field: "type", value: "y" } }
    expect(lintsOf([both, spent, type].map((rule) => JSON.parse(JSON.stringify(rule)) as object))).toEqual([
      "rules[0] has no effect: rules[1] and rules[2] set category and type again on every record that matches here"
    ])
  })

  it("is one with the same undecidable test", () => {
    expect(lintsOf([tram, { ...tram, ...category("Travel") }])).toHaveLength(1)
    expect(lintsOf([tram, { ...tram, conditions: when(["description", "contains", "bus"]) }])).toEqual([])
  })

  it("is none if something reads its value first, or the later rule is disabled", () => {
    const copy = {
      conditions: tram.conditions,
      action: { kind: "case", field: "type", mode: "upper", source: "category" }
    }
    expect(lintsOf([tram, copy, tram])).toEqual([])
    expect(lintsOf([tram, { ...tram, enabled: false }])).toEqual([])
  })

  it("is none if a rule before the later one changes what that one reads", () => {
    const positive = { conditions: when(["type", "equals", "x"]), action: { field: "amount", value: 9 } }
    expect(lintsOf([small, positive, spent]).filter((lint) => lint.includes("no effect"))).toEqual([])
  })
})

/** How much is said of a rule behind which another does this. */
const followedBy = (action: object): number =>
  lintsOf([
    { conditions: small.conditions, action: { field: "note", value: "x" } },
    { ...spent, action }
  ]).length

describe("a write that is always overwritten", () => {
  const actions = [
    { field: "category", value: "a" },
    { field: "type", value: "b" }
  ]
  it("is pointed at where other writes of its rule stay", () => {
    expect(lintsOf([{ conditions: small.conditions, actions }, spent])).toEqual([
      "rules[0].actions[0] is always overwritten: rules[1] sets category again on every record that matches here"
    ])
  })

  it("may be so by its own rule", () => {
    expect(lintsOf([{ conditions: small.conditions, actions: [...actions, actions[0]] }], "first")).toEqual([
      "rules[0].actions[0] is always overwritten: actions[2] of the same rule sets category again"
    ])
  })

  it("is so by actions that set a value only: every other one may find nothing to write", () => {
    expect(followedBy({ field: "note", value: "y" })).toBe(1)
    expect(followedBy({ kind: "math", field: "note", op: "abs", source: "amount" })).toBe(0)
    expect(followedBy({ kind: "template", field: "note", template: "{{merchantName}} ." })).toBe(0)
    expect(followedBy({ kind: "case", field: "note", mode: "upper", source: "merchantName" })).toBe(0)
    expect(followedBy({ kind: "regexExtract", field: "note", source: "description", pattern: "(.)" })).toBe(0)
  })
})

it("is silent about rules that overlap: the order of a list is there to decide between them", () => {
  const debit = { conditions: when(["amount", "lt", -3]), ...category("Debit") }
  expect(lintsOf([small, debit])).toEqual([])
})

it("points at conditions on a field that a later rule changes", () => {
  const travel = { conditions: when(["category", "equals", "Transport"]), action: { field: "type", value: "x" } }
  expect(lintsOf([travel, tram])).toEqual([
    "rules[0].conditions.conditions[0] sees category as it is before rules[1] changes it"
  ])
  expect(lintsOf([tram, travel])).toEqual([])
  expect(lintsOf([travel, tram], "first")).toEqual([])
  const credit = { conditions: when(["creditAmount", "gt", 0]), action: { field: "type", value: "x" } }
  const amount = { conditions: when(["type", "equals", "y"]), action: { field: "amount", value: 1 } }
  expect(lintsOf([credit, amount])).toContain(
    "rules[0].conditions.conditions[0] sees creditAmount as it is before rules[1] changes it"
  )
})

it("points at conditions on names that can change", () => {
  const named = {
    ...tram,
    conditions: when(["accountName", "equals", "a"], ["bank", "isEmpty"], ["accountId", "eq", "x"])
  }
  expect(lintsOf([named])).toEqual([
    'rules[0].conditions.conditions[0].field "accountName" is a name that can change: "accountId" stays',
    'rules[0].conditions.conditions[1].field "bank" is a name that can change: "bankId" stays'
  ])
})

it("points at rules that never run behind one that matches everything they match", () => {
  expect(lintsOf([spent, small], "first")).toEqual([
    "rules[1] never runs: rules[0] comes first and matches everything that this rule matches"
  ])
  expect(lintsOf([small, spent], "first")).toEqual([])
  const trip = { ...tram, conditions: when(["description", "contains", "tram"], ["amount", "lt", 0]) }
  expect(lintsOf([tram, trip, tram], "first")).toEqual([
    "rules[1] never runs: rules[0] comes first and matches everything that this rule matches",
    "rules[2] never runs: rules[0] has the same conditions and comes first"
  ])
})

it("says of custom fields only what is so for values that cannot be read, too", () => {
  const score = { conditions: when(["type", "equals", "x"]), action: { field: "score", value: 1 } }
  const any = whenAny(["score", "gte", 0], ["score", "lt", 0], ["score", "isEmpty"])
  expect(lintsOf([score, { ...tram, conditions: any }])).toEqual([])
  const mixed = when(["colour", "gte", 5], ["colour", "lte", 5], ["colour", "notEquals", "5"])
  expect(lintsOf([{ ...tram, conditions: mixed }]).filter((lint) => !lint.includes("unknown field"))).toEqual([])
})

const hard = (shift: number) => ({
  logic: "and",
  conditions: Array.from({ length: 60 }, (_, at) =>
    whenAny(
      ...[0, 1, 2].map((part): Asked => [
        `f${(at * 7 + part * 11 + shift) % 29}`,
        part === 1 ? "notEquals" : "equals",
        `${part}`
      ])
    )
  )
})

it("sees that long conditions are the same in another order", () => {
  const rules = Array.from({ length: 3 }, (_, at) => ({ conditions: hard(at), ...category(`c${at}`) }))
  const { errors, lints } = check(rules)
  expect(errors).toEqual([])
  expect(lints.filter(({ message }) => message.startsWith("has no effect")).map(({ field }) => field)).toEqual([
    "rules[0]",
    "rules[1]"
  ])
})

it("is silent about conditions once its steps are used up", () => {
  const plan: FilterPlan = { tag: "or", parts: ["a", "b"].map((field) => ({ tag: "empty", field, blank: true })) }
  const formula = formulaOf(plan)
  expect(new Implication().implies(formula, formula)).toBe(true)
  expect(new Implication(2).implies(formula, formula)).toBe(false)
})

const changed = (rules: ReadonlyArray<object>) => lintsOf(rules).filter((lint) => lint.includes("changed its case"))

describe("a pattern that tells capital letters from small ones", () => {
  const tidy = { conditions: when(["amount", "lt", 0]), action: { kind: "case", field: "description", mode: "title" } }
  const invoice = (pattern: string) => ({ conditions: when(["description", "matches", pattern]), ...category("Books") })
  const extract = (pattern: string) => ({
    conditions: when(["amount", "gt", 0]),
    action: { kind: "regexExtract", field: "reference", source: "description", pattern }
  })

  it("is pointed at behind a rule that changes the case of what it reads, in a condition and in an action", () => {
    const message = "sees description after rules[0] has changed its case: begin the pattern with (?i)"
    expect(changed([tidy, invoice("INV-[0-9]+")])).toEqual([`rules[1].conditions.conditions[0] ${message}`])
    expect(changed([tidy, extract("(INV-[0-9]+)")])).toEqual([`rules[1].actions[0] ${message}`])
  })

  it("is well before that rule, where it folds case, and where it has no letter", () => {
    expect(changed([invoice("INV-[0-9]+"), tidy])).toEqual([])
    expect(changed([tidy, invoice("(?i)INV-[0-9]+"), extract("\\b([0-9]+)")])).toEqual([])
  })
})
