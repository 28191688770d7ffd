/** Calendar dates without a zone: `YYYY-MM-DD`, years 1900 to 2199 (decisions 1.2). */
import * as Schema from "effect/Schema"

declare const CalendarDateBrand: unique symbol

/** `YYYY-MM-DD`; comparing two as strings compares the days. */
export type CalendarDate = string & { readonly [CalendarDateBrand]: true }

const dayMillis = 86_400_000

export const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

const pad = (value: number, width: number): string => value.toString().padStart(width, "0")

/** `undefined` when the day does not exist or lies outside 1900 to 2199. */
export const fromParts = (year: number, month: number, day: number): CalendarDate | undefined =>
  Number.isInteger(year) &&
  Number.isInteger(month) &&
  Number.isInteger(day) &&
  year >= 1900 &&
  year <= 2199 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= daysInMonth(year, month)
    ? (`${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}` as CalendarDate)
    : undefined

const digit = (text: string, at: number): number => {
  const value = text.charCodeAt(at) - 48
  return value >>> 0 > 9 ? Number.NaN : value
}

/**
 * The day that the text begins with, as a number such as 20240229: the order of the numbers is that of the days.
 * NaN where the first ten characters are no day; no text is made on the way.
 */
export const numberOf = (text: string): number => {
  if (text.length < 10 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN
  const year = ((digit(text, 0) * 10 + digit(text, 1)) * 10 + digit(text, 2)) * 10 + digit(text, 3)
  const month = digit(text, 5) * 10 + digit(text, 6)
  const day = digit(text, 8) * 10 + digit(text, 9)
  // Comparisons with what is no number are false.
  return year >= 1900 &&
    year <= 2199 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= 28 || day <= daysInMonth(year, month))
    ? year * 10_000 + month * 100 + day
    : Number.NaN
}

export const parse = (text: string): CalendarDate | undefined =>
  text.length === 10 && !Number.isNaN(numberOf(text)) ? (text as CalendarDate) : undefined

const time = /^[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?$/

/**
 * The day where a day is asked for: a date, or a date-time, whose first ten characters count, with an offset or
 * without one (decisions 1.2). No zone is converted.
 */
export const ofText = (text: string): CalendarDate | undefined =>
  text.length === 10 ? parse(text) : time.test(text.slice(10)) ? parse(text.slice(0, 10)) : undefined

/** For literals in code; dies on anything that is not a date. */
export const make = (text: string): CalendarDate => {
  const value = parse(text)
  if (value === undefined) throw new RangeError(`not a calendar date: ${text}`)
  return value
}

export const is = (value: unknown): value is CalendarDate => typeof value === "string" && parse(value) !== undefined

/** Days before each month of a year that is no leap year. */
const daysBefore = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const

/** Days since 1970-01-01 of the day that the text begins with; NaN where the first ten characters are no day. */
export const epochDayOf = (text: string): number => {
  const number = numberOf(text)
  if (Number.isNaN(number)) return number
  const year = Math.floor(number / 10_000)
  const month = Math.floor(number / 100) % 100
  // Leap days up to the year before, and that of the year itself from March on.
  const until = month > 2 ? year : year - 1
  const leaps = Math.floor(until / 4) - Math.floor(until / 100) + Math.floor(until / 400) - 477
  return (year - 1970) * 365 + leaps + daysBefore[month]! + (number % 100) - 1
}

/** Days since 1970-01-01, also of years that no calendar date has. */
export const toEpochDay = (date: CalendarDate): number => {
  const day = epochDayOf(date)
  return Number.isNaN(day)
    ? Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) / dayMillis
    : day
}

/** Days that were asked for; there are no more than those of three centuries. */
const byEpochDay = new Map<number, CalendarDate>()

export const fromEpochDay = (day: number): CalendarDate => {
  const known = byEpochDay.get(day)
  if (known !== undefined) return known
  const text = new Date(day * dayMillis).toISOString().slice(0, 10)
  const date = parse(text)
  if (date === undefined) return text as CalendarDate
  byEpochDay.set(day, date)
  return date
}

export const addDays = (date: CalendarDate, days: number): CalendarDate => fromEpochDay(toEpochDay(date) + days)

/** Whole days from `a` to `b`; negative when `b` is earlier. */
export const daysBetween = (a: CalendarDate, b: CalendarDate): number => toEpochDay(b) - toEpochDay(a)

export const min = (a: CalendarDate, b: CalendarDate): CalendarDate => (a < b ? a : b)
export const max = (a: CalendarDate, b: CalendarDate): CalendarDate => (a > b ? a : b)

interface Zone {
  readonly format: Intl.DateTimeFormat
  /** The last answer holds for the whole minute: no zone changes its day within one since 1980. */
  minute: number
  day: CalendarDate
}

const zones = new Map<string, Zone>()

const minuteMillis = 60_000
const since1980 = Date.UTC(1980, 0, 1) / minuteMillis

/** The day that `epochMillis` falls on in an IANA time zone. */
export const inZone = (epochMillis: number, zone: string): CalendarDate => {
  if (zone === "UTC") return fromEpochDay(Math.floor(epochMillis / dayMillis))
  let known = zones.get(zone)
  if (known === undefined) {
    const format = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit"
    })
    zones.set(zone, (known = { format, minute: Number.NaN, day: "" as CalendarDate }))
  }
  const minute = Math.floor(epochMillis / minuteMillis)
  if (minute === known.minute) return known.day
  const day = known.format.format(epochMillis) as CalendarDate
  if (minute >= since1980) {
    known.minute = minute
    known.day = day
  }
  return day
}

export const CalendarDate: Schema.Codec<CalendarDate, string> = Schema.String.annotate({ format: "date" }).pipe(
  Schema.refine((text): text is CalendarDate => is(text), { expected: "a date of the form YYYY-MM-DD" })
)
