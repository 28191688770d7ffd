import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { createHash } from "node:crypto"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  explainSplit,
  type Split,
  SplitEvidence,
  type SplitLine,
  Splitter
} from "../../../../src/enrichment/kinds/split/Splitter.ts"
import { checkSplit, SplitConfig } from "../../../../src/enrichment/kinds/split/SplitConfig.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import type { DataType } from "../../../../src/record/DataType.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { RunWork } from "../../../../src/enrichment/RunWork.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }
const conditions = { logic: "and", conditions: [{ field: "description", operator: "contains", value: "market" }] }

const configOf = (sent: unknown) => Result.getOrThrow(decode(SplitConfig, sent))
const catalog = catalogOf("transactions")

const fixed = (key: string, value: string) => ({ key, method: "fixed", value })
const percent = (key: string, value: string) => ({ key, method: "percent", value })
const remainder = (key: string, weight?: number) => ({
  key,
  method: "remainder",
  ...(weight === undefined ? {} : { weight })
})
const oneRule = (lines: ReadonlyArray<object>, more: object = {}) => ({ rules: [{ conditions, lines }], ...more })

const splitterOf = (sent: unknown, dataType: DataType = "transactions") =>
  new Splitter(configOf(sent), catalogOf(dataType), provenPatterns, sha256)

const viewOf = (amount: string, currency = "EUR", recordId = "txn_1") => ({
  recordId,
  fields: { description: "Market hall", amount, currency, category: "FOOD" }
})

const linesOf = (split: Split | undefined): ReadonlyArray<SplitLine> =>
  split?.kind === "lines" ? split.lines : expect.fail(`no lines: ${JSON.stringify(split)}`)

const valueOf = (line: SplitLine, field: string) => line.claims.find((claim) => claim.field === field)?.value

const amounts = (sent: unknown, amount: string, currency?: string) =>
  linesOf(splitterOf(sent).split(viewOf(amount, currency), context)).map((line) => [line.key, valueOf(line, "amount")])

const idsOf = (sent: unknown, recordId: string, amount: string) =>
  linesOf(splitterOf(sent).split(viewOf(amount, "EUR", recordId), context)).map(({ id }) => id)

const faults = (sent: unknown): ReadonlyArray<string> => {
  const decoded = decode(SplitConfig, sent)
  const found = Result.isFailure(decoded)
    ? decoded.failure
    : checkSplit(decoded.success, catalog, provenPatterns).errors
  expect(found.filter(({ message }) => message.trim() === "")).toEqual([])
  return found.map(({ field }) => field)
}
const sets = (set: object) => oneRule([{ ...remainder("a"), set }])

describe("a split", () => {
  it("gives fixed lines first, then percentages, then what is left", () => {
    expect(amounts(oneRule([fixed("cash", "15.00"), remainder("food")]), "-100")).toEqual([
      ["cash", "-15"],
      ["food", "-85"]
    ])
    expect(amounts(oneRule([percent("a", "33.33"), percent("b", "33.33"), percent("c", "33.33")]), "-0.05")).toEqual([
      ["a", "-0.02"],
      ["b", "-0.02"],
      ["c", "-0.01"]
    ])
    expect(amounts(oneRule([remainder("a"), remainder("b"), remainder("c")]), "1000", "JPY")).toEqual([
      ["a", "334"],
      ["b", "333"],
      ["c", "333"]
    ])
    expect(amounts(oneRule([remainder("a", 2), fixed("b", "0.001"), remainder("c")]), "1", "KWD")).toEqual([
      ["a", "0.666"],
      ["b", "0.001"],
      ["c", "0.333"]
    ])
  })

  it("makes a line of what is left where no line takes it, and none of nothing", () => {
    expect(amounts(oneRule([fixed("a", "40")]), "-100.5")).toEqual([
      ["a", "-40"],
      ["rest", "-60.5"]
    ])
    expect(amounts(oneRule([fixed("a", "100"), fixed("b", "0"), percent("c", "0")]), "100")).toEqual([
      ["a", "100"],
      ["b", "0"],
      ["c", "0"]
    ])
  })

  it("cuts fixed lines to what there is, or leaves the record whole and says which line it was", () => {
    const lines = [fixed("a", "60"), fixed("b", "60"), percent("c", "50")]
    expect(amounts(oneRule(lines), "-100")).toEqual([
      ["a", "-60"],
      ["b", "-40"],
      ["c", "0"]
    ])
    expect(splitterOf(oneRule(lines, { onOverflow: "skip" })).split(viewOf("-100"), context)).toEqual({
      kind: "overflow",
      ruleId: "rule_0",
      message: 'the fixed line "b" needs more than is left of -100'
    })
  })

  it("leaves the record whole where no line takes the rest and none may be added", () => {
    const sent = oneRule([percent("a", "99.99")], { implicitRemainder: false })
    expect(splitterOf(sent).split(viewOf("100"), context)).toEqual({
      kind: "mismatch",
      ruleId: "rule_0",
      message: "no line takes the last 0.01 of 100"
    })
  })

  it("loses nothing of an amount that is finer than its currency", () => {
    expect(amounts(oneRule([percent("a", "50"), remainder("b")]), "-0.005", "JPY")).toEqual([
      ["a", "-0.003"],
      ["b", "-0.002"]
    ])
  })

  it("is of no record without an amount, or of which no rule is", () => {
    const splitter = splitterOf(oneRule([remainder("a")]))
    const { fields } = viewOf("0")
    for (const other of [fields, { ...fields, amount: null }, { description: "Market" }, { ...fields, amount: "x" }]) {
      expect(splitter.split({ recordId: "txn_1", fields: other }, context)).toBeUndefined()
    }
    const elsewhere = { recordId: "txn_1", fields: { ...viewOf("5").fields, description: "Tram" } }
    expect(splitter.split(elsewhere, context)).toBeUndefined()
  })

  it("says of each line whose it is, with its own labels and both sides of its amount", () => {
    const lines = [{ ...fixed("cash", "15"), set: { category: "CASH", score: 3, flag: "7" } }, remainder("food")]
    const [cash, food] = linesOf(splitterOf(oneRule(lines)).split(viewOf("-100"), context))
    expect(Object.fromEntries([...cash!.claims, ...cash!.labels].map(({ field, value }) => [field, value]))).toEqual({
      amount: "-15",
      creditAmount: "0",
      debitAmount: "15",
      "split.parentId": "txn_1",
      "split.key": "cash",
      "split.of": "2",
      category: "CASH",
      score: "3",
      flag: "7"
    })
    expect(food!.labels).toEqual([])
    expect(new Set(cash!.claims.map(({ path }) => path))).toEqual(new Set(["rule_0"]))
  })

  it("splits the total of a receipt", () => {
    const splitter = splitterOf(
      { rules: [{ conditions: { ...conditions }, lines: [percent("a", "50"), remainder("b")] }] },
      "receipts"
    )
    const fields = { description: "Market hall", totalAmount: "9.99", currency: "EUR" }
    const lines = linesOf(splitter.split({ recordId: "rcpt_1", fields }, context))
    expect(lines.map((line) => valueOf(line, "totalAmount"))).toEqual(["5", "4.99"])
    expect(valueOf(lines[0]!, "creditAmount")).toBeUndefined()
  })

  it("keeps the ids of lines when amounts and lines change, and has others for other records and rules", () => {
    const before = idsOf(oneRule([fixed("a", "1"), remainder("b")]), "txn_1", "-5")
    expect(idsOf(oneRule([remainder("b"), fixed("a", "2")]), "txn_1", "-6")).toEqual(before.toReversed())
    const named = { rules: [{ id: "other", conditions, lines: [fixed("a", "1"), remainder("b")] }] }
    const all = [...before, ...idsOf(oneRule([remainder("a")]), "txn_2", "5"), ...idsOf(named, "txn_1", "-5")]
    expect(new Set(all).size).toBe(5)
    expect(all.every((id) => /^[0-9a-z]{26}$/.test(id))).toBe(true)
  })

  it("goes by the first rule that matches", () => {
    const other = { ...conditions, conditions: [{ field: "amount", operator: "lt", value: "-50" }] }
    const sent = {
      rules: [
        { id: "large", conditions: other, lines: [remainder("x")] },
        { id: "any", conditions, lines: [remainder("y")] }
      ]
    }
    expect(splitterOf(sent).split(viewOf("-60"), context)?.ruleId).toBe("large")
    expect(splitterOf(sent).split(viewOf("-40"), context)?.ruleId).toBe("any")
  })

  it("has lines whose sum is the record, each with its sign or zero, whose evidence leads to them, whatever it is", () => {
    const random = new Seeded(11)
    const currencies = ["JPY", "EUR", "KWD", "CLF", "x:coin", "nonsense"]
    let split = 0
    for (let n = 0; n < 1_000; n++) {
      let parts = 100
      const lines = random.list(1, 6, () => {
        const key = String(random.below(1_000_000_000))
        const method = random.pick(["fixed", "percent", "remainder"])
        if (method === "fixed") return fixed(key, `${random.below(900)}.${random.below(1000)}`)
        if (method === "remainder") return remainder(key, 1 + random.below(9))
        const own = random.below(parts)
        parts -= own + 1
        if (parts < 1) parts = 1
        return percent(key, parts === 1 ? "0" : `${own}.${random.below(1000)}`)
      })
      const sent = oneRule(lines, { onOverflow: random.pick(["clip", "skip"]), implicitRemainder: random.once(2) })
      if (checkSplit(configOf(sent), catalog, provenPatterns).errors.length > 0) continue
      const amount = Decimal.make(`${random.pick(["", "-"])}${random.below(5_000)}.${random.below(10_000)}`)
      const view = Object.freeze(viewOf(amount, random.pick(currencies)))
      const first = splitterOf(sent).split(view, context)
      expect(splitterOf(sent).split(view, context)).toEqual(first)
      if (first?.kind !== "lines") continue
      split++
      const given = first.lines.map((line) => valueOf(line, "amount") as Decimal.Decimal)
      expect(Decimal.sum(given)).toBe(amount)
      expect(given.filter((one) => one !== "0" && Decimal.sign(one) !== Decimal.sign(amount))).toEqual([])
      for (const { claims } of first.lines) {
        const { evidence, value } = claims[0]!
        const stored: unknown = JSON.parse(JSON.stringify(evidence))
        expect(explainSplit(Schema.decodeUnknownSync(SplitEvidence)(stored), value).holds).toBe(true)
      }
    }
    expect(split).toBeGreaterThan(400)
  })

  it("explains a line in a sentence, and does not believe another amount", () => {
    const [, food] = linesOf(
      splitterOf(oneRule([fixed("cash", "15"), remainder("food")])).split(viewOf("-100"), context)
    )
    const { evidence, value } = food!.claims[0]!
    const told = Schema.decodeUnknownSync(SplitEvidence)(evidence)
    expect(explainSplit(told, value)).toEqual({
      sentence: "-85 of -100: a part of what is left; 8500 units were given for 8500",
      holds: true
    })
    expect(explainSplit(told, "-84").holds).toBe(false)
    expect(explainSplit({ ...told, units: "-8600" }, "-86").holds).toBe(false)
  })
})

describe("the configuration of a split", () => {
  it("has what is left out, and is answered as it was sent", () => {
    const config = configOf(oneRule([remainder("a")]))
    expect(config).toMatchObject({ onOverflow: "clip", implicitRemainder: true, deliver: "lines" })
    expect(configOf(JSON.parse(JSON.stringify(Schema.encodeSync(SplitConfig)(config))))).toEqual(config)
    expect(
      faults(oneRule([percent("a", "33.3333"), percent("b", "66.6667"), fixed("c", "0"), remainder("d")]))
    ).toEqual([])
  })

  for (const [what, sent, path] of [
    ["percentages over 100 together", oneRule([percent("a", "60"), percent("b", "40.0001")]), "rules[0].lines"],
    ["a percentage over 100", oneRule([percent("a", "100.01")]), "rules[0].lines[0].value"],
    ["a percentage below 0", oneRule([percent("a", "-1")]), "rules[0].lines[0].value"],
    ["a percentage of five digits", oneRule([percent("a", "1.00001")]), "rules[0].lines[0].value"],
    ["a fixed line without a value", oneRule([{ key: "a", method: "fixed" }]), "rules[0].lines[0].value"],
    ["a percentage without a value", oneRule([{ key: "a", method: "percent" }]), "rules[0].lines[0].value"],
    ["a remainder with a value", oneRule([{ ...remainder("a"), value: "1" }]), "rules[0].lines[0].value"],
    ["a fixed line below 0", oneRule([fixed("a", "-0.01")]), "rules[0].lines[0].value"],
    ["a value that is no decimal", oneRule([fixed("a", "1,5")]), "rules[0].lines[0].value"],
    ["a value that is no text", oneRule([{ key: "a", method: "fixed", value: 5 }]), "rules[0].lines[0].value"],
    ["two lines of one key", oneRule([fixed("a", "1"), remainder("a")]), "rules[0].lines[1].key"],
    ["the key of the implicit line", oneRule([fixed("rest", "1")]), "rules[0].lines[0].key"],
    ["an empty key", oneRule([remainder("")]), "rules[0].lines[0].key"],
    ["a long key", oneRule([remainder("k".repeat(65))]), "rules[0].lines[0].key"],
    ["a reserved field", sets({ "transfer.kind": "x" }), "rules[0].lines[0].set.transfer.kind"],
    ["a field of identity", sets({ id: "x" }), "rules[0].lines[0].set.id"],
    ["the amount", sets({ amount: "5" }), "rules[0].lines[0].set.amount"],
    ["a side of the amount", sets({ debitAmount: "5" }), "rules[0].lines[0].set.debitAmount"],
    ["a value of another type", sets({ date: "soon" }), "rules[0].lines[0].set.date"],
    [
      "more than 20 fields",
      sets(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, "x"]))),
      "rules[0].lines[0].set"
    ],
    ["a weight of 0", oneRule([remainder("a", 0)]), "rules[0].lines[0].weight"],
    ["a weight over 1,000", oneRule([remainder("a", 1_001)]), "rules[0].lines[0].weight"],
    ["no lines", oneRule([]), "rules[0].lines"],
    ["over 50 lines", oneRule(Array.from({ length: 51 }, (_, n) => remainder(`k${n}`))), "rules[0].lines"],
    [
      "50 lines and one of what is left",
      oneRule(Array.from({ length: 50 }, (_, n) => fixed(`k${n}`, "1"))),
      "rules[0].lines"
    ],
    ["no rules", { rules: [] }, "rules"],
    ["another way to overflow", oneRule([remainder("a")], { onOverflow: "burst" }), "onOverflow"],
    ["another way to deliver", oneRule([remainder("a")], { deliver: "some" }), "deliver"],
    [
      "a condition that compares with nothing",
      {
        rules: [
          {
            conditions: { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "zero" }] },
            lines: [remainder("a")]
          }
        ]
      },
      "rules[0].conditions.conditions[0].value"
    ],
    [
      "two rules of one id",
      { rules: [0, 1].map(() => ({ id: "r", conditions, lines: [remainder("a")] })) },
      "rules[1].id"
    ],
    ["what is misspelt", oneRule([{ ...remainder("a"), wieght: 2 }]), "rules[0].lines[0].wieght"]
  ] as const) {
    it(`is refused with ${what}`, () => {
      expect(faults(sent)).toEqual([path])
    })
  }

  it("is told of a weight that has no effect", () => {
    const { lints } = checkSplit(configOf(oneRule([{ ...fixed("a", "1"), weight: 2 }])), catalog, provenPatterns)
    expect(lints.map(({ field }) => field)).toEqual(["rules[0].lines[0].weight"])
  })
})
