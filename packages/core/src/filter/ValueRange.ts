/** Ranges that comparisons with a value, a day or a period stand for. */
import * as Result from "effect/Result"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { dayStart } from "../shared/DayStart.ts"
import * as Decimal from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"
import { digitsOf, isNumber } from "../shared/RawNumber.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { refuse, type ClauseFault } from "./FilterFault.ts"
import type { FilterScalar, FilterValue } from "./FilterNode.ts"
import type { Bound, Range } from "./FilterPlan.ts"
import { periodOf, type RelativeDate } from "./RelativeDate.ts"

/** One reading of the clock for everything that is asked together. */
export interface Moment {
  readonly now: Timestamp.Timestamp
  /** IANA name of the time zone in which days begin. */
  readonly zone: string
}

export const todayOf = ({ now, zone }: Moment): CalendarDate.CalendarDate =>
  CalendarDate.inZone(Timestamp.toMillis(now), zone)

/** Everything that counts as equal to a value: the value alone, or all of a day or period. */
export type Whole<A> = Required<Range<A>>

const only = <A>(value: A): Whole<A> => ({ low: { value, open: false }, high: { value, open: false } })
const beside = <A>({ value, open }: Bound<A>): Bound<A> => ({ value, open: !open })

export type OrderOperator = "gt" | "gte" | "lt" | "lte"
export const isOrder = (op: string): op is OrderOperator => op === "gt" || op === "gte" || op === "lt" || op === "lte"

/** What is before, inside or after a whole: `gt` begins after its end, `lte` goes to its end. */
export const orderRange = <A>(op: OrderOperator, whole: Whole<A>): Range<A> => {
  switch (op) {
    case "gt":
      return { low: beside(whole.high) }
    case "gte":
      return { low: whole.low }
    case "lt":
      return { high: beside(whole.low) }
    case "lte":
      return { high: whole.high }
  }
}

export const wholeNumber = (value: FilterScalar): Result.Result<Whole<Decimal.Decimal>, ClauseFault> => {
  const text = isNumber(value) ? digitsOf(value) : value
  const number = typeof text === "string" ? Decimal.parse(text) : undefined
  if (typeof text !== "string" || number === undefined) return refuse("value", "must be a number such as -12.50")
  return text.length > limits.numberText
    ? refuse("value", `must have at most ${limits.numberText} characters`)
    : Result.succeed(only(number))
}

const days = (start: string, end: string): Whole<string> => ({
  low: { value: start, open: false },
  high: { value: end, open: false }
})

const instants = (start: CalendarDate.CalendarDate, end: CalendarDate.CalendarDate, zone: string): Whole<string> => ({
  low: { value: dayStart(start, zone), open: false },
  high: { value: dayStart(CalendarDate.addDays(end, 1), zone), open: true }
})

export const wholePeriod = (type: "date" | "datetime", token: RelativeDate, moment: Moment): Whole<string> => {
  const { start, end } = periodOf(token, todayOf(moment))
  return type === "date" ? days(start, end) : instants(start, end, moment.zone)
}

/** A day of a date field; a day or an instant of a date-time field. */
export const wholeTime = (
  type: "date" | "datetime",
  value: FilterScalar,
  moment: Moment
): Result.Result<Whole<string>, ClauseFault> => {
  if (typeof value === "string") {
    const at = type === "datetime" ? Timestamp.parse(value) : undefined
    if (at !== undefined) return Result.succeed(only(at as string))
    // A date-time without an offset is a day, but no instant.
    const day = type === "date" ? CalendarDate.ofText(value) : CalendarDate.parse(value)
    if (day !== undefined && type === "date") return Result.succeed(days(day, day))
    if (day !== undefined) return Result.succeed(instants(day, day, moment.zone))
  }
  return refuse(
    "value",
    type === "date"
      ? "must be a date (YYYY-MM-DD) or {rel}"
      : "must be a date (YYYY-MM-DD), a date-time with an offset (2026-03-14T09:00:00Z) or {rel}"
  )
}

/** From the beginning of one whole to the end of another. */
export const between = <A>(
  low: Whole<A>,
  high: Whole<A>,
  compare: (a: A, b: A) => number
): Result.Result<Range<A>, ClauseFault> =>
  compare(low.low.value, high.high.value) > 0
    ? refuse("value", "must not end before it begins")
    : Result.succeed({ low: low.low, high: high.high })

export const isRelative = (value: FilterValue | undefined): value is { readonly rel: RelativeDate } =>
  typeof value === "object" && value !== null && "rel" in value
