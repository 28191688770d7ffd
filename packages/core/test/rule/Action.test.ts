import { catalogOf } from "../../src/record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../../src/record/FieldValue.ts"
import { checkAction, compileAction, unusable } from "../../src/rule/ActionPlan.ts"
import { Cells } from "../../src/filter/Cells.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import type { RuleAction } from "../../src/rule/RuleAction.ts"
import { titleCase } from "../../src/text/TitleCase.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { describe, expect, it } from "vitest"
import { Work } from "../../src/shared/Work.ts"

const catalog = new Map([...catalogOf("transactions"), ["score", "num"], ["due", "date"], ["flag", "bool"]] as const)
const record: Fields = {
  description: "CARD 4471 Blue Heron",
  amount: "-12.345",
  date: "2024-02-29",
  pending: true,
  merchantName: null,
  category: "{{amount}}",
  reference: "  "
}

const run = (action: RuleAction, fields: Fields = record): FieldValue | undefined | symbol => {
  expect(checkAction(action, catalog, provenPatterns)).toEqual([])
  const cells = new Cells()
  const compute = compileAction(action, catalog, provenPatterns, cells)
  cells.load(fields, { today: CalendarDate.make("2024-03-31"), work: new Work() })
  return compute(cells)
}

describe("set", () => {
  it.each<[string, string | number, FieldValue]>([
    ["category", "Transport", "Transport"],
    ["category", 12.5, "12.5"],
    ["category", 1e21, "1000000000000000000000"],
    ["category", "", null],
    ["amount", "12.50", "12.5"],
    ["amount", -0, "0"],
    ["date", "2024-02-29", "2024-02-29"],
    ["flag", "true", true],
    ["custom", "x", "x"]
  ])("%s to %j gives %j", (field, value, expected) => {
    expect(run({ field, value })).toBe(expected)
  })
})

const render = (template: string, field = "category") => run({ kind: "template", field, template })

describe("template", () => {
  it.each([
    ["{{description}}!", "CARD 4471 Blue Heron!"],
    ["{{ amount }} on {{date}}", "-12.345 on 2024-02-29"],
    ["{{pending}}", "true"],
    ["[{{merchantName}}{{nothing}}]", "[]"],
    ["{{category}}", "{{amount}}"],
    ["\\{{amount}}", "{{amount}}"],
    ["{{amount", "{{amount"],
    ["}} {{date}} {{", "}} 2024-02-29 {{"],
    ["{{Amount}}x", "x"],
    ["  a  ", "a"]
  ])("renders %s as %s", (template, expected) => {
    expect(render(template)).toBe(expected)
  })

  it("makes no claim of nothing", () => {
    expect(render("{{merchantName}} {{reference}}")).toBeUndefined()
  })

  it("writes numbers and dates only if they read as such", () => {
    expect(render("{{amount}}", "score")).toBe("-12.345")
    expect(render("{{amount}} EUR", "score")).toBe(unusable)
    expect(render("{{date}}", "due")).toBe("2024-02-29")
    expect(render("{{amount}}", "due")).toBe(unusable)
  })

  it("is cut at 2,000 code points, never inside one", () => {
    const text = run(
      { kind: "template", field: "category", template: "{{long}}" },
      { long: "😀".repeat(2_001) }
    ) as string
    expect([...text]).toHaveLength(2_000)
    expect(text.at(-1)).toBe("😀".at(-1))
  })
})

const extract = (pattern: string, group?: number, field = "category") =>
  run({ kind: "regexExtract", field, source: "description", pattern, ...(group === undefined ? {} : { group }) })

describe("regexExtract", () => {
  it("takes the first group of the first match, or the one asked for", () => {
    expect([extract("(\\d)(\\d)"), extract("(\\d)(\\d)", 2), extract("\\d{2}", 0)]).toEqual(["4", "4", "44"])
  })
  it("makes no claim without a match, of a group that took no part or is empty", () => {
    expect([extract("(x)"), extract("(x)|CARD"), extract("(x{0,2})CARD")]).toEqual([undefined, undefined, undefined])
    expect(run({ kind: "regexExtract", field: "category", source: "nothing", pattern: "(.)" })).toBeUndefined()
  })
  it("coerces to the type of the field", () => {
    expect([extract("(\\d{4})", 1, "score"), extract("([A-Z]+)", 1, "score")]).toEqual(["4471", unusable])
  })
})

describe("math", () => {
  it.each([
    ["abs", "-12.5", "12.5"],
    ["negate", "0", "0"],
    ["negate", "-3", "3"],
    ["round2", "2.345", "2.35"],
    ["round2", "-2.345", "-2.35"],
    ["round2", "-0.001", "0"],
    ["round2", "1.1", "1.1"],
    ["round2", "99999999999999999.995", "100000000000000000"]
  ] as const)("%s of %s is %s", (op, value, expected) => {
    expect(run({ kind: "math", field: "amount", op }, { amount: value })).toBe(expected)
  })
  it("makes no claim of what is no number, and counts it", () => {
    expect(run({ kind: "math", field: "score", source: "description", op: "abs" })).toBe(unusable)
    expect(run({ kind: "math", field: "score", source: "merchantName", op: "abs" })).toBe(unusable)
  })
})

describe("case", () => {
  it("maps whole texts by Unicode, from the field itself or another", () => {
    expect(run({ kind: "case", field: "category", mode: "upper", source: "description" })).toBe("CARD 4471 BLUE HERON")
    expect(run({ kind: "case", field: "description", mode: "lower" })).toBe("card 4471 blue heron")
    expect(run({ kind: "case", field: "category", mode: "upper" }, { category: "straße" })).toBe("STRASSE")
    expect(run({ kind: "case", field: "reference", mode: "upper" })).toBeUndefined()
  })

  it.each([
    ["BLUE HERON CAFE", "Blue Heron Cafe"],
    ["O'NEILL", "O'Neill"],
    ["JOE'S", "Joe's"],
    ["d’artagnan", "D’Artagnan"],
    ["jean-luc s/o x", "Jean-Luc S/O X"],
    ["7-eleven 24H", "7-Eleven 24h"],
    ["ǆungla", "ǅungla"],
    ["ÉCOLE", "École"],
    ["i'm", "I'M"],
    ["'quoted'", "'Quoted'"],
    ["", ""]
  ])("title of %s is %s", (text, expected) => {
    expect(titleCase(text)).toBe(expected)
  })

  it("title case of title case changes nothing, for every letter there is", () => {
    for (let point = 0; point <= 0x1_ff_ff; point++) {
      if (point >= 0xd8_00 && point <= 0xdf_ff) continue
      const letter = String.fromCodePoint(point)
      for (const text of [`${letter}a b${letter}`, `o'${letter}x`]) {
        const once = titleCase(text)
        if (titleCase(once) !== once) expect(titleCase(once), point.toString(16)).toBe(once)
      }
    }
  })
})

describe("checks", () => {
  it.each<[RuleAction, string, string]>([
    [{ field: "id", value: "x" }, "field", '"id" is not writable'],
    [{ field: "currency", value: "EUR" }, "field", '"currency" is not writable'],
    [{ field: "creditAmount", value: 1 }, "field", '"creditAmount" is not writable'],
    [{ field: "accountName", value: "x" }, "field", '"accountName" is not writable'],
    [{ field: "pending", value: "true" }, "field", '"pending" is not writable'],
    [{ field: "transfer.kind", value: "x" }, "field", '"transfer.kind" is not writable'],
    [{ field: "merchantKey", value: "x" }, "field", '"merchantKey" is not writable'],
    [{ field: "My Field", value: "x" }, "field", '"My Field" is no field name'],
    [{ field: "amount", value: "12,5" }, "value", "must be a plain decimal such as -12.50"],
    [{ field: "amount", value: "" }, "value", "must be a plain decimal such as -12.50"],
    [{ field: "date", value: "mtd" }, "value", "must be a date of the form YYYY-MM-DD"],
    [
      { kind: "regexExtract", field: "category", source: "description", pattern: "(a)", group: 2 },
      "group",
      "group 2 does not exist"
    ],
    [
      { kind: "regexExtract", field: "category", source: "description", pattern: "a" },
      "group",
      "group 1 does not exist"
    ],
    [
      { kind: "regexExtract", field: "category", source: "description", pattern: "a(?=b)" },
      "pattern",
      "not supported: look-ahead at position 2"
    ],
    [{ kind: "math", field: "due", op: "abs" }, "field", "cannot hold a number"]
  ])("refuses %j at %s", (action, key, message) => {
    expect(checkAction(action, catalog, provenPatterns)).toEqual([{ key, message }])
  })

  it("lets text, presentation dates and amounts, and custom fields be written", () => {
    for (const field of ["description", "category", "merchantName", "type", "reference", "notes", "myField"])
      expect(checkAction({ field, value: "x" }, catalog, provenPatterns)).toEqual([])
    expect(checkAction({ field: "authorizedDate", value: "2024-01-01" }, catalog, provenPatterns)).toEqual([])
    expect(checkAction({ field: "amount", value: 1 }, catalogOf("balances"), provenPatterns)).toEqual([
      { key: "field", message: '"amount" is not writable' }
    ])
  })
})
