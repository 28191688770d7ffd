/** Days of rows as numbers: since 1970-01-01, and one that stands for none. */
import * as CalendarDate from "../../shared/CalendarDate.ts"

/** Of rows without a day. */
export const undatedDay = -1_000_000

/** There are no more days than those of three centuries. */
const numbers = new Map<string, number>()

export const dayNumber = (date: CalendarDate.CalendarDate | null): number => {
  if (date === null) return undatedDay
  let day = numbers.get(date)
  if (day === undefined) numbers.set(date, (day = CalendarDate.toEpochDay(date)))
  return day
}

export const dateOfDay = (day: number): CalendarDate.CalendarDate | null =>
  day === undatedDay ? null : CalendarDate.fromEpochDay(day)

/** As `dayNumber`, of rows in their order: those of a day follow each other, mostly. */
export const makeDayOf = (): ((row: { readonly date: CalendarDate.CalendarDate | null }) => number) => {
  let date: CalendarDate.CalendarDate | null = null
  let day = undatedDay
  return (row) => {
    if (row.date !== date) {
      date = row.date
      day = dayNumber(date)
    }
    return day
  }
}
