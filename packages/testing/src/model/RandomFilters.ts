/** Random filters and rows that bring together what is hard: nulls, Unicode, decimals, ends of months, clock changes. */
import {
  type CellValue,
  type FilterClause,
  type FilterField,
  type FilterFields,
  type FilterNode,
  type FilterNumber,
  type FilterOperator,
  type FilterValue,
  relativeDates,
  type RowValues
} from "@millrace/core/filter"
import { limits, numberOf } from "@millrace/core"
import type { Seeded } from "./Seeded.ts"

const choices = new Map([
  ["Food", "opt_food"],
  ["Travel", "opt_travel"]
])

const relatedFields: FilterFields = new Map<string, FilterField>([
  ["name", { type: "text" }],
  ["total", { type: "number" }],
  ["day", { type: "date" }],
  ["open", { type: "boolean" }],
  ["kind", { type: "key", keys: choices }]
])

/** Fields of every type, twice where two fields can be compared. */
export const randomFields: FilterFields = new Map<string, FilterField>([
  ["title", { type: "text" }],
  ["memo", { type: "text" }],
  // Keys that objects inherit something under.
  ["constructor", { type: "text" }],
  ["amount", { type: "number" }],
  ["fee", { type: "number" }],
  ["day", { type: "date" }],
  ["due", { type: "date" }],
  ["at", { type: "datetime" }],
  ["until", { type: "datetime" }],
  ["open", { type: "boolean" }],
  ["paid", { type: "boolean" }],
  ["kind", { type: "key", keys: choices }],
  ["code", { type: "key" }],
  ["tags", { type: "keys" }],
  ["extra", { type: "json" }],
  ["parent", { type: "key", related: relatedFields }],
  ["parts", { type: "keys", related: relatedFields }]
])

const words = [
  "tram",
  "TRAM",
  "Café",
  "CAFE\u0301",
  "Straße",
  "STRASSE",
  "İstanbul",
  "ΣΊΣΥΦΟΣ",
  "σίσυφος",
  "ﬁn",
  "a",
  "A  b",
  "",
  " ",
  "\t",
  "NaN",
  "Infinity",
  "null",
  "-0",
  "1e3",
  "ſtore",
  "\u212A",
  "日本",
  "😀",
  "\ufffd",
  "\u{10ffff}",
  "e",
  "\u0301",
  "[]",
  "%_\\",
  "'; drop table table_row; --",
  "$1",
  "{{x}}"
]
const patterns = ["tram", "(?i)caf", "^(a|A)", "\\d+", "[a-z]{2,5}$", "ß"]
const decimals = [
  "0",
  "-50",
  "-50.01",
  "12.5",
  "100",
  "9999999999999.99",
  "-0.001",
  "0.1",
  "0.3",
  "0.30000000000000000001",
  "123456789012345678901234567890.123456789",
  "12345678.9012",
  "12345678.90121"
]
const days = [
  "2024-02-28",
  "2024-02-29",
  "2024-03-01",
  "2023-02-28",
  "2024-03-31",
  "2024-10-27",
  "2024-12-31",
  "2025-01-01",
  "2024-03-10",
  "2024-11-03",
  "1900-01-01",
  "2199-12-31"
]
/** Around midnight in several zones, on ordinary days and where clocks change. */
const instants = [
  "2024-02-29T00:00:00.000Z",
  "2024-02-29T23:59:59.999Z",
  "2024-03-31T00:59:59.999Z",
  "2024-03-31T01:00:00.000Z",
  "2024-03-30T22:59:59.999Z",
  "2024-03-30T23:00:00.000Z",
  "2024-10-26T22:00:00.000Z",
  "2024-10-27T22:59:59.999Z",
  "2024-10-27T23:00:00.000Z",
  "2024-03-10T04:59:59.999Z",
  "2024-03-10T05:00:00.000Z",
  "2024-03-11T04:00:00.000Z",
  "2024-11-03T03:59:59.999Z",
  "2024-11-04T05:00:00.000Z",
  "2025-01-01T00:00:00.000Z",
  "2024-12-31T12:00:00.000Z"
]
export const zones = ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Beirut", "Asia/Kathmandu"]
export const moments = [
  "2024-02-29T12:00:00.000Z",
  "2024-03-31T00:59:59.999Z",
  "2024-10-27T22:30:00.000Z",
  "2024-12-31T23:30:00.000Z",
  "2025-01-01T00:00:00.000Z",
  "2024-11-03T05:30:00.000Z"
]
const keys = ["opt_food", "opt_travel", "x", "X", "constructor"]
/** Neighbours that are one and the same double, which texts beside them are not. */
const largeNumbers = ["9007199254740992", "9007199254740993", "9007199254740994", "0.1000000000000000055511151231"]
const jsons = [
  ...largeNumbers,
  '"9007199254740993"',
  "1e400",
  "-1E+0400",
  // Compared with nothing: no number of the kernel is as large, or as long.
  "1e401",
  "1e200000",
  `1${"0".repeat(1_000)}`,
  '"tram"',
  '"Straße"',
  '""',
  "12.5",
  "-50",
  "0.30000000000000000001",
  "true",
  "false",
  '{"a":1}',
  "[1]",
  '"12.5"'
]

/** Ids of the rows that relations lead to; the last two lead nowhere. */
const relatedIds = ["rel_1", "rel_2", "rel_3", "rel_4", "gone_1", "gone_2"]

const text = (random: Seeded): string => random.list(0, 4, () => random.pick(words)).join(random.pick([" ", "", "  "]))

const cellOf = (random: Seeded, name: string, field: FilterField): CellValue => {
  if (random.once(6)) return null
  switch (field.type) {
    case "text":
      return text(random)
    case "number":
      return random.pick(decimals)
    case "date":
      return random.pick(days)
    case "datetime":
      return random.pick(instants)
    case "boolean":
      return random.once(2)
    case "json":
      return random.pick(jsons)
    case "key":
      return name === "parent" ? random.pick(relatedIds) : random.pick(keys)
    case "keys":
      return [...new Set(random.list(0, 3, () => random.pick(name === "parts" ? relatedIds : keys)))]
  }
}

export const randomRow = (random: Seeded, fields: FilterFields = randomFields): RowValues => {
  const row: Record<string, CellValue> = {}
  for (const [name, field] of fields) if (!random.once(12)) row[name] = cellOf(random, name, field)
  return row
}

/** The rows behind `relatedIds`, by id; those of `gone_` are left out. */
export const randomRelated = (random: Seeded): ReadonlyMap<string, RowValues> =>
  new Map(relatedIds.filter((id) => id.startsWith("rel_")).map((id) => [id, randomRow(random, relatedFields)]))

/** As JSON has them, and as text. */
const number = (random: Seeded): string | FilterNumber => {
  const value = random.pick([...decimals, ...largeNumbers]).slice(0, limits.numberText)
  return random.once(2) ? numberOf(value) : value
}

const time = (random: Seeded, type: "date" | "datetime"): string =>
  type === "datetime" && random.once(2)
    ? random.pick(instants)
    : random.once(5)
      ? random.pick(instants).replace("Z", "+00:00")
      : random.pick(days)

const ops: Readonly<Record<FilterField["type"], ReadonlyArray<FilterOperator>>> = {
  text: [
    "eq",
    "neq",
    "gt",
    "gte",
    "lt",
    "lte",
    "in",
    "nin",
    "contains",
    "contains",
    "starts-with",
    "ends-with",
    "matches"
  ],
  number: ["eq", "neq", "gt", "gte", "lt", "lte", "in", "nin", "between"],
  date: ["eq", "neq", "gt", "gte", "lt", "lte", "in", "nin", "between", "has-passed", "not-passed"],
  datetime: ["eq", "neq", "gt", "gte", "lt", "lte", "in", "nin", "between", "has-passed", "not-passed"],
  boolean: ["eq", "neq", "in", "nin"],
  key: ["eq", "neq", "in", "nin"],
  keys: ["eq", "neq", "in", "nin", "contains"],
  json: ["eq", "neq", "gt", "gte", "lt", "lte", "in", "nin", "contains", "between"]
}

const scalar = (random: Seeded, name: string, { type }: FilterField): string | FilterNumber | boolean => {
  switch (type) {
    case "text":
      return random.once(12) ? 12.5 : text(random)
    case "number":
      return number(random)
    case "date":
    case "datetime":
      return time(random, type)
    case "boolean":
      return random.pick([true, false, "true"])
    case "json":
      return random.pick(["tram", "STRASSE", 12.5, "12.5", -50, ...largeNumbers, ...largeNumbers.map(numberOf)])
    case "key":
    case "keys":
      return name === "parent" || name === "parts"
        ? random.pick(relatedIds)
        : random.pick(type === "key" ? [...keys, "Food"] : keys)
  }
}

const listItem = (random: Seeded, name: string, field: FilterField): string | FilterNumber => {
  const value = scalar(random, name, field)
  return typeof value === "boolean" ? String(value) : value
}

const valueFor = (random: Seeded, op: FilterOperator, name: string, field: FilterField): FilterValue | undefined => {
  const isTime = field.type === "date" || field.type === "datetime"
  if (op === "has-passed" || op === "not-passed") return undefined
  if (isTime && random.once(3)) return { rel: random.pick(relativeDates) }
  if (op === "matches") return random.pick(patterns)
  if (op === "in" || op === "nin") return random.list(0, 4, () => listItem(random, name, field))
  if (op === "between") {
    if (isTime) {
      const [start, end] = random.list(2, 2, () => random.pick(days)).toSorted() as [string, string]
      return { start, end }
    }
    const [min, max] = random
      .list(2, 2, () => random.pick(decimals.slice(0, 8)))
      .toSorted((a, b) => Number(a) - Number(b))
    return { min: min!, max: max! }
  }
  if (field.type === "json" && op === "contains") return random.pick(["tram", "a", ""])
  return scalar(random, name, field)
}

const clause = (random: Seeded, withPatterns: boolean): FilterClause => {
  const name = random.pick([...randomFields.keys()])
  const own = randomFields.get(name)!
  const hop = own.related !== undefined && !random.once(3) ? random.pick([...own.related.keys()]) : undefined
  const field = hop === undefined ? own : own.related!.get(hop)!
  const key = hop === undefined ? name : `${name}.${hop}`
  const optional = random.once(6) ? { optional: true } : {}
  if (random.once(8)) return { field: key, op: random.pick(["is-null", "is-not-null"] as const), ...optional }
  if (random.once(20)) return { field: key, op: random.pick(["eq", "neq"] as const), value: null, ...optional }
  const others = [...randomFields].filter(([other, { type }]) => other !== name && type === own.type)
  if (hop === undefined && others.length > 0 && random.once(5) && own.type !== "keys" && own.type !== "json") {
    const ordered = own.type !== "boolean" && own.type !== "key"
    const op = random.pick(ordered ? (["eq", "neq", "gt", "gte", "lt", "lte"] as const) : (["eq", "neq"] as const))
    return { field: key, op, value: { $field: random.pick(others)[0] }, ...optional }
  }
  const op = random.pick(ops[field.type].filter((one) => withPatterns || one !== "matches"))
  const value = valueFor(random, op, hop ?? name, field)
  return { field: key, op, ...(value === undefined ? {} : { value }), ...optional }
}

/** A tree of at most the depth; with `withPatterns` some clauses match patterns, which databases do not evaluate. */
export const randomFilter = (random: Seeded, depth: number, withPatterns: boolean): FilterNode => {
  const inner = (): FilterNode => randomFilter(random, depth - 1, withPatterns)
  if (depth <= 1 || random.once(4)) return clause(random, withPatterns)
  if (random.once(5)) return { logic: "not", condition: inner() }
  return { logic: random.pick(["and", "or"] as const), conditions: random.list(random.once(20) ? 0 : 1, 4, inner) }
}
