/**
 * Filters read the plain way, straight from the tree, clause by clause (decisions 8.1 and 8.2). Slow, and written
 * without the plan that the evaluators of the kernel share: they must agree with it on every row.
 */
import {
  type CellValue,
  type FilterClause,
  type FilterField,
  type FilterFields,
  type FilterNode,
  type FilterNumber,
  type FilterValue,
  isClause,
  type RowValues
} from "@millrace/core/filter"
import { CalendarDate, Decimal, digitsOf, isNumber } from "@millrace/core"
import { plainFold, plainPattern, plainPeriod } from "./RuleInterpreter.ts"

/** `null` is unknown. */
export type Answer = boolean | null

export interface PlainEnvironment {
  readonly now: string
  readonly zone: string
  /** The rows that the ids in the cell of a relation lead to. */
  readonly related: (relation: string, ids: ReadonlyArray<string>) => ReadonlyArray<RowValues>
}

export const opposite = (answer: Answer): Answer => (answer === null ? null : !answer)
const rank = (answer: Answer): number => (answer === null ? 1 : answer ? 2 : 0)
const least = (answers: ReadonlyArray<Answer>): Answer =>
  answers.reduce<Answer>((low, next) => (rank(next) < rank(low) ? next : low), true)
const greatest = (answers: ReadonlyArray<Answer>): Answer =>
  answers.reduce<Answer>((high, next) => (rank(next) > rank(high) ? next : high), false)

const valueOf = (row: RowValues, field: string): CellValue =>
  Object.hasOwn(row, field) && row[field] !== undefined ? row[field] : null

const isNothing = (value: CellValue): boolean => value === null || (Array.isArray(value) && value.length === 0)

const byPoints = (a: string, b: string): number => {
  const left = [...a].map((point) => point.codePointAt(0)!)
  const right = [...b].map((point) => point.codePointAt(0)!)
  for (let at = 0; at < Math.min(left.length, right.length); at++)
    if (left[at] !== right[at]) return left[at]! - right[at]!
  return left.length - right.length
}

const formats = new Map<string, Intl.DateTimeFormat>()
const formatOf = (zone: string): Intl.DateTimeFormat => {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      year: "numeric",
      month: "numeric",
      day: "numeric"
    })
    formats.set(zone, format)
  }
  return format
}

/** The calendar day that an instant falls on, by the parts that the host gives for the zone. */
const localDay = (instant: string, zone: string): number => {
  const parts = formatOf(zone).formatToParts(new Date(instant))
  const part = (type: string): number => Number(parts.find((found) => found.type === type)!.value)
  return Date.UTC(part("year"), part("month") - 1, part("day")) / 86_400_000
}

const dayNumber = (text: string): number => CalendarDate.toEpochDay(CalendarDate.make(text.slice(0, 10)))

/** Where a moment lies: before, inside (0) or after what it is compared with. */
const place = (
  type: "date" | "datetime",
  value: string,
  wanted: string | { readonly rel: string },
  { now, zone }: PlainEnvironment
): number => {
  if (typeof wanted === "string" && wanted.length > 10 && type === "datetime")
    return Math.sign(Date.parse(value) - Date.parse(wanted))
  const today = CalendarDate.fromEpochDay(localDay(now, zone))
  const [first, last] =
    typeof wanted === "string" ? [dayNumber(wanted), dayNumber(wanted)] : plainPeriod(wanted.rel, today)
  const day = type === "date" ? dayNumber(value) : localDay(value, zone)
  return day < first ? -1 : day > last ? 1 : 0
}

const byOrder = (op: string, at: number): boolean => {
  switch (op) {
    case "gt":
      return at > 0
    case "gte":
      return at >= 0
    case "lt":
      return at < 0
    case "lte":
      return at <= 0
    default:
      return at === 0
  }
}

/** Digits of a number, and what anything else is as text. */
const written = (value: unknown): string => (isNumber(value) ? digitsOf(value) : String(value))
const plainText = (value: unknown): string => (isNumber(value) ? Decimal.make(digitsOf(value)) : String(value))

/** What a clause says of a value that is there. */
const holds = (
  op: string,
  field: FilterField,
  value: CellValue,
  wanted: FilterValue | undefined,
  environment: PlainEnvironment
): boolean => {
  if (op === "in" && Array.isArray(wanted))
    return Array.isArray(value)
      ? wanted.some((item) => value.includes(String(item)))
      : wanted.some((item: string | FilterNumber) => holds("eq", field, value, item, environment))
  switch (field.type) {
    case "text": {
      const [have, want] = [plainFold(String(value)), plainFold(plainText(wanted))]
      if (op === "contains") return have.includes(want)
      if (op === "starts-with") return have.startsWith(want)
      if (op === "ends-with") return have.endsWith(want)
      if (op === "matches") return plainPattern(String(wanted)).test(String(value))
      return byOrder(op, byPoints(have, want))
    }
    case "key":
      return value === (field.keys?.get(String(wanted)) ?? String(wanted))
    case "keys": {
      const keys = value as ReadonlyArray<string>
      return op === "contains" ? keys.includes(String(wanted)) : keys.length === 1 && keys[0] === String(wanted)
    }
    case "boolean":
      return String(value) === String(wanted)
    case "number": {
      const number = Decimal.make(String(value))
      if (op === "between") {
        const { min, max } = wanted as { readonly min: string | FilterNumber; readonly max: string | FilterNumber }
        return (
          Decimal.compare(number, Decimal.make(written(min))) >= 0 &&
          Decimal.compare(number, Decimal.make(written(max))) <= 0
        )
      }
      return byOrder(op, Decimal.compare(number, Decimal.make(written(wanted))))
    }
    case "date":
    case "datetime": {
      const { type } = field
      const at = (moment: string | { readonly rel: string }): number => place(type, String(value), moment, environment)
      if (op === "has-passed" || op === "not-passed") {
        const now = type === "date" ? at({ rel: "today" }) : at(environment.now)
        return op === "has-passed" ? now < 0 : now >= 0
      }
      if (op === "between" && typeof wanted === "object" && wanted !== null && "start" in wanted)
        return at(wanted.start) >= 0 && at(wanted.end) <= 0
      return byOrder(op === "between" || op === "in" ? "eq" : op, at(wanted as string | { readonly rel: string }))
    }
    case "json": {
      const json: unknown = JSON.parse(String(value))
      const type = typeof json === "string" ? "text" : typeof json === "number" ? "number" : "boolean"
      // Numbers keep their digits.
      return holds(op, { type }, type === "number" ? String(value) : (json as string | boolean), wanted, environment)
    }
  }
}

const jsonTypes: Readonly<Record<string, string>> = { string: "string", number: "number", boolean: "boolean" }

/** Whether a value of JSON is of the type that the clause compares with. */
const fitsJson = (value: string, op: string, wanted: FilterValue | undefined): boolean => {
  const type = jsonTypes[typeof JSON.parse(value)]
  if (type === "number" && (value.length > 1_000 || Decimal.parse(value) === undefined)) return false
  if (op === "between") return type === "number"
  return type !== undefined && type === (isNumber(wanted) ? "number" : typeof wanted)
}

const comparison = (
  op: string,
  field: FilterField,
  value: CellValue,
  wanted: FilterValue | undefined,
  environment: PlainEnvironment
): Answer => {
  if (isNothing(value)) return null
  if (field.type === "json") {
    if (op === "in" && Array.isArray(wanted))
      return greatest(
        wanted.length === 0
          ? [false]
          : wanted.map((item: string | number) => comparison("eq", field, value, item, environment))
      )
    if (!fitsJson(String(value), op, wanted)) return null
  }
  return holds(op, field, value, wanted, environment)
}

const positives: Readonly<Record<string, string>> = { neq: "eq", nin: "in" }

const fieldComparison = (op: string, field: FilterField, a: CellValue, b: CellValue): Answer => {
  if (isNothing(a) || isNothing(b)) return null
  const [left, right] = [String(a), String(b)]
  const at =
    field.type === "number"
      ? Decimal.compare(Decimal.make(left), Decimal.make(right))
      : field.type === "text"
        ? byPoints(plainFold(left), plainFold(right))
        : byPoints(left, right)
  return byOrder(op, at)
}

const clauseAnswer = (
  clause: FilterClause,
  row: RowValues,
  fields: FilterFields,
  environment: PlainEnvironment
): Answer => {
  const [name, key] = clause.field.split(".") as [string, string | undefined]
  const own = fields.get(name)!
  const cell = valueOf(row, name)
  const ids = typeof cell === "string" ? [cell] : Array.isArray(cell) ? cell : []
  const rows = key === undefined ? [row] : environment.related(name, ids)
  const field = key === undefined ? own : own.related!.get(key)!
  const values = rows.map((one) => valueOf(one, key ?? name))
  const nothing = values.every(isNothing)
  if (clause.optional === true && nothing) return true
  const isNull = (clause.value ?? null) === null
  if (clause.op === "is-null" || (clause.op === "eq" && isNull)) return nothing
  if (clause.op === "is-not-null" || (clause.op === "neq" && isNull)) return !nothing
  const op = positives[clause.op] ?? clause.op
  const negated = op !== clause.op
  const { value } = clause
  let answer: Answer
  if (op === "in" && Array.isArray(value) && value.length === 0) answer = false
  else if (typeof value === "object" && value !== null && "$field" in value)
    answer = fieldComparison(op, field, cell, valueOf(row, value.$field))
  else if (key === undefined) answer = comparison(op, field, cell, value, environment)
  else {
    const answers = values.map((one) => comparison(op, field, one, value, environment))
    answer = answers.includes(true) ? true : answers.length === 0 || answers.includes(null) ? null : false
  }
  return negated ? opposite(answer) : answer
}

/** What the filter says of a row; only rows for which it is true pass. */
export const interpretFilter = (
  node: FilterNode,
  row: RowValues,
  fields: FilterFields,
  environment: PlainEnvironment
): Answer => {
  if (isClause(node)) return clauseAnswer(node, row, fields, environment)
  if (node.logic === "not") return opposite(interpretFilter(node.condition, row, fields, environment))
  const answers = node.conditions.map((condition) => interpretFilter(condition, row, fields, environment))
  return node.logic === "and" ? least(answers) : greatest(answers)
}
