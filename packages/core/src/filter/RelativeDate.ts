/** Words for periods that move with the calendar (enrichments E1, decisions 8.1). */
import * as CalendarDate from "../shared/CalendarDate.ts"

export const relativeDates = ["today", "yesterday", "7d", "30d", "90d", "12m", "mtd", "qtd", "ytd"] as const
export type RelativeDate = (typeof relativeDates)[number]

/** First and last day, both inside. */
export interface Period {
  readonly start: CalendarDate.CalendarDate
  readonly end: CalendarDate.CalendarDate
}

export const relativeDateOf = (text: string): RelativeDate | undefined => {
  const word = text.toLowerCase()
  return relativeDates.find((known) => known === word)
}

const at = (year: number, month: number, day: number): CalendarDate.CalendarDate =>
  CalendarDate.fromParts(year, month, day) ?? CalendarDate.make("1900-01-01")

/** `30d` is the thirty days that end today; `12m` starts on the day after this day of last year. */
export const periodOf = (token: RelativeDate, today: CalendarDate.CalendarDate): Period => {
  const year = Number(today.slice(0, 4))
  const month = Number(today.slice(5, 7))
  const day = Number(today.slice(8, 10))
  switch (token) {
    case "today":
      return { start: today, end: today }
    case "yesterday": {
      const yesterday = CalendarDate.addDays(today, -1)
      return { start: yesterday, end: yesterday }
    }
    case "7d":
    case "30d":
    case "90d":
      return { start: CalendarDate.addDays(today, 1 - Number.parseInt(token, 10)), end: today }
    case "12m": {
      const anchor = at(year - 1, month, Math.min(day, CalendarDate.daysInMonth(year - 1, month)))
      return { start: CalendarDate.addDays(anchor, 1), end: today }
    }
    case "mtd":
      return { start: at(year, month, 1), end: today }
    case "qtd":
      return { start: at(year, month - ((month - 1) % 3), 1), end: today }
    case "ytd":
      return { start: at(year, 1, 1), end: today }
  }
}
