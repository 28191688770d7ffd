/** Time in the demo bank: months, days and instants, all UTC, all from numbers that the caller was given. */
import { CalendarDate } from "@millrace/core"

export const hourMillis = 3_600_000
export const dayMillis = 24 * hourMillis

/** Months since year 0. */
export type Month = number

// Writing a day as text is most of the work of making a ledger, and a history has few days.
const written = new Map<number, CalendarDate.CalendarDate>()
const mostWritten = 10_000

export const dateOf = (at: number): CalendarDate.CalendarDate => {
  const day = Math.floor(at / dayMillis)
  const known = written.get(day)
  if (known !== undefined) return known
  if (written.size >= mostWritten) written.clear()
  const date = CalendarDate.fromEpochDay(day)
  written.set(day, date)
  return date
}

export const monthOf = (at: number): Month => {
  const date = dateOf(at)
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
}

/** The instant of a day and hour of a month; a day past its end is its last day. */
export const instant = (month: Month, day: number, hour: number, minute = 0): number => {
  const year = Math.floor(month / 12)
  const last = CalendarDate.daysInMonth(year, (month % 12) + 1)
  const date = CalendarDate.make(
    `${String(year).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}-${String(Math.min(day, last)).padStart(2, "0")}`
  )
  return CalendarDate.toEpochDay(date) * dayMillis + hour * hourMillis + minute * 60_000
}

const eraMonths = 48
const firstEra: Month = 1960 * 12 + 11

/**
 * The month in which every history begins. Eras of four years start in December (2024, 2028 ...) and last
 * until the next one holds a year of history: so there are always 12 to 60 months, and between two eras
 * the beginning stands still, which keeps opening balances and ids where they are.
 */
export const historyStart = (at: number): Month =>
  firstEra + Math.floor((monthOf(at) - 12 - firstEra) / eraMonths) * eraMonths
