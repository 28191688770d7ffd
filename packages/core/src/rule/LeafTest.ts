/** What one comparison means for the type of its field (enrichments E1). */
import * as Result from "effect/Result"
import type { FieldType } from "../record/DataType.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"
import type { Leaf } from "./ConditionGroup.ts"
import { typeOf } from "./FieldAccess.ts"
import { fold } from "../filter/Fold.ts"
import { isNegative, positiveOf, takesNoValue } from "./Operator.ts"
import { faultText, type CompiledPattern, type PatternEngine } from "./Pattern.ts"
import { relativeDateOf, type RelativeDate } from "../filter/RelativeDate.ts"

/** An end of a range: a value of its own, or an end of a period that moves. */
export type Bound<A> = { readonly value: A; readonly open: boolean }
export type DayBound = Bound<string | { readonly token: RelativeDate; readonly end: "start" | "end" }>

export interface NumberRange {
  readonly low?: Bound<Decimal.Decimal>
  readonly high?: Bound<Decimal.Decimal>
}
export interface DayRange {
  readonly low?: DayBound
  readonly high?: DayBound
}

/** `negate` holds for empty fields too; an unreadable number, date or truth value makes any test false. */
export type LeafTest =
  | { readonly tag: "empty"; readonly negate: boolean }
  | {
      readonly tag: "text"
      readonly how: "equals" | "contains" | "startsWith" | "endsWith"
      /** Folded; one of them is enough. */
      readonly values: ReadonlyArray<string>
      readonly negate: boolean
    }
  | { readonly tag: "number"; readonly ranges: ReadonlyArray<NumberRange>; readonly negate: boolean }
  /** Part of the plain decimal text. */
  | { readonly tag: "digits"; readonly part: string; readonly negate: boolean }
  | { readonly tag: "day"; readonly ranges: ReadonlyArray<DayRange>; readonly negate: boolean }
  | { readonly tag: "passed"; readonly passed: boolean }
  | { readonly tag: "truth"; readonly values: ReadonlyArray<boolean>; readonly negate: boolean }
  | { readonly tag: "pattern"; readonly source: string; readonly pattern: CompiledPattern; readonly negate: boolean }

/** Which part of the leaf is at fault, and why. */
export interface LeafFault {
  readonly part: "operator" | "value"
  readonly message: string
}

const fail = (part: LeafFault["part"], message: string): Result.Result<never, LeafFault> =>
  Result.fail({ part, message })

const plainDecimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u

const numberOf = (text: string): Decimal.Decimal | undefined =>
  plainDecimal.test(text) ? Decimal.parse(text) : undefined

/** Comma list; `\,` is a comma inside an item. */
const itemsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<!\\),/u)
    .map((item) => item.replaceAll("\\,", ",").trim())
    .filter((item) => item !== "")

const typeNames: Readonly<Record<FieldType, string>> = {
  str: "text",
  num: "numbers",
  date: "dates",
  ts: "dates",
  bool: "true/false fields"
}

/** Fields nobody declared are text, except where the comparison only makes sense for something else. */
const guess = (operator: string, text: string): FieldType => {
  if (operator === "hasPassed" || operator === "notPassed") return "date"
  if (!["gt", "gte", "lt", "lte", "between"].includes(operator)) return "str"
  const part = text.split("..").find((end) => end.trim() !== "") ?? ""
  return relativeDateOf(part.trim()) === undefined && CalendarDate.parse(part.trim()) === undefined ? "num" : "date"
}

type Comparison = "gt" | "gte" | "lt" | "lte"

const exactly = (value: Decimal.Decimal): NumberRange => ({
  low: { value, open: false },
  high: { value, open: false }
})

const numberRange = (operator: Comparison, value: Decimal.Decimal): NumberRange => {
  const bound = { value, open: operator === "gt" || operator === "lt" }
  return operator === "gt" || operator === "gte" ? { low: bound } : { high: bound }
}

const dayEnds = (text: string): Required<DayRange> | undefined => {
  const token = relativeDateOf(text)
  if (token !== undefined)
    return {
      low: { value: { token, end: "start" }, open: false },
      high: { value: { token, end: "end" }, open: false }
    }
  const day = CalendarDate.parse(text)
  return day === undefined ? undefined : { low: { value: day, open: false }, high: { value: day, open: false } }
}

const dayRange = (operator: Comparison, ends: Required<DayRange>): DayRange => {
  switch (operator) {
    case "gt":
      return { low: { ...ends.high, open: true } }
    case "gte":
      return { low: ends.low }
    case "lt":
      return { high: { ...ends.low, open: true } }
    case "lte":
      return { high: ends.high }
  }
}

const notDecimal = "must be a plain decimal such as -12.50"
const notDate = "must be a date (YYYY-MM-DD) or one of today, yesterday, 7d, 30d, 90d, 12m, mtd, qtd, ytd"

/** Both texts of "low..high", trimmed; at least one is not empty. */
const endsOf = (text: string): readonly [string, string] | undefined => {
  const at = text.indexOf("..")
  if (at < 0) return undefined
  const ends = [text.slice(0, at).trim(), text.slice(at + 2).trim()] as const
  return ends[0] === "" && ends[1] === "" ? undefined : ends
}

const numberTest = (leaf: Leaf, text: string, negate: boolean): Result.Result<LeafTest, LeafFault> => {
  const operator = positiveOf(leaf.operator)
  if (operator === "contains") return Result.succeed({ tag: "digits", part: fold(text.trim()), negate })
  if (operator === "between") {
    const ends = endsOf(text)
    if (ends === undefined) return fail("value", 'must be a range "low..high"')
    const [low, high] = ends.map((end) => (end === "" ? undefined : numberOf(end)))
    if ((ends[0] !== "" && low === undefined) || (ends[1] !== "" && high === undefined))
      return fail("value", notDecimal)
    if (low !== undefined && high !== undefined && Decimal.compare(low, high) > 0)
      return fail("value", "must not end before it begins")
    return Result.succeed({
      tag: "number",
      ranges: [
        {
          ...(low === undefined ? {} : { low: { value: low, open: false } }),
          ...(high === undefined ? {} : { high: { value: high, open: false } })
        }
      ],
      negate
    })
  }
  const texts = operator === "in" ? itemsOf(text) : [text.trim()]
  const values: Array<Decimal.Decimal> = []
  for (const item of texts) {
    const value = typeof leaf.value === "number" ? Decimal.parse(item) : numberOf(item)
    if (value === undefined) return fail("value", notDecimal)
    values.push(value)
  }
  return Result.succeed({
    tag: "number",
    ranges:
      operator === "equals" || operator === "in"
        ? values.map(exactly)
        : values.map((value) => numberRange(operator as Comparison, value)),
    negate
  })
}

const dayTest = (leaf: Leaf, text: string, negate: boolean): Result.Result<LeafTest, LeafFault> => {
  const operator = positiveOf(leaf.operator)
  if (operator === "between") {
    const ends = endsOf(text)
    if (ends === undefined) return fail("value", 'must be a range "first..last"')
    const [low, high] = ends.map((end) => (end === "" ? undefined : dayEnds(end)))
    if ((ends[0] !== "" && low === undefined) || (ends[1] !== "" && high === undefined)) return fail("value", notDate)
    if (typeof low?.low.value === "string" && typeof high?.high.value === "string" && low.low.value > high.high.value)
      return fail("value", "must not end before it begins")
    return Result.succeed({
      tag: "day",
      ranges: [{ ...(low === undefined ? {} : { low: low.low }), ...(high === undefined ? {} : { high: high.high }) }],
      negate
    })
  }
  const ranges: Array<DayRange> = []
  for (const item of operator === "in" ? itemsOf(text) : [text.trim()]) {
    const ends = dayEnds(item)
    if (ends === undefined) return fail("value", notDate)
    ranges.push(operator === "equals" || operator === "in" ? ends : dayRange(operator as Comparison, ends))
  }
  return Result.succeed({ tag: "day", ranges, negate })
}

const truthTest = (text: string, many: boolean, negate: boolean): Result.Result<LeafTest, LeafFault> => {
  const values: Array<boolean> = []
  for (const item of many ? itemsOf(text) : [text.trim()]) {
    const word = item.toLowerCase()
    if (word !== "true" && word !== "false") return fail("value", "must be true or false")
    values.push(word === "true")
  }
  return Result.succeed({ tag: "truth", values, negate })
}

const supported: Readonly<Record<FieldType, ReadonlySet<string>>> = {
  str: new Set(["equals", "contains", "startsWith", "endsWith", "in", "matches"]),
  num: new Set(["equals", "contains", "in", "gt", "gte", "lt", "lte", "between"]),
  date: new Set(["equals", "in", "gt", "gte", "lt", "lte", "between", "hasPassed", "notPassed"]),
  ts: new Set(["equals", "in", "gt", "gte", "lt", "lte", "between", "hasPassed", "notPassed"]),
  bool: new Set(["equals", "in"])
}

/** The meaning of a leaf, or what is wrong with it. */
export const leafTest = (
  leaf: Leaf,
  catalog: FieldCatalog,
  patterns: PatternEngine
): Result.Result<LeafTest, LeafFault> => {
  const operator = positiveOf(leaf.operator)
  const negate = isNegative(leaf.operator)
  if (operator === "isEmpty" || operator === "isNotEmpty")
    return Result.succeed({ tag: "empty", negate: operator === "isNotEmpty" })
  const text = leaf.value === undefined ? "" : String(leaf.value)
  const type = typeOf(leaf.field, catalog) ?? guess(operator, text)
  if (!supported[type].has(operator)) return fail("operator", `"${leaf.operator}" does not apply to ${typeNames[type]}`)
  if (takesNoValue(leaf.operator)) return Result.succeed({ tag: "passed", passed: operator === "hasPassed" })
  if (leaf.value === undefined) return fail("value", "is missing")
  if ([...text].length > limits.conditionText && operator !== "in")
    return fail("value", `has more than ${limits.conditionText} characters`)
  if (operator === "in") {
    const items = itemsOf(text)
    if (items.length === 0) return fail("value", "must not be empty")
    if (items.length > limits.inListItems) return fail("value", `has more than ${limits.inListItems} items`)
    if (items.some((item) => [...item].length > limits.conditionText))
      return fail("value", `has an item of more than ${limits.conditionText} characters`)
  }
  if (text === "" && operator !== "equals") return fail("value", "must not be empty")
  switch (type) {
    case "num":
      return numberTest(leaf, text, negate)
    case "date":
    case "ts":
      return dayTest(leaf, text, negate)
    case "bool":
      return truthTest(text, operator === "in", negate)
    case "str":
  }
  if (operator === "matches") {
    const compiled = patterns.compile(text)
    return Result.isFailure(compiled)
      ? fail("value", faultText(compiled.failure))
      : Result.succeed({ tag: "pattern", source: text, pattern: compiled.success, negate })
  }
  const values = operator === "in" ? itemsOf(text).map(fold) : [fold(operator === "equals" ? text.trim() : text)]
  return Result.succeed({
    tag: "text",
    how: operator === "in" ? "equals" : (operator as "equals" | "contains" | "startsWith" | "endsWith"),
    values,
    negate
  })
}
