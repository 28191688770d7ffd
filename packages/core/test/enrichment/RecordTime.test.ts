import { plainEnrichment } from "@millrace/testing/fixture"
import { NodeDigest } from "@millrace/adapters"
import { describe, expect, it } from "vitest"
import type { RecordKind } from "../../src/enrichment/kinds/Kind.ts"
import { bundledKinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import * as Pipeline from "../../src/enrichment/Pipeline.ts"
import { slowRecordMessage, timedRecord } from "../../src/enrichment/RecordTime.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"

const bundled = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 })
const rule = bundled.find(({ type }) => type === "rule") as RecordKind
const context = { today: CalendarDate.make("2026-05-31") }
const view = { recordId: "txn", fields: { description: "TRAM", amount: "-1" } }
const config = {
  rules: [
    {
      conditions: { logic: "and", conditions: [{ field: "description", operator: "equals", value: "TRAM" }] },
      action: { field: "category", value: "Transport" }
    }
  ]
}

/** What is told of three enrichments, of which the second takes so long each time that it is asked. */
const toldOf = (took: (time: number) => number) => {
  let [millis, times] = [0, 0]
  const slow: RecordKind = {
    ...rule,
    type: "slow",
    plan: (...input) => {
      millis += took(times++)
      return rule.plan(...input)
    }
  }
  const all = [
    ["a", "rule"],
    ["b", "slow"],
    ["c", "rule"]
  ] as const
  const pipeline = Pipeline.compile(
    all.map(([id, type]) => plainEnrichment(type, config, { id, order: 10 })),
    "transactions",
    kindsOf([...bundled, slow])
  )
  const told: Array<Pipeline.PipelineFault> = []
  const { fields } = timedRecord(
    () => millis,
    pipeline,
    (fault) => told.push(fault),
    (timed) => Pipeline.run(timed, view, context)
  )
  return { category: fields["category"], told, times }
}

describe("the time that a record takes", () => {
  it("is told of the enrichment that takes too long, and what it says stands", () => {
    expect(toldOf(() => limits.recordMillis + 1)).toEqual({
      category: "Transport",
      told: [{ enrichmentId: "b", message: slowRecordMessage }],
      times: 2
    })
  })

  it("is told of nobody where it was a pause that does not come back, or within the limit", () => {
    expect(toldOf((time) => (time === 0 ? 5_000 : 1)).told).toEqual([])
    expect(toldOf(() => limits.recordMillis)).toEqual({ category: "Transport", told: [], times: 1 })
  })
})
