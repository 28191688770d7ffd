import { NodeDigest } from "@millrace/adapters"
import { plainEnrichment } from "@millrace/testing/fixture"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import type { RecordKind } from "../../src/enrichment/kinds/Kind.ts"
import { bundledKinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import * as Pipeline from "../../src/enrichment/Pipeline.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { limits } from "../../src/shared/Limits.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import { describe, expect, it } from "vitest"
import { RunWork } from "../../src/enrichment/RunWork.ts"

const bundled = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 })
const kinds = kindsOf(bundled)
const recordKind = (type: string): RecordKind => {
  const kind = kinds.get(type)
  if (kind?.family !== "record") throw new Error(`${type} is no kind that looks at one record`)
  return kind
}
const rule = recordKind("rule")
const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }

const enrichment = (
  id: string,
  type: Enrichment["type"],
  config: unknown,
  rest: Partial<Omit<Enrichment, "id">> = {}
): Enrichment => plainEnrichment(type, config, { id, order: 10, ...rest })

const when = (field: string, operator: string, value?: string | number) => ({
  logic: "and",
  conditions: [{ field, operator, ...(value === undefined ? {} : { value }) }]
})
const setRule = (conditions: unknown, field: string, value: string | number, more = {}) => ({
  rules: [{ id: "r1", conditions, action: { field, value } }],
  ...more
})
const tram: Fields = { description: "TRAM TOURS", amount: "-61.2", category: "" }
const run = (enrichments: ReadonlyArray<Enrichment>, fields: Fields = tram, registry = kinds) =>
  Pipeline.run(Pipeline.compile(enrichments, "transactions", registry), { recordId: "txn", fields }, context)

const poisoned: RecordKind = {
  ...rule,
  plan: () => {
    throw new RangeError("poisoned record")
  }
}

describe("order", () => {
  it("runs by stage before order, and shows later enrichments what earlier ones wrote", () => {
    const result = run([
      enrichment("a", "rule", setRule(when("category", "equals", "Transport"), "category", "Post", { phase: "post" }), {
        order: 0
      }),
      enrichment("b", "rule", setRule(when("description", "contains", "tram"), "category", "Transport"), { order: 5 })
    ])
    expect(result.fields["category"]).toBe("Post")
    expect(result.matched).toEqual(["b", "a"])
  })

  it("lets the higher order win, and the higher id between equal orders", () => {
    const always = when("description", "isNotEmpty")
    const rules = (orders: readonly [number, number]) =>
      run([
        enrichment("a", "rule", setRule(always, "category", "A"), { order: orders[0] }),
        enrichment("b", "rule", setRule(always, "category", "B"), { order: orders[1] })
      ]).fields["category"]
    expect([rules([1, 2]), rules([2, 1]), rules([1, 1])]).toEqual(["B", "A", "B"])
  })

  it("keeps a value of greater authority when a weaker enrichment speaks later", () => {
    const guessing = { ...rule.capabilities, authority: "ai" } as const
    const registry = kindsOf([...bundled, { ...rule, type: "weak_guess", capabilities: guessing, stage: () => 70 }])
    const always = when("description", "isNotEmpty")
    const result = run(
      [
        enrichment("a", "rule", setRule(always, "category", "Rule")),
        enrichment("b", "weak_guess", {
          rules: [
            {
              conditions: always,
              actions: [
                { field: "category", value: "Model" },
                { field: "reference", value: "R" }
              ]
            }
          ]
        })
      ],
      tram,
      registry
    )
    expect(result.fields).toMatchObject({ category: "Rule", reference: "R" })
    expect(result.changes.map(({ field, enrichmentId }) => [field, enrichmentId])).toEqual([
      ["category", "a"],
      ["reference", "b"]
    ])
  })
})

describe("changes", () => {
  it("tells what each field was, what it became and which rule of which revision says so", () => {
    const result = run([
      enrichment("a", "rule", setRule(when("description", "contains", "tram"), "category", "Transport"), {
        revision: 4
      })
    ])
    expect(result.changes).toEqual([
      { field: "category", before: "", after: "Transport", enrichmentId: "a", revision: 4, path: "r1" }
    ])
  })

  it("makes one change of a field that was written twice, and none of one that ends as it began", () => {
    const always = when("description", "isNotEmpty")
    const twice = run([
      enrichment("a", "rule", setRule(always, "category", "A")),
      enrichment("b", "rule", setRule(always, "category", "B")),
      enrichment("c", "rule", setRule(always, "description", "TRAM TOURS"))
    ])
    expect(twice.changes.map(({ field, after }) => [field, after])).toEqual([["category", "B"]])
    expect(twice.matched).toEqual(["a", "b", "c"])
  })

  it("moves credit and debit with the amount", () => {
    const result = run([enrichment("a", "rule", setRule(when("description", "isNotEmpty"), "amount", "12.50"))])
    expect(result.fields).toMatchObject({ amount: "12.5", creditAmount: "12.5", debitAmount: "0" })
  })

  it("hands back the very record, and shared empty lists, where nothing applies", () => {
    const pipeline = Pipeline.compile(
      [enrichment("a", "rule", setRule(when("description", "contains", "bus"), "category", "Bus"))],
      "transactions",
      kinds
    )
    const [one, two] = [1, 2].map(() => Pipeline.run(pipeline, { recordId: "txn", fields: tram }, context))
    expect(one!.fields).toBe(tram)
    expect(one!.changes).toBe(two!.changes)
    expect(one).toMatchObject({ verdict: { value: "deliver", enrichmentId: null }, matched: [], faults: [] })
  })

  it("leaves the record that was given as it was", () => {
    const fields = Object.freeze({ ...tram })
    expect(
      run([enrichment("a", "rule", setRule(when("description", "contains", "tram"), "category", "T"))], fields).fields
    ).not.toBe(fields)
    expect(fields).toEqual(tram)
  })
})

describe("verdicts", () => {
  const dropTram = enrichment("d", "filter", {
    conditions: when("description", "contains", "tram"),
    reason: "no trams"
  })
  const holdAll = enrichment("h", "filter", {
    mode: "keep",
    conditions: when("description", "isNotEmpty"),
    hold: when("amount", "lt", 0)
  })

  it("prefers drop to hold and hold to deliver, whatever the order", () => {
    expect(run([holdAll]).verdict.value).toBe("hold")
    for (const filters of [
      [dropTram, holdAll],
      [holdAll, dropTram]
    ])
      expect(run(filters).verdict).toEqual({
        value: "drop",
        enrichmentId: "d",
        revision: 1,
        reason: "no trams",
        path: "conditions",
        removeDelivered: false
      })
  })

  it("asks for the removal of a delivered row when one of the filters that drop it does", () => {
    const remove = enrichment("e", "filter", { conditions: when("amount", "lt", 0), onDropAfterDelivery: "remove" })
    expect(run([dropTram, remove]).verdict).toMatchObject({ enrichmentId: "d", removeDelivered: true })
    expect(run([dropTram]).verdict.removeDelivered).toBe(false)
  })

  it("decides on the record as the rules left it", () => {
    const rename = enrichment("r", "rule", setRule(when("description", "contains", "tram"), "description", "Bus"))
    expect(run([dropTram, rename]).verdict.value).toBe("deliver")
  })
})

describe("faults", () => {
  const good = enrichment("g", "rule", setRule(when("description", "contains", "tram"), "category", "T"))

  it("keeps a failing enrichment from disturbing the others", () => {
    const registry = kindsOf([...bundled, { ...poisoned, type: "another", stage: () => 30 }])
    const bad = enrichment("b", "another", setRule(when("description", "isNotEmpty"), "category", "X"))
    const result = run([bad, good], tram, registry)
    expect(result.fields["category"]).toBe("T")
    expect(result.faults).toEqual([{ enrichmentId: "b", message: "RangeError: poisoned record" }])
  })

  it.each([
    ["hold", "hold"],
    ["deliver", "deliver"]
  ] as const)("gives %s for a filter that fails and says so", (onFault, value) => {
    const registry = kindsOf([rule, { ...recordKind("filter"), plan: poisoned.plan }])
    const bad = enrichment("f", "filter", { conditions: when("description", "isNotEmpty"), onFault })
    const result = run([bad, good], tram, registry)
    expect(result.verdict.value).toBe(value)
    expect(result.faults).toHaveLength(1)
    expect(result.fields["category"]).toBe("T")
  })

  it("holds everything back where a kind of the program that decides on delivery cannot run", () => {
    const gate = { ...recordKind("filter"), type: "gate" }
    const result = run([enrichment("g", "gate", { conditions: 1 }), good], tram, kindsOf([...bundled, gate]))
    expect([result.verdict.value, result.fields["category"]]).toEqual(["hold", "T"])
  })

  it.each(["Rule", "r", "rule", "no name", "1st"])("is given no second kind, and none without a name: %s", (type) => {
    expect(() => kindsOf([...bundled, { ...rule, type }])).toThrow(`"${type}"`)
  })

  it("notes a kind it does not know once and runs the rest", () => {
    const pipeline = Pipeline.compile([enrichment("m", "unheard_of", {}), good], "transactions", kinds)
    expect(pipeline.faults).toEqual([
      {
        enrichmentId: "m",
        message: `enrichments of type unheard_of cannot run here; there are ${bundled.map(({ type }) => type).join(", ")}`
      }
    ])
    const result = Pipeline.run(pipeline, { recordId: "txn", fields: tram }, context)
    expect([result.fields["category"], result.faults]).toEqual(["T", []])
  })

  it("holds everything behind a filter whose stored settings cannot be read", () => {
    const broken = enrichment("f", "filter", { conditions: when("description", "like", "x") })
    const pipeline = Pipeline.compile([broken], "transactions", kinds)
    expect(pipeline.faults[0]?.message).toContain("conditions.conditions[0].operator: unknown operator")
    expect(Pipeline.run(pipeline, { recordId: "txn", fields: tram }, context).verdict).toMatchObject({
      value: "hold",
      enrichmentId: "f"
    })
  })
})

const sign = (...list: ReadonlyArray<Enrichment>) => Pipeline.compile(list, "transactions", kinds).signature

describe("compiling", () => {
  it("adds the fields that enrichments declare to the catalog, for later ones to read as their type", () => {
    const pipeline = Pipeline.compile(
      [
        enrichment("a", "rule", setRule(when("description", "contains", "tram"), "score", 9)),
        enrichment("b", "rule", setRule(when("score", "gt", "8.5"), "category", "High"), { order: 20 })
      ],
      "transactions",
      kinds
    )
    expect(pipeline.catalog.get("score")).toBe("num")
    expect(Pipeline.run(pipeline, { recordId: "txn", fields: tram }, context).fields).toMatchObject({
      score: "9",
      category: "High"
    })
  })

  it("leaves out what is disabled or for another data type", () => {
    const pipeline = Pipeline.compile(
      [enrichment("a", "rule", {}, { enabled: false }), enrichment("b", "rule", {}, { dataType: "balances" })],
      "transactions",
      kinds
    )
    expect(pipeline).toMatchObject({ steps: [], faults: [], signature: "" })
  })

  it("signs equal sets of revisions equally and others differently", () => {
    const make = (revision: number) =>
      enrichment("a", "rule", setRule(when("description", "isEmpty"), "category", "x"), { revision })
    const other = enrichment("b", "filter", { conditions: when("description", "isEmpty") })
    expect(sign(make(1), other)).toBe(sign(other, make(1)))
    expect(sign(make(1), other)).not.toBe(sign(make(2), other))
  })
})

const claiming = (from: number, count: number): RecordKind => ({
  ...rule,
  plan: () => ({
    claims: Array.from({ length: count }, (_, n) => ({ field: `custom${from + n}`, value: `${n}`, path: "r1" }))
  })
})

describe("claims of one row", () => {
  const config = setRule(when("description", "isNotEmpty"), "category", "Transport")
  const runWith = (kind: RecordKind) =>
    run(
      [
        enrichment("a", "many", config),
        enrichment("b", "rest", config, { order: 20 }),
        enrichment("c", "rule", config, { order: 30 })
      ],
      tram,
      kindsOf([rule, { ...claiming(0, limits.viewClaims - 2), type: "many" }, { ...kind, type: "rest" }])
    )

  it("are as many as the limit says, and an enrichment that says more says nothing of the row", () => {
    const within = runWith(claiming(1_000, 1))
    expect([within.faults, within.changes.length, within.fields["category"]]).toEqual([
      [],
      limits.viewClaims,
      "Transport"
    ])
    const beyond = runWith(claiming(1_000, 3))
    expect(beyond.faults).toEqual([
      { enrichmentId: "b", message: expect.stringContaining(`limit: with what it says the row would have more than`) }
    ])
    expect([beyond.fields["custom1000"], beyond.fields["category"], beyond.matched]).toEqual([
      undefined,
      "Transport",
      ["a", "c"]
    ])
  })

  it("count once for each field that an enrichment speaks of", () => {
    const again: RecordKind = {
      ...rule,
      plan: () => ({ claims: Array.from({ length: 9 }, (_, n) => ({ field: "notes", value: `${n}`, path: "r1" })) })
    }
    expect(runWith(again).faults).toEqual([])
  })
})

describe("a record that is asked for step by step", () => {
  const always = when("description", "isNotEmpty")
  const halves = {
    rules: [
      {
        id: "shared",
        conditions: always,
        lines: [
          { key: "mine", method: "percent", value: "60" },
          { key: "yours", method: "remainder", set: { category: "Shared" } }
        ]
      }
    ]
  }
  const said = { path: "p", evidence: null, field: "dedupe.state", value: "posted" }
  const notes = { words: [], silent: new Map(), claims: new Map([["b", [said]]]) }
  const pipeline = Pipeline.compile(
    [
      enrichment("a", "rule", setRule(always, "category", "A", { phase: "pre" })),
      enrichment("b", "dedupe", {}),
      enrichment("c", "rule", setRule(when("category", "equals", "A"), "category", "C")),
      enrichment("d", "split", halves),
      enrichment("e", "rule", setRule(when("category", "equals", "Shared"), "notes", "E", { phase: "post" }))
    ],
    "transactions",
    kinds
  )
  const view = { recordId: "txn", fields: tram }
  const at = (id: string) => pipeline.steps.findIndex(({ enrichment: one }) => one.id === id)
  // What a set kind says is known once it has been asked.
  const notesBefore = (before: number) => (before > at("b") ? notes : undefined)

  it("is before each step what it would be if it had been asked for there alone, and so are its lines", () => {
    const walk = new Pipeline.RecordWalk(pipeline, view, context, {})
    for (let before = 0; before <= pipeline.steps.length; before++) {
      const alone = Pipeline.runWithLines(pipeline, view, context, { before, notes: notesBefore(before) })
      expect({ ...walk.fieldsBefore(before, notesBefore(before)) }).toEqual(alone.record.fields)
      const lines = walk.linesBefore(before, notesBefore(before))
      expect([...lines]).toEqual(Array.from(alone.lines, ([id, { fields }]) => [id, fields]))
    }
    expect(walk.fieldsBefore(pipeline.steps.length, notes)).toMatchObject({ category: "C", "dedupe.state": "posted" })
    const last = [...walk.linesBefore(pipeline.steps.length, notes).values()]
    expect(last.map(({ category, notes: text }) => [category, text])).toEqual([
      ["C", undefined],
      ["Shared", "E"]
    ])
    expect(tram["category"]).toBe("")
  })

  it("has lines that come to the same whether or not they were asked for on the way", () => {
    const walk = new Pipeline.RecordWalk(pipeline, view, context, { notes })
    walk.fieldsBefore(pipeline.steps.length - 1, notes)
    const alone = Pipeline.runWithLines(pipeline, view, context, { notes })
    const lines = walk.linesBefore(pipeline.steps.length, notes)
    expect([...lines]).toEqual(Array.from(alone.lines, ([id, { fields }]) => [id, fields]))
  })

  it("runs no step twice, and never goes back", () => {
    let asked = 0
    const counting: RecordKind = { ...rule, plan: (...given) => (asked++, rule.plan(...given)) }
    const counted = Pipeline.compile(
      [
        enrichment("a", "rule", setRule(always, "category", "A")),
        enrichment("b", "rule", setRule(always, "notes", "B"))
      ],
      "transactions",
      kindsOf([...bundled.filter(({ type }) => type !== "rule"), counting])
    )
    const walk = new Pipeline.RecordWalk(counted, view, context, {})
    walk.fieldsBefore(1, undefined)
    walk.fieldsBefore(1, undefined)
    walk.linesBefore(2, undefined)
    expect(asked).toBe(2)
    expect(() => walk.fieldsBefore(1, undefined)).toThrow(RangeError)
  })
})
