/** What a clause asks, by the type of its field (decisions 8.1 and 8.2). */
import * as Result from "effect/Result"
import { faultText, type PatternEngine } from "../pattern/Pattern.ts"
import * as Decimal from "../shared/Decimal.ts"
import { digitsOf, isNumber, isRawNumber } from "../shared/RawNumber.ts"
import type { FilterField, FilterFieldType } from "./FilterField.ts"
import { refuse, type ClauseFault } from "./FilterFault.ts"
import type { FilterNumber, FilterScalar, FilterValue } from "./FilterNode.ts"
import type { FilterOperator } from "./FilterOperator.ts"
import type { Range, Test, TestNode } from "./FilterPlan.ts"
import { fold } from "../text/Fold.ts"
import {
  between,
  isOrder,
  isRelative,
  orderRange,
  todayOf,
  wholeNumber,
  wholePeriod,
  wholeTime,
  type Moment
} from "./ValueRange.ts"

/** The value of a clause once parameters and other fields are out of it. */
export type PlainValue = Exclude<
  FilterValue,
  { readonly $field: string } | { readonly $filter: string } | { readonly $param: string }
>

/** One test, for values of one JSON type where the field holds JSON. */
export type Asked = Pick<TestNode, "test" | "json">

type Tested = Result.Result<ReadonlyArray<Asked>, ClauseFault>

/** Comparisons without their negations, which are a matter of the plan. */
export type Positive = Exclude<FilterOperator, "neq" | "nin" | "is-null" | "is-not-null">

const equality = ["eq", "in"] as const
const order = ["gt", "gte", "lt", "lte"] as const

/** Negations go with what they negate, `is-null` and `is-not-null` with every type. */
const applicable: Readonly<Record<FilterFieldType, ReadonlySet<Positive>>> = {
  text: new Set([...equality, ...order, "contains", "starts-with", "ends-with", "matches"]),
  number: new Set([...equality, ...order, "between"]),
  date: new Set([...equality, ...order, "between", "has-passed", "not-passed"]),
  datetime: new Set([...equality, ...order, "between", "has-passed", "not-passed"]),
  boolean: new Set(equality),
  key: new Set(equality),
  keys: new Set([...equality, "contains"]),
  json: new Set([...equality, ...order, "contains", "starts-with", "ends-with", "matches", "between"])
}

const typeNames: Readonly<Record<FilterFieldType, string>> = {
  text: "text",
  number: "numbers",
  date: "dates",
  datetime: "date-times",
  boolean: "true and false",
  key: "keys",
  keys: "lists of keys",
  json: "JSON"
}

export const applies = (op: Positive, type: FilterFieldType): boolean => applicable[type].has(op)

export const inapplicable = (op: FilterOperator, type: FilterFieldType): Result.Result<never, ClauseFault> =>
  refuse("op", `${op} does not apply to ${typeNames[type]}`)

const one = (test: Test): Tested => Result.succeed([{ test }])

type Scalar = Exclude<FilterScalar, null>

/** What is compared: a list for `in`, one scalar for the rest; anything else is a mistake. */
const scalarsOf = (op: Positive, value: PlainValue): Result.Result<ReadonlyArray<Scalar>, ClauseFault> => {
  if (op === "in")
    return Array.isArray(value) ? Result.succeed(value) : refuse("value", "must be a list of texts or numbers")
  return typeof value === "object" && !isRawNumber(value)
    ? refuse("value", "must be one text or number")
    : Result.succeed([value as Scalar])
}

const each = <A>(
  values: ReadonlyArray<Scalar>,
  read: (value: Scalar) => Result.Result<A, ClauseFault>
): Result.Result<ReadonlyArray<A>, ClauseFault> => {
  const found: Array<A> = []
  for (const value of values) {
    const result = read(value)
    if (Result.isFailure(result)) return Result.fail(result.failure)
    found.push(result.success)
  }
  return Result.succeed(found)
}

const textOf = (value: FilterScalar): string => {
  if (!isNumber(value)) return String(value)
  const digits = digitsOf(value)
  return Decimal.parse(digits) ?? digits
}

const hows = { contains: "contains", "starts-with": "startsWith", "ends-with": "endsWith" } as const

const textTest = (op: Positive, value: PlainValue, patterns: PatternEngine): Tested =>
  Result.flatMap(scalarsOf(op, value), (scalars): Tested => {
    const texts = scalars.map(textOf)
    if (op === "matches") {
      const source = texts[0]!
      const pattern = patterns.compile(source)
      return Result.isFailure(pattern)
        ? refuse("value", `is not a supported pattern: ${faultText(pattern.failure)}`, "UNSAFE_PATTERN")
        : one({ tag: "pattern", source, pattern: pattern.success })
    }
    const values = texts.map(fold)
    if (isOrder(op)) {
      const at = { value: values[0]!, open: false }
      return one({ tag: "order", range: orderRange(op, { low: at, high: at }) })
    }
    const how = op === "eq" || op === "in" ? "equals" : hows[op as keyof typeof hows]
    return one({ tag: "text", how, values, trimmed: false })
  })

const numberTest = (op: Positive, value: PlainValue): Tested => {
  if (op === "between") {
    if (typeof value !== "object" || value === null || !("min" in value)) return refuse("value", "must be {min, max}")
    return Result.gen(function* () {
      const range = yield* between(yield* wholeNumber(value.min), yield* wholeNumber(value.max), Decimal.compare)
      return [{ test: { tag: "number", ranges: [range] } as const }]
    })
  }
  return Result.gen(function* () {
    const wholes = yield* each(yield* scalarsOf(op, value), wholeNumber)
    const ranges = isOrder(op) ? [orderRange(op, wholes[0]!)] : wholes
    return [{ test: { tag: "number", ranges } as const }]
  })
}

const inTime = (ranges: ReadonlyArray<Range<string>>): Tested => one({ tag: "time", ranges })

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const timeTest = (type: "date" | "datetime", op: Positive, value: PlainValue, moment: Moment): Tested => {
  if (op === "has-passed" || op === "not-passed") {
    const at = { value: type === "date" ? todayOf(moment) : moment.now, open: op === "has-passed" }
    return inTime([op === "has-passed" ? { high: at } : { low: at }])
  }
  if (isRelative(value)) {
    const whole = wholePeriod(type, value.rel, moment)
    return inTime([isOrder(op) ? orderRange(op, whole) : whole])
  }
  if (op === "between") {
    if (typeof value !== "object" || value === null || !("start" in value))
      return refuse("value", "must be {start, end} or {rel}")
    return Result.flatMap(
      Result.gen(function* () {
        return yield* between(
          yield* wholeTime(type, value.start, moment),
          yield* wholeTime(type, value.end, moment),
          compareTexts
        )
      }),
      (range) => inTime([range])
    )
  }
  return Result.flatMap(
    Result.flatMap(scalarsOf(op, value), (scalars) => each(scalars, (scalar) => wholeTime(type, scalar, moment))),
    (wholes) => inTime(isOrder(op) ? [orderRange(op, wholes[0]!)] : wholes)
  )
}

const truths: ReadonlyMap<Scalar, boolean> = new Map<Scalar, boolean>([
  [true, true],
  [false, false],
  ["true", true],
  ["false", false]
])

const truthTest = (op: Positive, value: PlainValue): Tested =>
  Result.map(
    Result.flatMap(scalarsOf(op, value), (scalars) =>
      each(scalars, (scalar) => {
        const truth = truths.get(scalar)
        return truth === undefined ? refuse("value", "must be true or false") : Result.succeed(truth)
      })
    ),
    (values) => [{ test: { tag: "truth", values } }]
  )

const keyTest = (field: FilterField, op: Positive, value: PlainValue): Tested =>
  Result.map(scalarsOf(op, value), (scalars) => {
    const values = scalars.map(textOf).map((text) => field.keys?.get(text) ?? text)
    return [
      {
        test: field.type === "key" ? { tag: "key", values } : { tag: "keys", how: op === "eq" ? "only" : "any", values }
      } as const
    ]
  })

/** JSON has no declared type: the type of the value that is compared says which values it can be true of. */
const jsonTest = (op: Positive, value: PlainValue, patterns: PatternEngine): Tested => {
  const as = (json: NonNullable<Asked["json"]>, tested: Tested): Tested =>
    Result.map(tested, (asked) => asked.map(({ test }) => ({ test, json })))
  if (op === "between") return as("number", numberTest(op, value))
  return Result.flatMap(scalarsOf(op, value), (scalars): Tested => {
    const texts = scalars.filter((scalar) => typeof scalar === "string")
    const numbers: ReadonlyArray<FilterNumber> = scalars.filter(isNumber)
    if (op === "in")
      return Result.gen(function* () {
        const text = texts.length === 0 ? [] : yield* as("string", textTest(op, texts, patterns))
        const number = numbers.length === 0 ? [] : yield* as("number", numberTest(op, numbers))
        return [...text, ...number]
      })
    if (typeof scalars[0] === "boolean")
      return op === "eq"
        ? as("boolean", truthTest(op, scalars[0]))
        : refuse("op", `${op} does not apply to true and false`)
    return applicable[numbers.length > 0 ? "number" : "text"].has(op)
      ? numbers.length > 0
        ? as("number", numberTest(op, value))
        : as("string", textTest(op, value, patterns))
      : refuse("op", `${op} does not apply to numbers`)
  })
}

/** Any of the tests is enough. The value is not null, and a list in it is not empty. */
export const clauseTest = (
  field: FilterField,
  op: Positive,
  value: PlainValue,
  moment: Moment,
  patterns: PatternEngine
): Tested => {
  if (!applies(op, field.type)) return inapplicable(op, field.type)
  switch (field.type) {
    case "text":
      return textTest(op, value, patterns)
    case "number":
      return numberTest(op, value)
    case "date":
    case "datetime":
      return timeTest(field.type, op, value, moment)
    case "boolean":
      return truthTest(op, value)
    case "key":
    case "keys":
      return keyTest(field, op, value)
    case "json":
      return jsonTest(op, value, patterns)
  }
}
