import { bind, type FilterEnvironment } from "../../src/filter/Bind.ts"
import { compile } from "../../src/filter/Compile.ts"
import type { FilterField, FilterFields, RowValues } from "../../src/filter/FilterField.ts"
import type { FilterNode } from "../../src/filter/FilterNode.ts"
import * as Plan from "../../src/filter/FilterPlan.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const fields: FilterFields = new Map<string, FilterField>([
  ["title", { type: "text" }],
  ["amount", { type: "number" }],
  ["fee", { type: "number" }],
  ["day", { type: "date" }],
  ["at", { type: "datetime" }],
  ["open", { type: "boolean" }],
  ["kind", { type: "key", keys: new Map([["Food", "opt_food"]]) }],
  ["tags", { type: "keys" }],
  ["parts", { type: "keys", related: new Map([["name", { type: "text" }]]) }]
])
const environment: FilterEnvironment = {
  now: Timestamp.make("2026-03-29T22:30:00.000Z"),
  zone: "UTC",
  patterns: provenPatterns
}
const faultsOf = (node: FilterNode, more: Partial<FilterEnvironment> = {}): ReadonlyArray<string> => {
  const result = bind(node, fields, { ...environment, ...more })
  return Result.isFailure(result)
    ? result.failure.map(({ code, field, message }) => `${code} ${field}: ${message}`)
    : []
}
const answer = (node: FilterNode, row: RowValues, more: Partial<FilterEnvironment> = {}): boolean | null => {
  const plan = Result.getOrThrow(bind(node, fields, { ...environment, ...more }))
  return compile(plan)(row) ? true : compile(Plan.not(plan))(row) ? false : null
}

const listed = (clauses: number): FilterNode => ({
  logic: "or",
  conditions: Array.from({ length: clauses }, () => ({ field: "at", op: "in", value: { $param: "days" } }))
})

describe("bind", () => {
  it.each<[FilterNode, string | RegExp]>([
    [{ field: "none", op: "is-null" }, 'FILTER_INVALID field: "none" is no field'],
    [{ field: "title.name", op: "is-null" }, 'FILTER_INVALID field: "title" is no relation'],
    [{ field: "parts.none", op: "is-null" }, 'FILTER_INVALID field: "parts" leads to rows without a field "none"'],
    [{ field: "amount", op: "contains", value: "1" }, "FILTER_INVALID op: contains does not apply to numbers"],
    [{ field: "title", op: "has-passed" }, "FILTER_INVALID op: has-passed does not apply to text"],
    [{ field: "amount", op: "eq", value: "1,5" }, "FILTER_INVALID value: must be a number such as -12.50"],
    [{ field: "amount", op: "eq", value: "1".repeat(31) }, "FILTER_INVALID value: must have at most 30 characters"],
    [{ field: "amount", op: "between", value: 3 }, "FILTER_INVALID value: must be {min, max}"],
    [
      { field: "amount", op: "between", value: { min: 2, max: "1" } },
      "FILTER_INVALID value: must not end before it begins"
    ],
    [{ field: "day", op: "eq", value: "2026-02-30" }, /FILTER_INVALID value: must be a date \(YYYY-MM-DD\)/],
    [{ field: "at", op: "eq", value: "2026-03-01T10:00:00" }, /FILTER_INVALID value: must be a date .* with an offset/],
    [{ field: "open", op: "eq", value: "yes" }, "FILTER_INVALID value: must be true or false"],
    [{ field: "title", op: "in", value: "a" }, "FILTER_INVALID value: must be a list of texts or numbers"],
    [{ field: "title", op: "eq", value: ["a"] }, "FILTER_INVALID value: must be one text or number"],
    [{ field: "title", op: "gt", value: null }, "FILTER_INVALID value: gt takes no null"],
    [
      { field: "title", op: "matches", value: "(?=a)" },
      /^UNSAFE_PATTERN value: is not a supported pattern: .* at position 1$/
    ],
    [
      { field: "amount", op: "gt", value: { $field: "none" } },
      'FILTER_INVALID value: "none" is no field of the same row'
    ],
    [
      { field: "amount", op: "gt", value: { $field: "title" } },
      'FILTER_INVALID value: "title" and "amount" are of types that cannot be compared'
    ],
    [
      { field: "parts.name", op: "eq", value: { $field: "title" } },
      "FILTER_INVALID value: {$field} cannot be used with a field of a relation"
    ],
    [{ field: "amount", op: "eq", value: { $param: "low" } }, 'PARAM_REQUIRED value: parameter "low" has no value'],
    [{ field: "amount", op: "eq", value: { $filter: "f1" } }, 'FILTER_INVALID value: "f1" is no filter of a dashboard']
  ])("refuses %j", (node, expected) => {
    const [first, ...more] = faultsOf(node)
    expect(first).toMatch(expected)
    expect(more).toEqual([])
  })

  it("names every mistake of a tree at its path", () => {
    const bad: FilterNode = { field: "none", op: "is-null" }
    expect(faultsOf({ logic: "and", conditions: [bad, { logic: "not", condition: bad }] })).toEqual([
      'FILTER_INVALID conditions[0].field: "none" is no field',
      'FILTER_INVALID conditions[1].condition.field: "none" is no field'
    ])
  })

  it("takes at most 10,000 items in all lists together, parameters counted wherever they stand", () => {
    const params = new Map([["days", Array.from({ length: 1_000 }, () => "2026-01-01")]])
    expect(faultsOf(listed(10), { params })).toEqual([])
    expect(faultsOf(listed(11), { params })).toEqual([
      "FILTER_INVALID : has 11000 items in its lists; at most 10000 are possible"
    ])
  })

  it("compares choices by key, and takes the label of a choice for its key", () => {
    expect(answer({ field: "kind", op: "eq", value: "Food" }, { kind: "opt_food" })).toBe(true)
    expect(answer({ field: "kind", op: "eq", value: "opt_FOOD" }, { kind: "opt_food" })).toBe(false)
  })

  it("compares numbers as numbers, even where they are sent as text", () => {
    expect(answer({ field: "amount", op: "gt", value: "9" }, { amount: "10" })).toBe(true)
    expect(answer({ field: "amount", op: "eq", value: "10.00" }, { amount: "10" })).toBe(true)
  })

  it("takes a date for the whole day in the time zone where instants are compared, in days of 23 hours too", () => {
    const inBerlin = { zone: "Europe/Berlin" }
    const on: FilterNode = { field: "at", op: "eq", value: "2026-03-29" }
    expect(answer(on, { at: "2026-03-28T22:59:59.999Z" }, inBerlin)).toBe(false)
    expect(answer(on, { at: "2026-03-28T23:00:00.000Z" }, inBerlin)).toBe(true)
    expect(answer(on, { at: "2026-03-29T21:59:59.999Z" }, inBerlin)).toBe(true)
    expect(answer(on, { at: "2026-03-29T22:00:00.000Z" }, inBerlin)).toBe(false)
    expect(answer({ ...on, op: "gt" }, { at: "2026-03-29T21:59:59.999Z" }, inBerlin)).toBe(false)
    expect(answer({ ...on, op: "gt" }, { at: "2026-03-29T22:00:00.000Z" }, inBerlin)).toBe(true)
    expect(answer({ ...on, op: "lte" }, { at: "2026-03-29T21:59:59.999Z" }, inBerlin)).toBe(true)
    expect(answer({ ...on, op: "lt" }, { at: "2026-03-28T23:00:00.000Z" }, inBerlin)).toBe(false)
  })

  it("reads relative dates in the time zone, with one reading of the clock", () => {
    const today: FilterNode = { field: "day", op: "eq", value: { rel: "today" } }
    expect(answer(today, { day: "2026-03-29" })).toBe(true)
    // In Berlin it is half past midnight of the next day.
    expect(answer(today, { day: "2026-03-30" }, { zone: "Europe/Berlin" })).toBe(true)
    expect(answer({ ...today, value: { rel: "mtd" } }, { day: "2026-03-01" })).toBe(true)
    expect(answer({ ...today, value: { rel: "mtd" } }, { day: "2026-02-28" })).toBe(false)
    expect(answer({ ...today, op: "lt", value: { rel: "7d" } }, { day: "2026-03-22" })).toBe(true)
    expect(answer({ ...today, op: "lt", value: { rel: "7d" } }, { day: "2026-03-23" })).toBe(false)
  })

  it("says of a row without a value neither true nor false, unless the clause is optional", () => {
    const node: FilterNode = { field: "amount", op: "gt", value: 1 }
    expect(answer(node, {})).toBe(null)
    expect(answer(node, { amount: null })).toBe(null)
    expect(answer({ logic: "not", condition: node }, {})).toBe(null)
    expect(answer({ ...node, optional: true }, {})).toBe(true)
    expect(answer({ ...node, optional: true }, { amount: "0" })).toBe(false)
  })

  it("gives empty lists and groups their meaning, whatever the row holds", () => {
    expect(answer({ field: "title", op: "in", value: [] }, {})).toBe(false)
    expect(answer({ field: "title", op: "nin", value: [] }, {})).toBe(true)
    expect(answer({ logic: "and", conditions: [] }, {})).toBe(true)
    expect(answer({ logic: "or", conditions: [] }, {})).toBe(false)
    expect(answer({ logic: "not", condition: { logic: "or", conditions: [] } }, {})).toBe(true)
  })

  it("leaves out clauses on dashboard filters without a value, and groups of which nothing is left", () => {
    const open: FilterNode = { field: "open", op: "eq", value: { $filter: "f1" } }
    const filters = new Map([["f1", undefined]])
    expect(answer(open, { open: false }, { filters })).toBe(true)
    expect(answer({ logic: "or", conditions: [open] }, { open: false }, { filters })).toBe(true)
    expect(answer({ logic: "not", condition: open }, {}, { filters })).toBe(true)
    const both: FilterNode = { logic: "or", conditions: [open, { field: "amount", op: "eq", value: 1 }] }
    expect(answer(both, { amount: "2" }, { filters })).toBe(false)
    expect(answer(open, { open: false }, { filters: new Map([["f1", true]]) })).toBe(false)
  })

  it("takes parameters of the server before those of a viewer", () => {
    const mine: FilterNode = { field: "title", op: "eq", value: { $param: "me" } }
    const params = new Map([["me", "them"]])
    expect(answer(mine, { title: "them" }, { params })).toBe(true)
    expect(answer(mine, { title: "them" }, { params, bound: new Map([["me", "us"]]) })).toBe(false)
  })

  it("finds a clause on a field that is gone unknown in a saved filter", () => {
    const gone: FilterNode = { field: "gone", op: "is-null" }
    expect(answer(gone, {}, { stored: true })).toBe(null)
    expect(answer({ ...gone, optional: true }, {}, { stored: true })).toBe(true)
  })
})
