import { describe, expect, it } from "vitest"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { bundledKinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import * as Pipeline from "../../src/enrichment/Pipeline.ts"
import { asideMessage, RunWork } from "../../src/enrichment/RunWork.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"

const kinds = kindsOf(bundledKinds({ patterns: provenPatterns, sha256: (text) => text }))
const today = CalendarDate.make("2026-05-31")

const enrichment = (id: string, type: string, config: unknown): Enrichment =>
  ({
    id,
    type,
    config,
    workspaceId: "ws_1",
    name: type,
    dataType: "transactions",
    allFeeds: true,
    feedIds: [],
    enabled: true,
    order: 0,
    revision: 1,
    version: 1
  }) as unknown as Enrichment

const anything = { logic: "and", conditions: [{ field: "description", operator: "isNotEmpty" }] }

/** As many patterns as a rule may have. Each is linear. */
const extracts = enrichment("enr_extracts", "rule", {
  rules: Array.from({ length: limits.rulesPerEnrichment }, (_, n) => ({
    id: `r${n}`,
    conditions: anything,
    action: {
      kind: "regexExtract",
      field: `f${n % 100}`,
      source: "description",
      pattern: `(?:[ab]|[cd]|[ef])${n}z`,
      group: 0
    }
  }))
})

const filter = enrichment("enr_filter", "filter", {
  conditions: {
    logic: "or",
    conditions: Array.from({ length: 250 }, (_, n) => ({
      field: "description",
      operator: "matches",
      value: `(?:[ab]|[cd]|[ef])${n}z`
    }))
  },
  onFault: "deliver"
})

/** Each template would render 1.3 MB, and each is rendered from what the one before wrote. */
const templates = enrichment("enr_templates", "rule", {
  rules: Array.from({ length: 50 }, (_, n) => ({
    id: `t${n}`,
    conditions: anything,
    action: { kind: "template", field: n % 2 === 0 ? "description" : "notes", template: "{{description}}".repeat(133) }
  }))
})

const long = "abcdef ".repeat(1_500)
const compiled = (...enrichments: ReadonlyArray<Enrichment>) => Pipeline.compile(enrichments, "transactions", kinds)
const viewOf = (recordId: string, description: string) => ({ recordId, fields: { description } })

describe("the work of a run", () => {
  it("sets an enrichment aside that needs too much for a record, for this record and those behind it", () => {
    const pipeline = compiled(extracts)
    const work = new RunWork()
    const of = (recordId: string, description: string) =>
      Pipeline.run(pipeline, viewOf(recordId, description), { today, work })
    expect(of("one", "a7z").changes.map(({ after }) => after)).toEqual(["a7z"])
    const over = of("two", long)
    expect([over.changes, over.faults, over.isPartial]).toEqual([
      [],
      [{ enrichmentId: extracts.id, message: asideMessage }],
      true
    ])
    const spent = work.spent
    expect(of("three", "a7z").changes).toEqual([])
    expect(work.spent).toBe(spent)
    expect(spent).toBeLessThan(limits.recordWork * 1.2)
  })

  it("keeps what it said before", () => {
    const pipeline = compiled(extracts)
    const claims = new Map([[extracts.id as string, [{ field: "f7", value: "before", path: "r7" }]]])
    const earlier: Pipeline.Earlier = (rowId) => (rowId === "two" ? claims : undefined)
    const context = { today, work: new RunWork() }
    const result = Pipeline.run(pipeline, viewOf("two", long), context, { earlier })
    expect(result.fields["f7"]).toBe("before")
    expect(result.changes).toMatchObject([{ field: "f7", after: "before", enrichmentId: extracts.id, path: "r7" }])
  })

  it("lets nothing through where it decides on delivery, whatever should happen on faults", () => {
    const pipeline = compiled(filter)
    const context = { today, work: new RunWork() }
    expect(Pipeline.run(pipeline, viewOf("one", "plain"), context).verdict.value).toBe("deliver")
    for (const text of [long, "plain"]) {
      const { verdict } = Pipeline.run(pipeline, viewOf("two", text), context)
      expect([verdict.value, verdict.enrichmentId]).toEqual(["hold", filter.id])
    }
  })

  it("leaves the others alone", () => {
    const tagged = enrichment("enr_tag", "rule", {
      phase: "post",
      rules: [{ id: "tag", conditions: anything, action: { field: "notes", value: "seen" } }]
    })
    const result = Pipeline.run(compiled(extracts, tagged), viewOf("one", long), { today, work: new RunWork() })
    expect(result.fields["notes"]).toBe("seen")
  })

  it("ends what stays just below the limit of a record, record after record", () => {
    const pipeline = compiled(extracts)
    const work = new RunWork()
    const text = long.slice(0, 700)
    let records = 0
    while (work.setAside.size === 0) {
      Pipeline.run(pipeline, viewOf(`r${records}`, text), { today, work })
      if (++records > 10_000) throw new Error("it goes on for ever")
    }
    expect(records).toBeGreaterThan(1)
    expect(work.spent).toBeLessThan(limits.runWork + (records + 1) * limits.averageWork + limits.recordWork)
  })

  it("renders no more of a template than is kept", () => {
    const work = new RunWork()
    const { faults, fields } = Pipeline.run(compiled(templates), viewOf("one", long), { today, work })
    expect(faults).toEqual([])
    expect(String(fields["description"])).toHaveLength(limits.textLength)
    expect(String(fields["description"])).toBe(long.repeat(2).slice(0, limits.textLength))
    expect(work.spent).toBeLessThan(50 * 8 * limits.textLength)
  })
})
