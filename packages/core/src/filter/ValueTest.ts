/** Tests of single values, as functions. */
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import type { CellValue } from "./FilterField.ts"
import type { Bound, Comparable, Day, Range, Test, TestNode } from "./FilterPlan.ts"
import { fold, isBlank } from "../text/Fold.ts"
import { comparePoints, containing, equalsFolded, oneOfFolded } from "./FoldedText.ts"
import { jsonScalar } from "./JsonScalar.ts"
import { numberTest } from "./NumberTest.ts"
import type { Period, RelativeDate } from "./RelativeDate.ts"

/** 1: true, 0: false, -1: unknown, since there is no value of the type. */
export type Truth = 1 | 0 | -1

/** Periods of the day that the test is made on. */
export type Periods = (token: RelativeDate) => Period

/** For plans whose days stand still. */
export const noPeriods: Periods = () => {
  throw new TypeError("a filter whose dates move is asked without saying which day it is")
}

/** `other` is the value of the field that the test names, if it names one. */
export type ValueTest = (value: CellValue | undefined, periods: Periods, other?: CellValue) => Truth

const truth = (holds: boolean): Truth => (holds ? 1 : 0)

/** Text as it stands; truth values by their words. `undefined` for nothing and for lists. */
export const textOf = (value: CellValue | undefined): string | undefined =>
  typeof value === "string" ? value : typeof value === "boolean" ? String(value) : undefined

/** The day that text begins with, as a number; NaN where it begins with none. */
const dayOf = (value: unknown): number => (typeof value === "string" ? CalendarDate.numberOf(value) : Number.NaN)

/** Whether there is no value: nothing, or with `blank` nothing but white space. */
export const isEmpty = (value: CellValue | undefined, blank: boolean): boolean =>
  value === null || value === undefined
    ? true
    : typeof value === "string"
      ? blank && isBlank(value)
      : typeof value === "boolean"
        ? false
        : !Array.isArray(value) || value.length === 0

const isWithin = <A>(value: A, { low, high }: Range<A>, compare: (a: A, b: A) => number): boolean => {
  if (low !== undefined) {
    const at = compare(value, low.value)
    if (at < 0 || (at === 0 && low.open)) return false
  }
  if (high !== undefined) {
    const at = compare(value, high.value)
    if (at > 0 || (at === 0 && high.open)) return false
  }
  return true
}

const compareNumbers = (a: number, b: number): number => a - b
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const dayBound = ({ value, open }: Bound<Day>, periods: Periods): Bound<number> => ({
  value: CalendarDate.numberOf(typeof value === "string" ? value : periods(value.token)[value.end]),
  open
})

/** The days inside, as numbers. */
const dayRange = ({ low, high }: Range<Day>, periods: Periods): Range<number> => ({
  ...(low === undefined ? {} : { low: dayBound(low, periods) }),
  ...(high === undefined ? {} : { high: dayBound(high, periods) })
})

const isMoving = ({ low, high }: Range<Day>): boolean =>
  typeof low?.value === "object" || typeof high?.value === "object"

type TextTest = (text: string) => boolean

const textTest = ({ how, values, trimmed }: Extract<Test, { readonly tag: "text" }>): TextTest => {
  const literal = values[0]!
  const asked: TextTest =
    how === "equals"
      ? values.length > 1
        ? oneOfFolded(values)
        : (text) => equalsFolded(text, literal)
      : how === "contains"
        ? containing(literal)
        : how === "startsWith"
          ? (text) => fold(text).startsWith(literal)
          : (text) => fold(text).endsWith(literal)
  return trimmed ? (text) => asked(text.trim()) : asked
}

const ofText =
  (asked: TextTest): ValueTest =>
  (value) => {
    const text = textOf(value)
    return text === undefined ? -1 : truth(asked(text))
  }

const wordOf = (value: CellValue | undefined): boolean | undefined => {
  if (typeof value === "boolean") return value
  if (typeof value !== "string") return undefined
  const word = value.trim().toLowerCase()
  return word === "true" ? true : word === "false" ? false : undefined
}

/** How two values of one row compare; `undefined` where one of them is none of the type. */
const compareAs = (as: Comparable, a: CellValue | undefined, b: CellValue | undefined): number | undefined => {
  const both = <A>(
    read: (value: CellValue | undefined) => A | undefined,
    compare: (left: A, right: A) => number
  ): number | undefined => {
    const left = read(a)
    const right = read(b)
    return left === undefined || right === undefined ? undefined : compare(left, right)
  }
  switch (as) {
    case "text":
      return both((value) => {
        const text = textOf(value)
        return text === undefined ? undefined : fold(text)
      }, comparePoints)
    case "number":
      return both((value) => (typeof value === "string" ? Decimal.parse(value.trim()) : undefined), Decimal.compare)
    case "boolean":
      return both(wordOf, (left, right) => Number(left) - Number(right))
    case "date":
    case "key":
    case "datetime":
      return both(textOf, compareTexts)
  }
}

const orders: Readonly<Record<Extract<Test, { readonly tag: "field" }>["op"], (at: number) => boolean>> = {
  eq: (at) => at === 0,
  gt: (at) => at > 0,
  gte: (at) => at >= 0,
  lt: (at) => at < 0,
  lte: (at) => at <= 0
}

const compiled = (test: Test): ValueTest => {
  switch (test.tag) {
    case "text":
      return ofText(textTest(test))
    case "order":
      return ofText((text) => isWithin(fold(text), test.range, comparePoints))
    case "pattern":
      return ofText((text) => test.pattern.test(text))
    case "key": {
      const keys = new Set(test.values)
      return ofText((text) => keys.has(text))
    }
    case "keys": {
      const keys = new Set(test.values)
      return (value) =>
        !Array.isArray(value) || value.length === 0
          ? -1
          : truth(
              test.how === "only"
                ? value.length === 1 && keys.has(value[0])
                : value.some((key: string) => keys.has(key))
            )
    }
    case "number": {
      const asked = numberTest(test.ranges)
      return (value) => (typeof value === "string" ? asked(value) : -1)
    }
    case "digits":
      return (value) => {
        const number = typeof value === "string" ? Decimal.parse(value.trim()) : undefined
        return number === undefined ? -1 : truth(number.includes(test.part))
      }
    case "day": {
      const { ranges } = test
      const inside = (day: number, days: ReadonlyArray<Range<number>>): Truth =>
        Number.isNaN(day) ? -1 : truth(days.some((range) => isWithin(day, range, compareNumbers)))
      if (ranges.some(isMoving))
        return (value, periods) =>
          inside(
            dayOf(value),
            ranges.map((range) => dayRange(range, periods))
          )
      const days = ranges.map((range) => dayRange(range, noPeriods))
      return (value) => inside(dayOf(value), days)
    }
    case "time":
      return ofText((text) => test.ranges.some((range) => isWithin(text, range, compareTexts)))
    case "truth":
      return (value) => {
        const word = wordOf(value)
        return word === undefined ? -1 : truth(test.values.includes(word))
      }
    case "field": {
      const holds = orders[test.op]
      return (value, _periods, other) => {
        const at = compareAs(test.as, value, other)
        return at === undefined ? -1 : truth(holds(at))
      }
    }
  }
}

/** The test of a node with all that its field asks for: JSON text read, blank text taken for nothing. */
export const valueTest = ({ test, blank, json }: TestNode): ValueTest => {
  const asked = compiled(test)
  if (json !== undefined)
    return (value, periods) => {
      const scalar = typeof value === "string" ? jsonScalar(value, json) : undefined
      return scalar === undefined ? -1 : asked(scalar, periods)
    }
  return blank
    ? (value, periods, other) => (typeof value === "string" && isBlank(value) ? -1 : asked(value, periods, other))
    : asked
}

/** What is nothing of all this is inherited from `Object.prototype`, and no value of a row. */
export const ownValue = (value: unknown): CellValue =>
  typeof value === "string" || typeof value === "boolean"
    ? value
    : Array.isArray(value)
      ? (value as ReadonlyArray<string>)
      : null

/** The same question of text that was found in a row, and of anything else that was. */
export interface ValuePredicate {
  readonly text: (text: string) => boolean
  readonly other: (value: unknown) => boolean
  /** Units of work that a character of the text costs at most (`shared/Work`). */
  readonly work: number
}

/** Folding a text takes about as long as so many looks at each of its characters. */
const foldWork = 4

const workOf = ({ test }: TestNode): number => {
  switch (test.tag) {
    case "pattern":
      return test.pattern.work
    case "text":
    case "order":
    case "field":
      return foldWork
    case "number":
    case "day":
    case "time":
      return 1 + test.ranges.length
    default:
      return 1
  }
}

const timeTest = ({ low, high }: Range<string>): TextTest => {
  if (low?.open === true || high?.open === true)
    return (text) => isWithin(text, { low, high } as Range<string>, compareTexts)
  const from = low?.value
  const to = high?.value
  return (text) => (from === undefined || text >= from) && (to === undefined || text <= to)
}

/** What text is asked where the answer is never unknown. */
const knownText = ({ test, blank, json }: TestNode): TextTest | undefined => {
  if (json !== undefined || blank) return undefined
  return test.tag === "text"
    ? textTest(test)
    : test.tag === "pattern"
      ? (text) => test.pattern.test(text)
      : test.tag === "time" && test.ranges.length === 1
        ? timeTest(test.ranges[0]!)
        : undefined
}

/** Whether a value makes the test true, or with `wanted` 0 false: the same as `valueTest(node)(...) === wanted`. */
export const valuePredicate = (node: TestNode, wanted: 1 | 0, periods: Periods): ValuePredicate => {
  const slow = valueTest(node)
  const work = workOf(node)
  const other = (value: unknown): boolean => slow(ownValue(value), periods) === wanted
  const known = knownText(node)
  if (known !== undefined) return { text: wanted === 1 ? known : (text) => !known(text), other, work }
  if (node.test.tag === "number" && !node.blank && node.json === undefined) {
    const asked = numberTest(node.test.ranges)
    return { text: (text) => asked(text) === wanted, other, work }
  }
  return { text: (text) => slow(text, periods) === wanted, other, work }
}
