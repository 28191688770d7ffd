import { describe, expect, it } from "@effect/vitest"
import { customary, merchant, merchants } from "../merchants.ts"
import { digest } from "../rules/Edited.ts"
import { jsonRulesEngine } from "../rules/jsonRulesEngine.ts"
import { naive } from "../rules/naive.ts"
import { ours } from "../rules/ours.ts"
import { textRules } from "../rules/TextRule.ts"
import { transactions } from "../transactions.ts"

const rows = transactions({ seed: 3, count: 2_000 })

describe("rules of the benchmark", () => {
  it("make the same of transactions with every contender", async () => {
    const rules = textRules(500)
    const edited = naive(rules)(rows)
    expect(digest(ours(rules)(rows))).toBe(digest(edited))
    const changed = edited.slice(0, 20).map(({ at }) => rows[at]!)
    expect(digest(await jsonRulesEngine(rules)(changed))).toBe(digest(naive(rules)(changed)))
  })

  it("find about one row in eleven, and by all kinds of rules", () => {
    const rules = textRules(500)
    const edited = naive(rules)(rows)
    expect(edited.length).toBeGreaterThan(rows.length * 0.06)
    expect(edited.length).toBeLessThan(rows.length * 0.12)
    for (const how of ["contains", "equals", "matches", "containsAndSpends"])
      expect(naive(rules.filter(({ asked }) => asked.how === how))(rows).length).toBeGreaterThan(0)
  })

  it("are 325 contains, 100 equals, 50 patterns and 25 with an amount", () => {
    const counts = Object.groupBy(textRules(500), ({ asked }) => asked.how)
    expect(Object.fromEntries(Object.entries(counts).map(([how, all]) => [how, all.length]))).toEqual({
      contains: 325,
      equals: 100,
      matches: 50,
      containsAndSpends: 25
    })
  })

  it("find no more when there are 5,000", () => {
    expect(digest(ours(textRules(5_000))(rows))).toBe(digest(ours(textRules(500))(rows)))
  })
})

describe("digest", () => {
  it("differs where a value, a row or the number of hits does", () => {
    const edit = { at: 1, hits: 1, record: { category: "A" } }
    const all = [edit, { ...edit, at: 2 }, { ...edit, hits: 2 }, { ...edit, record: { category: "B" } }]
    expect(new Set(all.map((each) => digest([each]))).size).toBe(4)
  })
})

describe("transactions", () => {
  it("are the same for the same seed, and others for another", () => {
    expect(transactions({ seed: 3, count: 50 })).toEqual(transactions({ seed: 3, count: 50 }))
    expect(transactions({ seed: 4, count: 50 })).not.toEqual(transactions({ seed: 3, count: 50 }))
  })

  it("name merchants in full, and only the customary ones", () => {
    const known = Array.from({ length: customary }, (_, n) => merchant(n))
    for (const { description } of rows.slice(0, 200))
      expect(known.some((name) => description.includes(name))).toBe(true)
    expect(new Set(Array.from({ length: merchants }, (_, n) => merchant(n))).size).toBe(merchants)
  })
})
