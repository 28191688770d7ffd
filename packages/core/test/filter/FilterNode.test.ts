import { FilterNode } from "../../src/filter/FilterNode.ts"
import { limits } from "../../src/shared/Limits.ts"
import { decode } from "../../src/shared/StrictDecoding.ts"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const faultsOf = (input: unknown): ReadonlyArray<string> => {
  const result = decode(FilterNode, input)
  return Result.isFailure(result) ? result.failure.map(({ field, message }) => `${field}: ${message}`) : []
}
const clause = { field: "amount", op: "eq", value: 1 }
const wide = (count: number) => ({ logic: "or", conditions: Array.from({ length: count }, () => clause) })
const nested = (depth: number): unknown => (depth === 1 ? clause : { logic: "not", condition: nested(depth - 1) })

const matching = (patterns: number) => ({
  logic: "or",
  conditions: Array.from({ length: patterns }, () => ({ field: "a", op: "matches", value: "b" }))
})

describe("FilterNode", () => {
  it.each<[string, unknown, ReadonlyArray<string | RegExp>]>([
    ["an unknown operator", { ...clause, op: "equals" }, [/^op: must be one of eq, neq, gt/]],
    ["a missing value", { field: "a", op: "eq" }, ["value: is missing"]],
    ["a value where none belongs", { field: "a", op: "is-null", value: 1 }, ["value: is not taken by is-null"]],
    ["a misspelt key", { feild: "a", op: "eq", value: 1 }, ["feild: is not a known key", "field: is missing"]],
    ["an empty field", { ...clause, field: "" }, [/^field: /]],
    ["a text with NUL", { ...clause, value: "a\0" }, ["value: must not hold NUL or half a surrogate pair"]],
    ["half a letter", { ...clause, value: "\ud800" }, ["value: must not hold NUL or half a surrogate pair"]],
    ["a long text", { ...clause, value: "x".repeat(2_001) }, ["value: must have at most 2000 characters"]],
    ["an unknown period", { ...clause, value: { rel: "3d" } }, [/^value.rel: must be one of today, yesterday/]],
    ["half a range of dates", { ...clause, op: "between", value: { start: "2026-01-01" } }, ["value.end: is missing"]],
    ["a range of objects", { ...clause, op: "between", value: { min: {}, max: 1 } }, ["value.min: must be a number"]],
    ["a list of truth values", { ...clause, op: "in", value: [true] }, ["value[0]: must be text or a number"]],
    [
      "a list that is too long",
      { ...clause, op: "in", value: Array.from({ length: 1_001 }, (_, n) => n) },
      ["value: must have at most 1000 items"]
    ],
    ["a flag that is no truth value", { ...clause, security: "yes" }, [/^security: /]],
    ["unknown logic", { logic: "xor", conditions: [] }, ["logic: must be and, or or not"]],
    [
      "a group with one condition",
      { logic: "and", condition: clause },
      ["condition: is not a known key", "conditions: is missing"]
    ],
    [
      "a negation of several",
      { logic: "not", conditions: [] },
      ["conditions: is not a known key", "condition: is missing"]
    ],
    [
      "several mistakes at once",
      {
        logic: "and",
        conditions: [
          { field: "a", op: "zz", value: 1 },
          { logic: "or", conditions: [{ op: "eq", value: 2 }] }
        ]
      },
      [/^conditions\[0\].op: /, "conditions[1].conditions[0].field: is missing"]
    ],
    ["a list in place of a tree", [], [/^: must be a clause \{field, op, value\}/]],
    ["nothing", null, [/^: must be a clause \{field, op, value\}/]]
  ])("refuses %s and says where it stands", (_, input, expected) => {
    const faults = faultsOf(input)
    expect(faults).toHaveLength(expected.length)
    for (const [at, fault] of faults.entries()) expect(fault).toMatch(expected[at]!)
  })

  it("takes trees up to the limits and none beyond", () => {
    expect(faultsOf(wide(limits.filterNodes - 1))).toEqual([])
    expect(faultsOf(wide(limits.filterNodes))).toEqual([": has 257 clauses and groups; at most 256 are possible"])
    expect(faultsOf(matching(16))).toEqual([])
    expect(faultsOf(matching(17))).toEqual([": matches 17 patterns; at most 16 are possible"])
    expect(faultsOf(nested(limits.filterDepth))).toEqual([])
    expect(faultsOf(nested(limits.filterDepth + 1))).toEqual([": is nested 9 deep; at most 8 are possible"])
  })
})
