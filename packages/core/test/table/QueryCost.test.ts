import type { FilterPlan } from "../../src/filter/FilterPlan.ts"
import { limits } from "../../src/shared/Limits.ts"
import { comparisonsOf, tooBroad } from "../../src/table/QueryCost.ts"
import { describe, expect, it } from "vitest"

const contains: FilterPlan = {
  tag: "test",
  field: "name",
  blank: false,
  test: { tag: "text", how: "contains", values: ["x"], trimmed: false }
}
const related: FilterPlan = { tag: "related", relation: "team", part: contains }
const all = (count: number, part: FilterPlan): FilterPlan => ({
  tag: "or",
  parts: Array.from({ length: count }, () => part)
})

describe("the cost of a filter", () => {
  it("is bounded by what it asks of all rows of the table together, relations counting most", () => {
    expect(tooBroad({ rowCount: 100_000 }, all(20, related), undefined)).toMatchObject({ field: "filter" })
    expect(tooBroad({ rowCount: 100_000 }, { tag: "not", part: all(20, related) }, undefined)).toBeDefined()
    expect(tooBroad({ rowCount: 100_000 }, all(4, related), undefined)).toBeUndefined()
    expect(tooBroad({ rowCount: 100_000 }, all(100, contains), undefined)).toBeUndefined()
    expect(tooBroad({ rowCount: 100_001 }, all(100, contains), undefined)).toBeDefined()
    expect(tooBroad({ rowCount: 1_000 }, all(256, related), undefined)).toBeUndefined()
    expect(tooBroad({ rowCount: 0 }, all(256, related), undefined)).toBeUndefined()
  })

  it("does not count where rows are looked up by a value", () => {
    const exact = { facet: "fld_1", exact: true }
    expect(tooBroad({ rowCount: 1e9 }, all(256, related), exact)).toBeUndefined()
    expect(tooBroad({ rowCount: 1e9 }, all(256, related), { ...exact, exact: false })).toBeDefined()
  })

  it("says how much is possible", () => {
    const { message } = tooBroad({ rowCount: 100_000 }, all(20, related), undefined)!
    expect(message).toContain(`asks ${comparisonsOf(all(20, related))} things`)
    expect(message).toContain(`at most ${limits.queryComparisons / 100_000} are possible`)
    expect(message).toContain("compare an indexed field with eq")
  })
})
