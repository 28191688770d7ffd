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

const holidaysOf = new WeakMap<BusinessCalendar, ReadonlySet<string>>()

const isHoliday = (calendar: BusinessCalendar, date: CalendarDate.CalendarDate): boolean => {
  let known = holidaysOf.get(calendar)
  if (known === undefined) holidaysOf.set(calendar, (known = new Set(calendar.holidays)))
  return known.has(date)
}

/** 0 is Sunday. */
export const weekdayOf = (date: CalendarDate.CalendarDate): number =>
  // 1970-01-01 was a Thursday.
  (((CalendarDate.toEpochDay(date) + 4) % 7) + 7) % 7

export const isBusinessDay = (calendar: BusinessCalendar, date: CalendarDate.CalendarDate): boolean =>
  !calendar.weekend.includes(weekdayOf(date)) && !isHoliday(calendar, date)

/** Longer than any run of holidays. */
const farthest = 366

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
