import { bind } from "../../src/filter/Bind.ts"
import { explainFilter } from "../../src/filter/Explain.ts"
import type { FilterField, FilterFields, RowValues } from "../../src/filter/FilterField.ts"
import { isClause, type FilterNode } from "../../src/filter/FilterNode.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import {
  interpretFilter,
  moments,
  randomFields,
  randomFilter,
  randomRelated,
  randomRow,
  Seeded
} from "@millrace/testing/model"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const fields: FilterFields = new Map<string, FilterField>([
  ["title", { type: "text" }],
  ["amount", { type: "number" }],
  ["parts", { type: "keys", related: new Map([["name", { type: "text" }]]) }]
])
const explained = (node: FilterNode, row: RowValues) => {
  const plan = Result.getOrThrow(
    bind(node, fields, { now: Timestamp.make("2026-03-14T12:00:00.000Z"), zone: "UTC", patterns: provenPatterns })
  )
  const { answer, decided } = explainFilter(node, plan, row, (_, ids) => ids.map((id) => ({ name: `part ${id}` })))
  return { answer, decided: decided.map(({ at, text }) => [at, text]) }
}
const isCoffee: FilterNode = { field: "title", op: "contains", value: "coffee" }
const isLarge: FilterNode = { field: "amount", op: "between", value: { min: 50, max: 100 } }

describe("explainFilter", () => {
  it("names the one clause that kept a row back", () => {
    expect(explained({ logic: "and", conditions: [isCoffee, isLarge] }, { title: "Coffee", amount: "12.5" })).toEqual({
      answer: false,
      decided: [["conditions[1]", 'amount is "12.5": amount between 50 to 100 is false']]
    })
  })

  it("names every clause that had to hold for a row to pass", () => {
    const { answer, decided } = explained(
      { logic: "and", conditions: [isCoffee, isLarge] },
      { title: "Coffee", amount: "60" }
    )
    expect(answer).toBe(true)
    expect(decided.map(([at]) => at)).toEqual(["conditions[0]", "conditions[1]"])
  })

  it("names the value that is missing where the answer is neither true nor false", () => {
    expect(explained({ logic: "not", condition: isLarge }, {})).toEqual({
      answer: null,
      decided: [["condition", "amount has no value: amount between 50 to 100 is unknown"]]
    })
  })

  it("shows what a relation led to", () => {
    const named: FilterNode = { field: "parts.name", op: "eq", value: "part b" }
    expect(explained(named, { parts: ["a", "b"] }).decided).toEqual([
      ["", 'parts.name is "part a", is "part b": parts.name eq "part b" is true']
    ])
    expect(explained(named, {}).decided).toEqual([
      ["", 'parts.name leads to no row: parts.name eq "part b" is unknown']
    ])
  })

  it("gives the answer of the filter, and clauses that decide it by themselves, on random filters", () => {
    const random = new Seeded(20_265)
    for (let n = 0; n < 3_000; n++) {
      const node = randomFilter(random, 4, false)
      const row = randomRow(random)
      const byId = randomRelated(random)
      const related = (_: string, ids: ReadonlyArray<string>) =>
        ids.flatMap((id) => (byId.has(id) ? [byId.get(id)!] : []))
      const moment = { now: Timestamp.make(random.pick(moments)), zone: "UTC" }
      const plan = Result.getOrThrow(bind(node, randomFields, { ...moment, patterns: provenPatterns }))
      const { answer, decided } = explainFilter(node, plan, row, related)
      expect(answer).toBe(interpretFilter(node, row, randomFields, { ...moment, related }))
      // With every other clause turned round or made unknown the answer stays.
      const kept = new Set(decided.map(({ at }) => at))
      const others = random.pick<FilterNode>([
        { logic: "and", conditions: [] },
        { logic: "or", conditions: [] },
        { field: "amount", op: "eq", value: { $field: "fee" } }
      ])
      const changed = (inner: FilterNode, at: string): FilterNode => {
        const below = (step: string) => (at === "" ? step : `${at}.${step}`)
        if (isClause(inner)) return kept.has(at) ? inner : others
        return inner.logic === "not"
          ? { ...inner, condition: changed(inner.condition, below("condition")) }
          : { ...inner, conditions: inner.conditions.map((one, index) => changed(one, below(`conditions[${index}]`))) }
      }
      // An unknown answer is the sum of what is not decided: there all parts that are not unknown have their say.
      if (answer !== null)
        expect(interpretFilter(changed(node, ""), row, randomFields, { ...moment, related })).toBe(answer)
    }
  })
})
