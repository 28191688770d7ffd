/** Which days count as business days (enrichments A12.5). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "./CalendarDate.ts"

/** 0 is Sunday, 6 is Saturday. */
const Weekday = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))

export const BusinessCalendar = Schema.Struct({
  /** Days of the week on which no business is done: at most six. */
  weekend: Schema.Array(Weekday).check(Schema.isMaxLength(6), Schema.isUnique()),
  /** Single days on which none is done. */
  holidays: Schema.Array(CalendarDate.CalendarDate).check(Schema.isMaxLength(2_000))
})
export type BusinessCalendar = typeof BusinessCalendar.Type

/** What happens to something that falls on a day that is no business day. */
export const shiftPolicies = ["none", "following", "preceding"] as const
export type ShiftPolicy = (typeof shiftPolicies)[number]

/** Saturdays and Sundays, and no holidays. */
export const standardWeek: BusinessCalendar = { weekend: [0, 6], holidays: [] }

/** Longer than any run of holidays. */
const farthest = 366

const holidaysOf = new WeakMap<BusinessCalendar, ReadonlySet<string>>()

const isHoliday = (calendar: BusinessCalendar, date: CalendarDate.CalendarDate): boolean => {
  let known = holidaysOf.get(calendar)
  if (known === undefined) holidaysOf.set(calendar, (known = new Set(calendar.holidays)))
  return known.has(date)
}

/** Days of the week and holidays of a calendar, by number. */
interface Numbers {
  /** 1 for days of the week on which no business is done. */
  readonly weekend: ReadonlyArray<number>
  readonly holidays: ReadonlySet<number>
}

const numbersOf = new WeakMap<BusinessCalendar, Numbers>()

const numbers = (calendar: BusinessCalendar): Numbers => {
  let known = numbersOf.get(calendar)
  if (known === undefined) {
    known = {
      weekend: Array.from({ length: 7 }, (_, day) => (calendar.weekend.includes(day) ? 1 : 0)),
      holidays: new Set(calendar.holidays.map(CalendarDate.toEpochDay))
    }
    numbersOf.set(calendar, known)
  }
  return known
}

const isOpen = ({ holidays, weekend }: Numbers, day: number): boolean =>
  weekend[(((day + 4) % 7) + 7) % 7] === 0 && (holidays.size === 0 || !holidays.has(day))

/** The day itself or the next one on which business is done. */
const following = (calendar: Numbers, from: number): number => {
  for (let day = from; day < from + farthest; day++) if (isOpen(calendar, day)) return day
  return from
}

/**
 * `businessDaysBetween` of two days since 1970-01-01, where days on which no business is done count as the next one: for
 * those who look at many.
 */
export const businessDaysApart = (calendar: BusinessCalendar, from: number, to: number): number => {
  const known = numbers(calendar)
  const [a, b] = [following(known, from), following(known, to)]
  let count = 0
  for (let day = Math.min(a, b) + 1, last = Math.max(a, b); day <= last; day++) if (isOpen(known, day)) count++
  return a <= b ? count : -count
}

/** The same of days within a span, which are counted once: for those who look at many pairs of few days. */
export class BusinessDays {
  private readonly first: number
  /** Of each day, the business days from the first one up to the day that it counts as. */
  private readonly ordinals: Int32Array

  /** Days from `first` to `last`, both with. */
  constructor(calendar: BusinessCalendar, first: number, last: number) {
    const known = numbers(calendar)
    this.first = first
    this.ordinals = new Int32Array(Math.max(0, last - first + 1))
    let [counted, count] = [first - 1, 0]
    for (let day = first; day <= last; day++) {
      const until = following(known, day)
      while (counted < until) if (isOpen(known, ++counted)) count++
      this.ordinals[day - first] = count
    }
  }

  apart(from: number, to: number): number {
    return this.ordinals[to - this.first]! - this.ordinals[from - this.first]!
  }
}

/** 0 is Sunday. */
export const weekdayOf = (date: CalendarDate.CalendarDate): number =>
  // 1970-01-01 was a Thursday.
  (((CalendarDate.toEpochDay(date) + 4) % 7) + 7) % 7

export const isBusinessDay = (calendar: BusinessCalendar, date: CalendarDate.CalendarDate): boolean =>
  !calendar.weekend.includes(weekdayOf(date)) && !isHoliday(calendar, date)

/** The day itself where it is a business day; otherwise the next one or the one before, as the policy says. */
export const shift = (
  calendar: BusinessCalendar,
  date: CalendarDate.CalendarDate,
  policy: ShiftPolicy
): CalendarDate.CalendarDate => {
  if (policy === "none") return date
  const step = policy === "following" ? 1 : -1
  for (let days = 0; days < farthest; days++) {
    const day = CalendarDate.addDays(date, days * step)
    if (isBusinessDay(calendar, day)) return day
  }
  return date
}

/** The business days after `from`, up to and with `to`; negative when `to` is earlier. */
export const businessDaysBetween = (
  calendar: BusinessCalendar,
  from: CalendarDate.CalendarDate,
  to: CalendarDate.CalendarDate
): number => {
  if (to < from) return -businessDaysBetween(calendar, to, from)
  let count = 0
  for (let day = from; day < to;) {
    day = CalendarDate.addDays(day, 1)
    if (isBusinessDay(calendar, day)) count++
  }
  return count
}
