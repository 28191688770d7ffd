import { Cells } from "../../../src/filter/Cells.ts"
import { predicate } from "../../../src/filter/Closures.ts"
import { catalogOf } from "../../../src/record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../../../src/record/FieldValue.ts"
import { conditionOf } from "../../../src/rule/Condition.ts"
import { leavesOf, type ConditionGroup, type ConditionNode, type Leaf } from "../../../src/rule/ConditionGroup.ts"
import { constant } from "../../../src/rule/lint/ConditionCheck.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import type { RuleAction } from "../../../src/rule/RuleAction.ts"
import { RuleEngine } from "../../../src/rule/RuleEngine.ts"
import { ruleLints } from "../../../src/rule/lint/RuleLint.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { Seeded } from "@millrace/testing/model"
import { expect, it } from "vitest"
import { Work } from "../../../src/shared/Work.ts"

const catalog = new Map([...catalogOf("transactions"), ["score", "num"], ["memo", "str"]] as const)
const today = CalendarDate.make("2024-01-02")

/** All values that the tests of a field tell apart, and what it is compared with. */
const domains: Readonly<Record<string, { values: ReadonlyArray<FieldValue>; compared: ReadonlyArray<string> }>> = {
  category: { values: [null, "a", " B", "other"], compared: ["a", "b"] },
  type: { values: ["", "a", "A b", "b a"], compared: ["a"] },
  amount: { values: [null, "-1", "0", "0.5", "1", "2"], compared: ["0", "1"] },
  score: { values: [null, "unreadable", "-1", "0", "1"], compared: ["0"] },
  date: {
    values: [null, "2023-12-31", "2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"],
    compared: ["2024-01-01", "2024-01-03"]
  },
  pending: { values: [null, true, false], compared: ["true", "false"] },
  colour: { values: [null, "4", "5", "5.0", "6", "2023-12-31", "2024-01-01", "2024-01-02", "a"], compared: ["5"] }
}

const leaf = (random: Seeded, field: string, isWild: boolean): Leaf => {
  const { compared } = domains[field]!
  const value = random.pick(compared)
  if (random.once(7)) return { field, operator: random.pick(["isEmpty", "isNotEmpty"] as const) }
  const orders = ["gt", "gte", "lt", "lte"] as const
  if (isWild && random.once(2))
    switch (field) {
      case "category":
      case "type":
        return {
          field,
          operator: random.pick([
            "contains",
            "notContains",
            "startsWith",
            "endsWith",
            "matches",
            "notMatches"
          ] as const),
          value: random.pick(["a", "b"])
        }
      case "date":
        return random.once(2)
          ? { field, operator: random.pick(["hasPassed", "notPassed"] as const) }
          : { field, operator: random.pick(["equals", "notEquals", ...orders] as const), value: "today" }
      case "amount":
      case "score":
        return { field, operator: random.pick(["contains", "notContains"] as const), value: "1" }
      case "colour":
        return { field, operator: random.pick(orders), value: random.pick(["5", "2024-01-01"]) }
      default:
    }
  if (random.once(4))
    return {
      field,
      operator: random.pick(["in", "notIn"] as const),
      value: random.list(1, 2, () => random.pick(compared)).join()
    }
  if (["amount", "score", "date"].includes(field) && random.once(2)) {
    if (random.once(3)) return { field, operator: "between", value: `${compared[0]}..${compared.at(-1)}` }
    return { field, operator: random.pick(orders), value }
  }
  return { field, operator: random.pick(["equals", "notEquals"] as const), value }
}

const group = (random: Seeded, axes: ReadonlyArray<string>, isWild: boolean, depth = 1): ConditionGroup => ({
  logic: random.pick(["and", "or"] as const),
  conditions: random.list(1, 3, (): ConditionNode =>
    depth > 0 && random.once(4) ? group(random, axes, isWild, depth - 1) : leaf(random, random.pick(axes), isWild)
  )
})

const set = (random: Seeded): RuleAction => {
  const field = random.pick(["memo", "memo", "memo", "category", "type", "amount", "score"])
  const value = random.pick(domains[field]?.compared ?? ["x", "y"])
  return { field, value: field === "memo" && random.once(5) ? "" : value }
}

const action = (random: Seeded, isWild: boolean): RuleAction => {
  const field = random.pick(["memo", "memo", "type"])
  const source = random.pick(["memo", "category", "type"])
  switch (random.below(isWild ? 8 : 16)) {
    case 0:
      return { kind: "template", field, template: random.pick(["b {{category}}", "{{memo}}", "{{type}}"]) }
    case 1:
      return { kind: "case", field, mode: "lower", source }
    case 2:
      return { kind: "regexExtract", field, source, pattern: "a", group: 0 }
    case 3:
      return { kind: "math", field: "memo", op: "abs", source: random.pick(["amount", "score"]) }
    default:
      return set(random)
  }
}

interface Listed {
  readonly enabled: boolean
  readonly conditions: ConditionGroup
  readonly actions: ReadonlyArray<RuleAction>
}

const product = (axes: ReadonlyArray<string>): ReadonlyArray<Record<string, FieldValue>> =>
  axes.reduce<ReadonlyArray<Record<string, FieldValue>>>(
    (records, field) =>
      records.flatMap((record) => domains[field]!.values.map((value) => ({ ...record, [field]: value }))),
    [{ memo: "m" }]
  )

const truthsOf = (conditions: ConditionGroup, records: ReadonlyArray<Fields>): ReadonlyArray<boolean> => {
  const cells = new Cells()
  const holds = predicate(conditionOf(conditions, catalog, provenPatterns), cells.reading)
  return records.map((record) => {
    cells.load(record, { today, work: new Work() })
    return holds(cells)
  })
}

const written = ({ field }: RuleAction): ReadonlyArray<string> =>
  field === "amount" ? ["amount", "creditAmount", "debitAmount"] : [field]
const readBy = ({ conditions }: Listed): ReadonlyArray<string> =>
  Array.from(leavesOf(conditions, ""), ([{ field }]) => field)

/** What a list does to every record there is. */
class Run {
  readonly claims: ReadonlyArray<ReturnType<RuleEngine["run"]>["claims"]>

  constructor(rules: ReadonlyArray<Listed>, mode: "all" | "first", records: ReadonlyArray<Fields>) {
    const engine = new RuleEngine(
      rules.flatMap((rule, index) => (rule.enabled ? [{ ...rule, id: `rules[${index}]` }] : [])),
      mode,
      catalog,
      provenPatterns
    )
    this.claims = records.map((record) => engine.run(record, { today, work: new Work() }).claims)
  }

  /** The last claim of each field of each record. */
  get ends(): string {
    return JSON.stringify(
      this.claims.map((claims) =>
        [...new Map(claims.map(({ field, value, path }) => [field, [value, path]]))].toSorted(([a], [b]) =>
          a < b ? -1 : 1
        )
      )
    )
  }
}

/** The same question asked of every record there is, without any of the reasoning. */
class Brute {
  readonly truths: ReadonlyArray<ReadonlyArray<boolean>>
  private readonly rules: ReadonlyArray<Listed>

  constructor(rules: ReadonlyArray<Listed>, records: ReadonlyArray<Fields>) {
    this.rules = rules
    this.truths = rules.map(({ conditions }) => truthsOf(conditions, records))
  }

  isActive(index: number): boolean {
    return this.rules[index]!.enabled && this.truths[index]!.includes(true)
  }

  implies(one: number, other: number): boolean {
    return this.truths[one]!.every((holds, record) => !holds || this.truths[other]![record]!)
  }
}

const indexOf = (path: string): number => Number(/^rules\[(\d+)\]/u.exec(path)![1])
const positionOf = (path: string): number => Number(/actions\[(\d+)\]$/u.exec(path)?.[1] ?? 0)
const rulesIn = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(/rules\[(\d+)\]/gu), ([, digits]) => Number(digits))

const without = (rules: ReadonlyArray<Listed>, index: number, position: number): ReadonlyArray<Listed> =>
  rules.with(index, { ...rules[index]!, actions: rules[index]!.actions.toSpliced(position, 1) })

/** How often each lint was found, over all lists. */
const counts = { never: 0, always: 0, run: 0, effect: 0, overwritten: 0, sees: 0 }

const checkList = (random: Seeded, isWild: boolean): void => {
  const names = Object.keys(domains).filter((field) => isWild || field !== "colour")
  const axes = [random.pick(names), random.pick(names), random.pick(names)].filter(
    (field, at, all) => all.indexOf(field) === at && (at < 2 || random.once(12))
  )
  const mode = random.once(4) ? "first" : "all"
  const rules = random.list(2, 4, (): Listed => ({
    enabled: !random.once(12),
    conditions: group(random, axes, isWild),
    actions: random.list(1, random.pick([1, 1, 2, 3]), () => action(random, isWild))
  }))
  const records = product(axes)
  const lints = ruleLints(rules, mode, catalog, provenPatterns)
  const brute = new Brute(rules, records)
  let made: Run | undefined
  const ranAll = (): Run => (made ??= new Run(rules, mode, records))
  const ensure = (holds: boolean, what: string): void => {
    if (!holds) expect.fail(`${what}\n${JSON.stringify({ mode, rules, lints }, null, 1)}`)
  }

  for (const { field, message } of lints) {
    const index = indexOf(field)
    const others = rulesIn(message)
    if (message.startsWith("never runs")) {
      counts.run++
      ensure(brute.implies(index, others[0]!), `${field} runs`)
      ensure(
        ranAll().claims.every((claims) => claims.every(({ path }) => path !== field)),
        `${field} makes claims`
      )
    } else if (message.startsWith("has no effect")) {
      counts.effect++
      const left = new Run(rules.with(index, { ...rules[index]!, enabled: false }), mode, records)
      ensure(left.ends === ranAll().ends, `${field} has an effect`)
    } else if (message.startsWith("is always overwritten")) {
      counts.overwritten++
      const position = positionOf(field)
      ensure(new Run(without(rules, index, position), mode, records).ends === ranAll().ends, `${field} has an effect`)
      const target = rules[index]!.actions[position]!.field
      for (const claims of others.length === 0 ? [] : ranAll().claims) {
        const last = claims.findLast((claim) => claim.field === target)
        ensure(last?.path !== `rules[${index}]`, `${field} stays`)
        if (claims.some((claim) => claim.field === target && claim.path === `rules[${index}]`))
          ensure(
            claims.some((claim) => claim.path === `rules[${others[0]!}]`),
            `${field} is overwritten by another`
          )
      }
    } else if (message.includes("has changed its case")) {
      const [, read] = /^sees (\S+) after/.exec(message)!
      const writer = rules[others[0]!]!
      ensure(others[0]! < index && writer.enabled !== false, `${field} is read before, or after nothing`)
      ensure(
        writer.actions.some((one) => one.kind === "case" && one.field === read),
        `${field} reads what nothing has changed`
      )
    } else {
      counts.sees++
      const [, read] = /^sees (\S+) as it is before/.exec(message)!
      ensure(others[0]! > index, `${field} is not read before`)
      ensure(readBy(rules[index]!).includes(read!), `${field} is not read`)
      ensure(rules[others[0]!]!.actions.flatMap(written).includes(read!), `${read} is not changed`)
    }
  }

  for (const [index, { conditions }] of rules.entries()) {
    if (index < 2) {
      const truths = brute.truths[index]!
      const known = constant(conditionOf(conditions, catalog, provenPatterns))
      const expected = truths.includes(true) ? (truths.includes(false) ? undefined : "always") : "never"
      if (known !== undefined) counts[known]++
      ensure(known === expected || known === undefined, `rules[${index}] is ${expected}, not ${known}`)
    }
    if (mode === "first" || !brute.isActive(index)) continue
    const later = new Set(
      rules
        .slice(index + 1)
        .flatMap((rule, after) => (brute.isActive(index + 1 + after) ? rule.actions.flatMap(written) : []))
    )
    for (const field of new Set(readBy(rules[index]!)))
      ensure(
        !later.has(field) ||
          lints.some(
            (lint) => indexOf(lint.field) === index && lint.message.startsWith(`sees ${field} as it is before `)
          ),
        `rules[${index}] reads ${field}`
      )
  }
}

const lists = process.env["MILLRACE_LONG"] === "1" ? 400_000 : 2_500

it(`says of ${lists} random lists of rules nothing that a run denies`, { timeout: 3_600_000 }, () => {
  const random = new Seeded(31_415)
  for (let list = 0; list < lists; list++) checkList(random, list % 3 === 0)
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(lists / 100)
})
