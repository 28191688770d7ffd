/** Periods that follow each other without a gap, counted from one day (enrichments C0, C12). */
import * as CalendarDate from "./CalendarDate.ts"

export const periodUnits = ["day", "week", "month", "quarter", "year"] as const
export type PeriodUnit = (typeof periodUnits)[number]

/** Periods of `length` units each, of which one begins on the anchor. */
export interface Recurrence {
  readonly unit: PeriodUnit
  readonly length: number
  readonly anchor: CalendarDate.CalendarDate
}

const monthsOf: Readonly<Partial<Record<PeriodUnit, number>>> = { month: 1, quarter: 3, year: 12 }

/** The same day of another month, or its last day where it has no such day. */
export const addMonths = (date: CalendarDate.CalendarDate, months: number): CalendarDate.CalendarDate => {
  const count = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + months
  const year = Math.floor(count / 12)
  const month = count - year * 12 + 1
  const day = Math.min(Number(date.slice(8, 10)), CalendarDate.daysInMonth(year, month))
  return CalendarDate.fromParts(year, month, day) ?? (year < 2000 ? earliest : latest)
}
const earliest = CalendarDate.make("1900-01-01")
const latest = CalendarDate.make("2199-12-31")

/** The first day of the period that is `index` after the one of the anchor: from the anchor always, never from a neighbour. */
export const periodStart = ({ anchor, length, unit }: Recurrence, index: number): CalendarDate.CalendarDate => {
  const months = monthsOf[unit]
  return months === undefined
    ? CalendarDate.addDays(anchor, index * length * (unit === "week" ? 7 : 1))
    : addMonths(anchor, index * length * months)
}

/** Which period the day falls into: 0 is that of the anchor. */
export const periodIndex = (recurrence: Recurrence, date: CalendarDate.CalendarDate): number => {
  const { anchor, length, unit } = recurrence
  const months = monthsOf[unit]
  if (months === undefined) {
    return Math.floor(CalendarDate.daysBetween(anchor, date) / (length * (unit === "week" ? 7 : 1)))
  }
  const apart =
    (Number(date.slice(0, 4)) - Number(anchor.slice(0, 4))) * 12 + Number(date.slice(5, 7)) - Number(anchor.slice(5, 7))
  const index = Math.floor(apart / (length * months))
  return periodStart(recurrence, index) > date
    ? index - 1
    : periodStart(recurrence, index + 1) <= date
      ? index + 1
      : index
}
