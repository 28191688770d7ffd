import { catalogOf } from "../../src/record/FieldCatalog.ts"
import type { FieldValue } from "../../src/record/FieldValue.ts"
import { Cells } from "../../src/filter/Cells.ts"
import { predicate } from "../../src/filter/Closures.ts"
import { conditionOf } from "../../src/rule/Condition.ts"
import { checkConditions } from "../../src/rule/lint/ConditionCheck.ts"
import type { ConditionGroup } from "../../src/rule/ConditionGroup.ts"
import { fold } from "../../src/text/Fold.ts"
import { operatorOf, operators, type Operator } from "../../src/rule/Operator.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { periodOf, relativeDates } from "../../src/filter/RelativeDate.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { describe, expect, it } from "vitest"
import { Work } from "../../src/shared/Work.ts"

const catalog = catalogOf("transactions")
const today = CalendarDate.make("2024-03-31")

const group = (field: string, operator: Operator, value?: string | number): ConditionGroup => ({
  logic: "and",
  conditions: [{ field, operator, ...(value === undefined ? {} : { value }) }]
})
const holds = (
  field: string,
  operator: Operator,
  value: string | number | undefined,
  given: FieldValue | undefined
): boolean => {
  const cells = new Cells()
  const asked = predicate(conditionOf(group(field, operator, value), catalog, provenPatterns), cells.reading)
  cells.load(given === undefined ? {} : { [field]: given }, { today, work: new Work() })
  return asked(cells)
}
const check = (conditions: ConditionGroup, stage = 60) =>
  checkConditions(conditions, "conditions", catalog, stage, provenPatterns)

describe("text", () => {
  it.each<[Operator, string, string, boolean]>([
    ["equals", " TRAM  tours ", "tram Tours", true],
    ["equals", "Straße", "STRASSE", true],
    ["equals", "café", "CAFE\u0301", true],
    ["equals", "cafe", "café", false],
    ["notEquals", "tram", "bus", true],
    ["notEquals", "tram", "TRAM", false],
    ["contains", "am t", "TRAM  TOURS", true],
    ["contains", "x", "TRAM", false],
    ["notContains", "am", "TRAM", false],
    ["notContains", "x", "TRAM", true],
    ["startsWith", "tr", "TRAM", true],
    ["startsWith", "tr", " TRAM", false],
    ["endsWith", "AM", "tram", true],
    ["endsWith", "am", "tram ", false],
    ["in", "bus, TRAM ,a\\,b", "tram", true],
    ["in", "bus,a\\,b", "A,B", true],
    ["in", "bus,tram", "tra", false],
    ["notIn", "bus,tram", "tram", false],
    ["notIn", "bus", "tram", true],
    ["matches", "^TR", "TRAM", true],
    ["matches", "^tr", "TRAM", false],
    ["matches", "(?i)^tr", "TRAM", true],
    ["notMatches", "^TR", "TRAM", false],
    ["notMatches", "^tr", "TRAM", true],
    ["equals", "ΣΊΣΥΦΟΣ", "σίσυφος", true]
  ])("%s %j of %j is %s", (operator, value, given, expected) => {
    expect(holds("description", operator, value, given)).toBe(expected)
  })
})

describe("numbers", () => {
  it.each<[Operator, string | number, string, boolean]>([
    ["equals", "12.50", "12.5", true],
    ["equals", 12.5, "12.5", true],
    ["notEquals", "12.5", "12.5", false],
    ["gt", "-50", "-49.99", true],
    ["gt", "-50", "-50", false],
    ["gte", "-50", "-50", true],
    ["lt", "-50", "-50.01", true],
    ["lt", "9007199254740993", "9007199254740992.999", true],
    ["lte", "0.3", "0.3", true],
    ["lte", "0.3", "0.30000000000000000001", false],
    ["between", "-10..5.5", "5.5", true],
    ["between", "-10..5.5", "5.51", false],
    ["between", "..0", "-1", true],
    ["between", "1..", "0.99", false],
    ["in", "1, 2.0,3", "2", true],
    ["notIn", "1,2", "2", false],
    ["contains", "9.9", "-19.95", true],
    ["notContains", "9.9", "-19.95", false]
  ])("%s %j of %s is %s", (operator, value, given, expected) => {
    expect(holds("amount", operator, value, given)).toBe(expected)
  })
})

describe("dates", () => {
  it.each<[Operator, string | undefined, string, boolean]>([
    ["equals", "2024-02-29", "2024-02-29", true],
    ["equals", "2024-02-29", "2024-02-29T23:59:59.000Z", true],
    ["equals", "2024-02-29T23:59:59", "2024-02-29", true],
    ["between", "2024-02-29t10:00:00z..2024-03-01T00:00", "2024-03-01", true],
    ["notEquals", "2024-02-29", "2024-03-01", true],
    ["gt", "2024-02-29", "2024-02-29", false],
    ["gte", "2024-02-29", "2024-02-29", true],
    ["lt", "mtd", "2024-02-29", true],
    ["lt", "mtd", "2024-03-01", false],
    ["lte", "mtd", "2024-03-31", true],
    ["gt", "mtd", "2024-04-01", true],
    ["gte", "mtd", "2024-03-01", true],
    ["equals", "7d", "2024-03-25", true],
    ["equals", "7d", "2024-03-24", false],
    ["between", "2024-01-01..", "2024-01-01", true],
    ["between", "..2024-01-01", "2024-01-02", false],
    ["in", "yesterday,2024-01-01", "2024-03-30", true],
    ["hasPassed", undefined, "2024-03-30", true],
    ["hasPassed", undefined, "2024-03-31", false],
    ["notPassed", undefined, "2024-03-31", true],
    ["notPassed", undefined, "2024-03-30", false]
  ])("%s %s of %s is %s", (operator, value, given, expected) => {
    expect(holds("date", operator, value, given)).toBe(expected)
  })

  it.each([
    ["2024-03-31", "12m", "2023-04-01"],
    ["2024-02-29", "12m", "2023-03-01"],
    ["2025-02-28", "12m", "2024-02-29"],
    ["2024-05-31", "qtd", "2024-04-01"],
    ["2024-12-31", "30d", "2024-12-02"],
    ["2025-01-01", "yesterday", "2024-12-31"],
    ["2024-05-31", "ytd", "2024-01-01"]
  ] as const)("on %s the period %s begins on %s", (day, token, start) => {
    expect(periodOf(token, CalendarDate.make(day)).start).toBe(start)
  })

  it("ends every period today, except yesterday", () => {
    for (const token of relativeDates)
      expect(periodOf(token, today).end).toBe(token === "yesterday" ? "2024-03-30" : today)
  })
})

const valueOf = (operator: Operator, field: string) =>
  field === "amount"
    ? operator === "between"
      ? "1..2"
      : "1"
    : field === "date"
      ? operator === "between"
        ? "2024-01-01.."
        : "today"
      : field === "pending"
        ? "true"
        : "a"

describe("emptiness", () => {
  it.each(operators)("%s is true of nothing only if it is negative or asks for emptiness", (operator) => {
    let asked = 0
    for (const field of ["description", "amount", "date", "pending"])
      for (const given of [null, undefined, "", " \t"]) {
        const conditions = group(field, operator, valueOf(operator, field))
        if (check(conditions).errors.length > 0) continue
        asked++
        expect(holds(field, operator, valueOf(operator, field), given), `${field} ${JSON.stringify(given)}`).toBe(
          ["notEquals", "notContains", "notIn", "notMatches", "isEmpty"].includes(operator)
        )
      }
    expect(asked).toBeGreaterThan(0)
  })

  it("is false both ways for what cannot be read as the type of the field", () => {
    for (const operator of ["equals", "notEquals"] as const) {
      expect(holds("amount", operator, "1", "one")).toBe(false)
      expect(holds("date", operator, "today", "2023-02-29")).toBe(false)
      expect(holds("pending", operator, "true", "maybe")).toBe(false)
    }
    expect(holds("amount", "isNotEmpty", undefined, "one")).toBe(true)
  })

  it("reads true and false, as text and as they are", () => {
    expect([true, "TRUE", false].map((given) => holds("pending", "equals", "true", given))).toEqual([true, true, false])
  })

  it("never takes what objects inherit for a value of the record", () => {
    expect(holds("constructor", "isEmpty", undefined, undefined)).toBe(true)
  })
})

describe("names", () => {
  it.each([
    ["eq", "equals"],
    ["is", "equals"],
    ["=", "equals"],
    ["==", "equals"],
    ["Equals", "equals"],
    ["neq", "notEquals"],
    ["!=", "notEquals"],
    ["isNot", "notEquals"],
    ["starts-with", "startsWith"],
    ["ends_with", "endsWith"],
    ["nin", "notIn"],
    ["one of", "in"],
    [">", "gt"],
    [">=", "gte"],
    ["<", "lt"],
    ["<=", "lte"],
    ["greaterThan", "gt"],
    ["lessThanOrEqual", "lte"],
    ["after", "gt"],
    ["onOrAfter", "gte"],
    ["before", "lt"],
    ["onOrBefore", "lte"],
    ["regex", "matches"],
    ["is-null", "isEmpty"],
    ["is-not-null", "isNotEmpty"],
    ["has-passed", "hasPassed"],
    ["not-passed", "notPassed"],
    ["doesNotContain", "notContains"]
  ])("takes %s for %s", (name, operator) => {
    expect(operatorOf(name)).toBe(operator)
  })
})

describe("checks", () => {
  it.each<[string, Operator, string | number | undefined, string, string]>([
    ["amount", "gt", "1,200", "value", "must be a plain decimal such as -12.50"],
    ["amount", "gt", "1e3", "value", "must be a plain decimal such as -12.50"],
    ["amount", "between", "5", "value", 'must be a range "low..high"'],
    ["amount", "between", "5..1", "value", "must not end before it begins"],
    ["amount", "startsWith", "1", "operator", '"startsWith" does not apply to numbers'],
    ["date", "equals", "31.01.2024", "value", "must be a date"],
    ["date", "gt", "2023-02-29", "value", "must be a date"],
    ["date", "contains", "2024", "operator", '"contains" does not apply to dates'],
    ["description", "gt", "a", "operator", '"gt" does not apply to text'],
    ["description", "contains", "", "value", "must not be empty"],
    ["description", "contains", undefined, "value", "is missing"],
    ["description", "in", " , ", "value", "must not be empty"],
    ["description", "in", "a,".repeat(1_001), "value", "has more than 1000 items"],
    ["description", "contains", "a".repeat(1_001), "value", "has more than 1000 characters"],
    ["description", "matches", "(a+)+", "value", "could take more than linear time"],
    ["pending", "equals", "yes", "value", "must be true or false"],
    ["budget.line", "equals", "x", "field", '"budget.line" is written by a later stage'],
    ["__proto__", "equals", "x", "field", '"__proto__" is no field name']
  ])("refuses %s %s %s at %s", (field, operator, value, part, message) => {
    const { errors } = check(group(field, operator, value))
    expect(errors).toHaveLength(1)
    expect(errors[0]!.field).toBe(`conditions.conditions[0].${part}`)
    expect(errors[0]!.message).toContain(message)
  })

  it("takes 1,000 items and 1,000 characters", () => {
    expect(
      check(group("description", "in", Array.from({ length: 1_000 }, (_, index) => `x${index}`).join())).errors
    ).toEqual([])
    expect(check(group("description", "contains", "é".repeat(1_000))).errors).toEqual([])
  })

  it("lets a later stage read what an earlier one wrote", () => {
    expect(check(group("transfer.kind", "equals", "internal"), 130)).toEqual({ errors: [], lints: [] })
  })
})

const lintsOf = (logic: "and" | "or", ...leaves: ReadonlyArray<readonly [string, Operator, (string | number)?]>) =>
  check({
    logic,
    conditions: leaves.map(([field, operator, value]) => ({
      field,
      operator,
      ...(value === undefined ? {} : { value })
    }))
  }).lints.map(({ message }) => message)

describe("lints", () => {
  it("says when a condition can never hold", () => {
    expect(lintsOf("and", ["category", "equals", "a"], ["category", "equals", "b"])).toEqual(["can never hold"])
    expect(lintsOf("and", ["amount", "gt", "5"], ["amount", "lt", "5.0"])).toEqual(["can never hold"])
    expect(lintsOf("and", ["amount", "isEmpty"], ["description", "contains", "x"], ["amount", "gt", 1])).toEqual([
      "can never hold"
    ])
    expect(lintsOf("and", ["date", "lt", "2024-01-02"], ["date", "gt", "2024-01-02"])).toEqual(["can never hold"])
  })

  it("says when a condition always holds", () => {
    expect(lintsOf("or", ["category", "isEmpty"], ["category", "isNotEmpty"])).toEqual(["always holds"])
    expect(lintsOf("or", ["category", "notEquals", "a"], ["category", "notEquals", "b"])).toEqual(["always holds"])
  })

  it("stays silent about what no two parts of a condition show", () => {
    expect(lintsOf("or", ["amount", "gte", 0], ["amount", "lt", 0], ["amount", "isEmpty"])).toEqual([])
    expect(lintsOf("and", ["date", "lt", "2024-01-02"], ["date", "gt", "2024-01-01"])).toEqual([])
  })

  it("stays silent about everything else", () => {
    expect(lintsOf("and", ["amount", "gt", "5"], ["amount", "lt", "5.01"])).toEqual([])
    expect(lintsOf("or", ["amount", "gte", 0], ["amount", "lt", 0])).toEqual([])
    expect(lintsOf("and", ["category", "contains", "a"], ["category", "contains", "b"])).toEqual([])
    expect(lintsOf("and", ["category", "in", "a,b"], ["category", "in", "b,c"])).toEqual([])
  })

  it("names unknown fields and answers that change with the day", () => {
    expect(lintsOf("and", ["colour", "equals", "a"])[0]).toContain('unknown field "colour"')
    expect(lintsOf("and", ["date", "equals", "mtd"])[0]).toContain("timeDependent")
    expect(lintsOf("and", ["date", "hasPassed"])[0]).toContain("timeDependent")
  })
})

it("folds folded text to itself, for every letter there is", () => {
  for (let point = 0; point <= 0x1_ff_ff; point++) {
    if (point >= 0xd8_00 && point <= 0xdf_ff) continue
    const text = `a${String.fromCodePoint(point)}b`
    const once = fold(text)
    if (fold(once) !== once) expect(fold(once), point.toString(16)).toBe(once)
    if (fold(text.toUpperCase()) !== once && ![0x131].includes(point))
      expect(fold(text.toUpperCase()), point.toString(16)).toBe(once)
  }
})
