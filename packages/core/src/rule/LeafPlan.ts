/** What one comparison of a condition means for the type of its field (enrichments E1). */
import * as Result from "effect/Result"
import type { FieldType } from "../record/DataType.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"
import type { Leaf } from "./ConditionGroup.ts"
import { typeOf } from "./FieldAccess.ts"
import type { Day, FilterPlan, Range, Test } from "../filter/FilterPlan.ts"
import * as Plan from "../filter/FilterPlan.ts"
import { fold } from "../text/Fold.ts"
import { isOrder, orderRange, type Whole } from "../filter/ValueRange.ts"
import { isNegative, positiveOf } from "./Operator.ts"
import { faultText, type PatternEngine } from "../pattern/Pattern.ts"
import { relativeDateOf } from "../filter/RelativeDate.ts"

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
  return relativeDateOf(part.trim()) === undefined && CalendarDate.ofText(part.trim()) === undefined ? "num" : "date"
}

const exactly = (value: Decimal.Decimal): Whole<Decimal.Decimal> => ({
  low: { value, open: false },
  high: { value, open: false }
})

const wholeDay = (text: string): Whole<Day> | undefined => {
  const token = relativeDateOf(text)
  if (token !== undefined)
    return {
      low: { value: { token, end: "start" }, open: false },
      high: { value: { token, end: "end" }, open: false }
    }
  const day = CalendarDate.ofText(text)
  return day === undefined ? undefined : { low: { value: day, open: false }, high: { value: day, open: false } }
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

const numberTest = (leaf: Leaf, text: string): Result.Result<Test, LeafFault> => {
  const operator = positiveOf(leaf.operator)
  if (operator === "contains") return Result.succeed({ tag: "digits", part: fold(text.trim()) })
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
      ]
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
    ranges: values.map(exactly).map((whole) => (isOrder(operator) ? orderRange(operator, whole) : whole))
  })
}

const dayTest = (leaf: Leaf, text: string): Result.Result<Test, LeafFault> => {
  const operator = positiveOf(leaf.operator)
  if (operator === "between") {
    const ends = endsOf(text)
    if (ends === undefined) return fail("value", 'must be a range "first..last"')
    const [low, high] = ends.map((end) => (end === "" ? undefined : wholeDay(end)))
    if ((ends[0] !== "" && low === undefined) || (ends[1] !== "" && high === undefined)) return fail("value", notDate)
    if (typeof low?.low.value === "string" && typeof high?.high.value === "string" && low.low.value > high.high.value)
      return fail("value", "must not end before it begins")
    return Result.succeed({
      tag: "day",
      ranges: [{ ...(low === undefined ? {} : { low: low.low }), ...(high === undefined ? {} : { high: high.high }) }]
    })
  }
  const ranges: Array<Range<Day>> = []
  for (const item of operator === "in" ? itemsOf(text) : [text.trim()]) {
    const ends = wholeDay(item)
    if (ends === undefined) return fail("value", notDate)
    ranges.push(isOrder(operator) ? orderRange(operator, ends) : ends)
  }
  return Result.succeed({ tag: "day", ranges })
}

const truthTest = (text: string, many: boolean): Result.Result<Test, LeafFault> => {
  const values: Array<boolean> = []
  for (const item of many ? itemsOf(text) : [text.trim()]) {
    const word = item.toLowerCase()
    if (word !== "true" && word !== "false") return fail("value", "must be true or false")
    values.push(word === "true")
  }
  return Result.succeed({ tag: "truth", values })
}

const supported: Readonly<Record<FieldType, ReadonlySet<string>>> = {
  str: new Set(["equals", "contains", "startsWith", "endsWith", "in", "matches"]),
  num: new Set(["equals", "contains", "in", "gt", "gte", "lt", "lte", "between"]),
  date: new Set(["equals", "in", "gt", "gte", "lt", "lte", "between", "hasPassed", "notPassed"]),
  ts: new Set(["equals", "in", "gt", "gte", "lt", "lte", "between", "hasPassed", "notPassed"]),
  bool: new Set(["equals", "in"])
}

const today = { value: { token: "today", end: "end" }, open: false } as const

/** What is asked of a value that is there. */
const testOf = (leaf: Leaf, catalog: FieldCatalog, patterns: PatternEngine): Result.Result<Test, LeafFault> => {
  const operator = positiveOf(leaf.operator)
  const text = leaf.value === undefined ? "" : String(leaf.value)
  const type = typeOf(leaf.field, catalog) ?? guess(operator, text)
  if (!supported[type].has(operator)) return fail("operator", `"${leaf.operator}" does not apply to ${typeNames[type]}`)
  if (operator === "hasPassed") return Result.succeed({ tag: "day", ranges: [{ high: { ...today, open: true } }] })
  if (operator === "notPassed") return Result.succeed({ tag: "day", ranges: [{ low: today }] })
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
      return numberTest(leaf, text)
    case "date":
    case "ts":
      return dayTest(leaf, text)
    case "bool":
      return truthTest(text, operator === "in")
    case "str":
  }
  if (operator === "matches") {
    const compiled = patterns.compile(text)
    return Result.isFailure(compiled)
      ? fail("value", faultText(compiled.failure))
      : Result.succeed({ tag: "pattern", source: text, pattern: compiled.success })
  }
  const values = operator === "in" ? itemsOf(text).map(fold) : [fold(operator === "equals" ? text.trim() : text)]
  const trimmed = operator === "equals" || operator === "in"
  const how = trimmed ? "equals" : (operator as "contains" | "startsWith" | "endsWith")
  return Result.succeed({ tag: "text", how, values, trimmed })
}

/**
 * The meaning of a leaf, or what is wrong with it. Two-valued wherever it stands: an empty field makes positive
 * comparisons false and negative ones true, and a value that cannot be read makes both false.
 */
export const leafPlan = (
  leaf: Leaf,
  catalog: FieldCatalog,
  patterns: PatternEngine
): Result.Result<FilterPlan, LeafFault> => {
  const { field } = leaf
  const empty: FilterPlan = { tag: "empty", field, blank: true }
  if (leaf.operator === "isEmpty") return Result.succeed(empty)
  if (leaf.operator === "isNotEmpty") return Result.succeed(Plan.not(empty))
  return Result.map(testOf(leaf, catalog, patterns), (test): FilterPlan => {
    const asked: FilterPlan = { tag: "test", field, test, blank: true }
    return isNegative(leaf.operator) ? Plan.or([empty, Plan.not(asked)]) : asked
  })
}
