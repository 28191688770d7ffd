/**
 * What every operator of a filter says of every kind of value (decisions 8.2). The tests of the kernel and of
 * PostgreSQL hold the evaluators to this table, and the page `docs/reference/filters.md` is printed from it.
 */
import type { CellValue, FilterClause, FilterFieldType } from "@millrace/core/filter"
import { numberOf } from "@millrace/core"
import type { Answer } from "./FilterInterpreter.ts"

export interface TruthCase {
  readonly type: FilterFieldType
  readonly clause: Omit<FilterClause, "field">
  readonly answers: ReadonlyArray<readonly [CellValue, Answer]>
}

/** The moment at which the table is asked; days begin in `truthZone`. */
export const truthNow = "2026-03-14T12:00:00.000Z"
export const truthZone = "Europe/Berlin"

const T = true
const F = false
const U = null

export const filterTruth: ReadonlyArray<TruthCase> = [
  {
    type: "text",
    clause: { op: "eq", value: "Café" },
    answers: [
      ["CAFE\u0301", T],
      ["cafe", F],
      ["", F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "eq", value: "" },
    answers: [
      ["", T],
      ["a", F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "eq", value: null },
    answers: [
      ["", F],
      ["a", F],
      [null, T]
    ]
  },
  {
    type: "number",
    clause: { op: "eq", value: "0.30" },
    answers: [
      ["0.3", T],
      ["0.30000000000000000001", F],
      [null, U]
    ]
  },
  {
    type: "boolean",
    clause: { op: "eq", value: true },
    answers: [
      [true, T],
      [false, F],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "eq", value: "2026-03-14" },
    answers: [
      ["2026-03-14", T],
      ["2026-03-15", F],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "eq", value: "2026-03-14t23:59:59" },
    answers: [
      ["2026-03-13", F],
      ["2026-03-14", T],
      ["2026-03-15", F],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "eq", value: { rel: "7d" } },
    answers: [
      ["2026-03-07", F],
      ["2026-03-08", T],
      ["2026-03-14", T],
      ["2026-03-15", F],
      [null, U]
    ]
  },
  {
    type: "datetime",
    clause: { op: "eq", value: "2026-03-14" },
    answers: [
      ["2026-03-13T22:59:59.999Z", F],
      ["2026-03-13T23:00:00.000Z", T],
      ["2026-03-14T22:59:59.999Z", T],
      ["2026-03-14T23:00:00.000Z", F],
      [null, U]
    ]
  },
  {
    type: "key",
    clause: { op: "eq", value: "abc" },
    answers: [
      ["abc", T],
      ["ABC", F],
      [null, U]
    ]
  },
  {
    type: "keys",
    clause: { op: "eq", value: "a" },
    answers: [
      [["a"], T],
      [["a", "b"], F],
      [["b"], F],
      [[], U],
      [null, U]
    ]
  },
  {
    type: "json",
    clause: { op: "eq", value: "1" },
    answers: [
      ['"1"', T],
      ["1", U],
      ["true", U],
      ['{"a":1}', U],
      [null, U]
    ]
  },
  {
    type: "json",
    clause: { op: "eq", value: 1 },
    answers: [
      ["1", T],
      ["2", F],
      ['"1"', U],
      [null, U]
    ]
  },
  {
    type: "json",
    clause: { op: "lt", value: numberOf("9007199254740993") },
    answers: [
      ["9007199254740992", T],
      ["9007199254740993", F],
      ['"9007199254740992"', U],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "neq", value: "Café" },
    answers: [
      ["CAFÉ", F],
      ["cafe", T],
      ["", T],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "neq", value: null },
    answers: [
      ["", T],
      ["a", T],
      [null, F]
    ]
  },
  {
    type: "keys",
    clause: { op: "neq", value: "a" },
    answers: [
      [["a"], F],
      [["a", "b"], T],
      [null, U]
    ]
  },
  {
    type: "number",
    clause: { op: "gt", value: 10 },
    answers: [
      ["9", F],
      ["10", F],
      ["10.01", T],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "gt", value: "b" },
    answers: [
      ["A", F],
      ["B", F],
      ["c", T],
      ["😀", T],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "gt", value: { rel: "mtd" } },
    answers: [
      ["2026-03-01", F],
      ["2026-03-14", F],
      ["2026-03-15", T],
      [null, U]
    ]
  },
  {
    type: "number",
    clause: { op: "gte", value: 10 },
    answers: [
      ["9.99", F],
      ["10", T],
      [null, U]
    ]
  },
  {
    type: "datetime",
    clause: { op: "gte", value: "2026-03-14" },
    answers: [
      ["2026-03-13T22:59:59.999Z", F],
      ["2026-03-13T23:00:00.000Z", T],
      [null, U]
    ]
  },
  {
    type: "number",
    clause: { op: "lt", value: "-50" },
    answers: [
      ["-50.01", T],
      ["-50", F],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "lt", value: { rel: "mtd" } },
    answers: [
      ["2026-02-28", T],
      ["2026-03-01", F],
      [null, U]
    ]
  },
  {
    type: "number",
    clause: { op: "lte", value: "-50" },
    answers: [
      ["-50", T],
      ["-49.99", F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "in", value: ["a", "b"] },
    answers: [
      ["B", T],
      ["c", F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "in", value: [] },
    answers: [
      ["a", F],
      [null, F]
    ]
  },
  {
    type: "keys",
    clause: { op: "in", value: ["a", "b"] },
    answers: [
      [["b", "c"], T],
      [["c"], F],
      [[], U],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "nin", value: ["a", "b"] },
    answers: [
      ["B", F],
      ["c", T],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "nin", value: [] },
    answers: [
      ["a", T],
      [null, T]
    ]
  },
  {
    type: "text",
    clause: { op: "contains", value: "STRASSE" },
    answers: [
      ["Hauptstraße 1", T],
      ["Strase", F],
      ["", F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "contains", value: "" },
    answers: [
      ["", T],
      ["a", T],
      [null, U]
    ]
  },
  {
    type: "keys",
    clause: { op: "contains", value: "a" },
    answers: [
      [["b", "a"], T],
      [["b"], F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "starts-with", value: "pos " },
    answers: [
      ["POS TRAM", T],
      [" POS TRAM", F],
      ["", F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "ends-with", value: "ag" },
    answers: [
      ["TRAM AG", T],
      ["TRAM AG ", F],
      [null, U]
    ]
  },
  {
    type: "number",
    clause: { op: "between", value: { min: 1, max: "2.5" } },
    answers: [
      ["0.99", F],
      ["1", T],
      ["2.5", T],
      ["2.51", F],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "between", value: { start: "2026-03-01", end: "2026-03-31" } },
    answers: [
      ["2026-02-28", F],
      ["2026-03-01", T],
      ["2026-03-31", T],
      ["2026-04-01", F],
      [null, U]
    ]
  },
  {
    type: "text",
    clause: { op: "is-null" },
    answers: [
      ["", F],
      ["a", F],
      [null, T]
    ]
  },
  {
    type: "keys",
    clause: { op: "is-null" },
    answers: [
      [["a"], F],
      [[], T],
      [null, T]
    ]
  },
  {
    type: "text",
    clause: { op: "is-not-null" },
    answers: [
      ["", T],
      ["a", T],
      [null, F]
    ]
  },
  {
    type: "text",
    clause: { op: "matches", value: "^POS [0-9]+" },
    answers: [
      ["POS 12", T],
      ["pos 12", F],
      ["", F],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "has-passed" },
    answers: [
      ["2026-03-13", T],
      ["2026-03-14", F],
      [null, U]
    ]
  },
  {
    type: "datetime",
    clause: { op: "has-passed" },
    answers: [
      ["2026-03-14T11:59:59.999Z", T],
      ["2026-03-14T12:00:00.000Z", F],
      [null, U]
    ]
  },
  {
    type: "date",
    clause: { op: "not-passed" },
    answers: [
      ["2026-03-13", F],
      ["2026-03-14", T],
      [null, U]
    ]
  },
  {
    type: "number",
    clause: { op: "gt", value: 10, optional: true },
    answers: [
      ["9", F],
      ["11", T],
      [null, T]
    ]
  }
]

/** Kleene's three values: "and" is the least, "or" the greatest, in the order false, unknown, true. */
export const groupTruth: ReadonlyArray<{
  readonly a: Answer
  readonly b: Answer
  readonly and: Answer
  readonly or: Answer
}> = [
  { a: T, b: T, and: T, or: T },
  { a: T, b: U, and: U, or: T },
  { a: T, b: F, and: F, or: T },
  { a: U, b: U, and: U, or: U },
  { a: U, b: F, and: F, or: U },
  { a: F, b: F, and: F, or: F }
]

export const notTruth: ReadonlyArray<{ readonly a: Answer; readonly not: Answer }> = [
  { a: T, not: F },
  { a: U, not: U },
  { a: F, not: T }
]
