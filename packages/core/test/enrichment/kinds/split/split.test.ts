import { NodeDigest } from "@millrace/adapters"
import { plainEnrichment } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import type { Enrichment } from "../../../../src/enrichment/Enrichment.ts"
import { bundledKinds, kindsOf } from "../../../../src/enrichment/Kinds.ts"
import * as Pipeline from "../../../../src/enrichment/Pipeline.ts"
import type { RecordNotes } from "../../../../src/enrichment/RecordNotes.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { RunWork } from "../../../../src/enrichment/RunWork.ts"

const conditions = { logic: "and", conditions: [{ field: "description", operator: "contains", value: "market" }] }
const lines = [
  { key: "cash", method: "fixed", value: "15", set: { category: "CASH" } },
  { key: "food", method: "remainder" }
]
const config = { rules: [{ id: "market", conditions, lines }] }

const kinds = kindsOf(bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }))
const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }
const fields = {
  description: "Market",
  amount: "-100",
  currency: "EUR",
  category: "OTHER",
  creditAmount: "0",
  debitAmount: "100"
}

const enrichmentOf = (type: string, own: object, order: number): Enrichment =>
  plainEnrichment(type, own, { id: `enr_${order}`, order })

const ran = (
  sent: object,
  more: ReadonlyArray<readonly [type: string, config: object]> = [],
  over: object = {},
  notes?: RecordNotes
) => {
  const all = [["split", sent] as const, ...more].map(([type, own], order) => enrichmentOf(type, own, order))
  const pipeline = Pipeline.compile(all, "transactions", kinds)
  expect(pipeline.faults).toEqual([])
  return Pipeline.runWithLines(pipeline, { recordId: "txn_1", fields: { ...fields, ...over } }, context, { notes })
}
const amountsOf = ({ lines: all }: Pipeline.WithLines) =>
  Array.from(all.values(), (line) => Decimal.make(String(line.fields["amount"])))

describe("the lines of a record", () => {
  it("stand in its place, or beside it, or are only counted", () => {
    const alone = ran(config)
    expect([alone.shown, alone.linesShown, amountsOf(alone)]).toEqual([false, true, ["-15", "-85"]])
    expect(Decimal.sum(amountsOf(alone))).toBe(alone.record.fields["amount"])
    const both = ran({ ...config, deliver: "both" })
    expect([both.shown, both.linesShown, amountsOf(both)]).toEqual([true, true, ["-15", "-85"]])
    const parent = ran({ ...config, deliver: "parent" })
    expect([parent.shown, parent.linesShown, amountsOf(parent)]).toEqual([true, false, ["-15", "-85"]])
    expect(parent.record.fields["split.of"]).toBe("2")
  })

  it("are enriched one by one by what comes after, and filtered one by one", () => {
    const small = { logic: "and", conditions: [{ field: "amount", operator: "gt", value: "-50" }] }
    const { lines: all, record } = ran(config, [
      ["rule", { phase: "post", rules: [{ conditions: small, action: { field: "description", value: "Small" } }] }],
      [
        "filter",
        { conditions: { logic: "and", conditions: [{ field: "split.key", operator: "equals", value: "food" }] } }
      ]
    ])
    const told = Array.from(all.values(), (line) => [
      line.fields["description"],
      line.fields["category"],
      line.verdict.value
    ])
    expect(told).toEqual([
      ["Small", "CASH", "deliver"],
      ["Market", "OTHER", "drop"]
    ])
    expect([record.fields["description"], record.verdict.value]).toEqual(["Market", "deliver"])
  })

  it("are none where the rule cannot split the record, which says why", () => {
    const over = ran({ ...config, onOverflow: "skip" }, [], { amount: "-10" })
    expect([over.shown, over.lines.size, over.record.faults.length]).toEqual([true, 0, 1])
    const uneven = { rules: [{ conditions, lines: [lines[0]] }], implicitRemainder: false }
    const mismatch = ran(uneven)
    expect([mismatch.shown, mismatch.lines.size, mismatch.record.fields["split.mismatch"]]).toEqual([true, 0, true])
    expect(ran(config, [], { description: "Tram" })).toMatchObject({ shown: true, lines: new Map() })
  })

  it("keep what a person said of the record, and split the amount that a person gave it", () => {
    const notes: RecordNotes = {
      words: [
        { field: "category", value: "MINE", factId: "fact_1" },
        { field: "amount", value: "-50", factId: "fact_2" }
      ],
      silent: new Map(),
      claims: new Map()
    }
    const told = ran(config, [], {}, notes)
    expect(amountsOf(told)).toEqual(["-15", "-35"])
    expect(Array.from(told.lines.values(), (line) => line.fields["category"])).toEqual(["MINE", "MINE"])
    expect(
      told.lines
        .values()
        .next()
        .value!.shadows.map(({ field, value }) => [field, value])
    ).toEqual([["category", "CASH"]])
    const silent = new Map([["enr_0", new Set(["*"])]])
    expect(ran(config, [], {}, { ...notes, silent })).toMatchObject({ shown: true, lines: new Map() })
  })

  it("say what is different from the record, with the enrichment that says so", () => {
    const [cash] = ran(config).lines.values()
    expect(cash!.changes.map(({ after, before, field }) => [field, before, after])).toEqual([
      ["amount", "-100", "-15"],
      ["debitAmount", "100", "15"],
      ["split.parentId", null, "txn_1"],
      ["split.key", null, "cash"],
      ["split.of", null, "2"],
      ["category", "OTHER", "CASH"]
    ])
  })
})
