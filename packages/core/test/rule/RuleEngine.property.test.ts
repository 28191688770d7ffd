import { catalogOf } from "../../src/record/FieldCatalog.ts"
import type { FieldValue } from "../../src/record/FieldValue.ts"
import type { ConditionGroup, ConditionNode, Leaf } from "../../src/rule/ConditionGroup.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import type { RuleAction } from "../../src/rule/RuleAction.ts"
import { RuleEngine } from "../../src/rule/RuleEngine.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { interpret, type PlainRule, Seeded } from "@millrace/testing/model"
import { expect, it } from "vitest"
import { Work } from "../../src/shared/Work.ts"

const catalog = new Map([...catalogOf("transactions"), ["score", "num"], ["due", "date"]] as const)

const words = [
  "tram",
  "TRAM",
  "Café",
  "CAFE\u0301",
  "café",
  "Straße",
  "STRASSE",
  "İstanbul",
  "ΣΊΣΥΦΟΣ",
  "σίσυφος",
  "ﬁn",
  "a",
  "A",
  "aa",
  "tramtours",
  "  ",
  "\t",
  "4471",
  "x",
  "store",
  "ſtore",
  "K",
  "\u212A",
  "日本",
  "😀",
  "o\u0301",
  "e",
  "\u0301"
]
const patterns = [
  "tram",
  "(?i)store ?\\d{2,4}",
  "^(tram|café)",
  "\\d+",
  "(?i)straße",
  "[a-z]{2,5}$",
  "(\\d)(\\d)",
  "(?i)caf"
]
const textFields = ["description", "merchantName", "category", "note1"]
const decimals = ["0", "-50", "-50.01", "12.5", "12.50", "+7", "100", "9999999999999.99", "-0.001", "0.1"]
const days = [
  "2024-02-29",
  "2024-02-28",
  "2024-03-01",
  "2023-02-28",
  "2024-12-31",
  "2025-01-01",
  "2024-04-30",
  "2024-05-31"
]
const tokens = ["today", "yesterday", "7d", "30d", "90d", "12m", "mtd", "qtd", "ytd"]
const todays = ["2024-02-29", "2024-03-31", "2024-12-31", "2025-01-01", "2024-05-31"].map(CalendarDate.make)

const makeText = (random: Seeded): string =>
  random.list(0, 5, () => random.pick(words)).join(random.pick([" ", "", "  ", " "]))

const value = (random: Seeded, field: string): FieldValue => {
  if (random.once(8)) return random.pick([null, "", "  "])
  switch (field) {
    case "amount":
      return random.pick(decimals.filter((text) => !/^\+|\.50$/u.test(text)))
    case "score":
      return random.pick([...decimals, "no number", "1e2"])
    case "date":
    case "due":
      return random.once(6) ? random.pick(["2024-02-29T23:59:59.000Z", "soon", "2023-02-29"]) : random.pick(days)
    case "pending":
      return random.pick([true, false, "true", "nonsense"])
    default:
      return makeText(random)
  }
}

const fields = [...textFields, "amount", "score", "date", "due", "pending"]

const record = (random: Seeded): Record<string, FieldValue> => {
  const made: Record<string, FieldValue> = {}
  for (const field of fields) if (!random.once(10)) made[field] = value(random, field)
  return made
}

const needle = (random: Seeded): string => {
  const text = makeText(random)
  return text === "" ? "tram" : text
}

const leaf = (random: Seeded): Leaf => {
  const field = random.pick([...textFields, ...textFields, "amount", "score", "date", "due", "pending"])
  if (random.once(10)) return { field, operator: random.pick(["isEmpty", "isNotEmpty"] as const) }
  switch (field) {
    case "amount":
    case "score": {
      const operator = random.pick([
        "equals",
        "notEquals",
        "gt",
        "gte",
        "lt",
        "lte",
        "in",
        "notIn",
        "between",
        "contains"
      ] as const)
      if (operator === "between") {
        const ends = [random.pick(decimals), random.pick(decimals)].toSorted((a, b) => Number(a) - Number(b))
        return { field, operator, value: random.pick([`${ends[0]}..${ends[1]}`, `${ends[0]}..`, `..${ends[1]}`]) }
      }
      if (operator === "in" || operator === "notIn")
        return { field, operator, value: random.list(1, 4, () => random.pick(decimals)).join(", ") }
      return { field, operator, value: random.pick(decimals) }
    }
    case "date":
    case "due": {
      const operator = random.pick([
        "equals",
        "notEquals",
        "gt",
        "gte",
        "lt",
        "lte",
        "between",
        "in",
        "hasPassed",
        "notPassed"
      ] as const)
      if (operator === "hasPassed" || operator === "notPassed") return { field, operator }
      if (operator === "between") {
        const ends = [random.pick(days), random.pick(days)].toSorted()
        return { field, operator, value: `${ends[0]}..${random.once(4) ? "" : ends[1]}` }
      }
      return { field, operator, value: random.pick([...days, ...tokens]) }
    }
    case "pending":
      return {
        field,
        operator: random.pick(["equals", "notEquals", "in"] as const),
        value: random.pick(["true", "False"])
      }
    default: {
      const operator = random.pick([
        "equals",
        "notEquals",
        "contains",
        "contains",
        "contains",
        "notContains",
        "startsWith",
        "endsWith",
        "in",
        "notIn",
        "matches",
        "notMatches"
      ] as const)
      if (operator === "matches" || operator === "notMatches") return { field, operator, value: random.pick(patterns) }
      if (operator === "in" || operator === "notIn")
        return {
          field,
          operator,
          value: random.list(1, 4, () => `${random.pick(words).trim()}x`).join(",") + ",tram,a\\,b"
        }
      return { field, operator, value: needle(random) }
    }
  }
}

const group = (random: Seeded, depth: number): ConditionGroup => ({
  logic: random.pick(["and", "or"] as const),
  conditions: random.list(1, 3, (): ConditionNode =>
    depth > 0 && random.once(4) ? group(random, depth - 1) : leaf(random)
  )
})

const action = (random: Seeded): RuleAction => {
  switch (random.below(8)) {
    case 0:
      return {
        kind: "template",
        field: random.pick(textFields),
        template: random.pick([
          "{{category}} {{ description }}",
          "\\{{x}} {{amount",
          "{{amount}}",
          "{{missing}}",
          "a{{date}}b"
        ])
      }
    case 1:
      return {
        kind: "regexExtract",
        field: random.pick([...textFields, "score"]),
        source: random.pick(textFields),
        pattern: random.pick(patterns),
        group: 0
      }
    case 2:
      return {
        kind: "case",
        field: random.pick(textFields),
        mode: random.pick(["upper", "lower"] as const),
        source: random.pick(textFields)
      }
    case 3:
      return {
        kind: "math",
        field: random.pick(["amount", "score"]),
        op: random.pick(["abs", "negate", "round2"] as const),
        source: random.pick(["amount", "score"])
      }
    case 4:
      return { field: "due", value: random.pick(days) }
    case 5:
      return { field: "amount", value: random.pick(decimals) }
    default:
      return { field: random.pick(textFields), value: random.pick([...words, ""]) }
  }
}

const long = process.env["MILLRACE_LONG"] === "1"
const ruleSets = long ? 40_000 : 200
const recordsPerSet = long ? 25 : 50

it(
  `makes exactly the claims of the plain interpreter on ${ruleSets * recordsPerSet} random pairs of rules and record`,
  { timeout: 3_600_000 },
  () => {
    const random = new Seeded(20_261)
    let claimed = 0
    for (let set = 0; set < ruleSets; set++) {
      const rules: ReadonlyArray<PlainRule> = random
        .list(1, 7, () => ({ conditions: group(random, 2), actions: random.list(1, 2, () => action(random)) }))
        .map((rule, index) => ({ ...rule, id: `r${index}` }))
      const mode = random.once(4) ? "first" : "all"
      const engine = new RuleEngine(rules, mode, catalog, provenPatterns)
      const today = random.pick(todays)
      for (let row = 0; row < recordsPerSet; row++) {
        const fieldsOfRow = record(random)
        const { claims } = engine.run(fieldsOfRow, { today, work: new Work() })
        const expected = interpret(rules, mode, fieldsOfRow, catalog, today)
        claimed += claims.length
        // A deep comparison of each pair would take longer than everything else together.
        if (JSON.stringify(claims) !== JSON.stringify(expected))
          expect({ rules, fieldsOfRow, today, claims }).toEqual({ rules, fieldsOfRow, today, claims: expected })
      }
    }
    expect(claimed).toBeGreaterThan(ruleSets * recordsPerSet)
  }
)
