import { describe, expect, it } from "@effect/vitest"
import {
  type BusinessCalendar,
  BusinessDays,
  businessDaysApart,
  businessDaysBetween,
  isBusinessDay,
  shift,
  standardWeek,
  weekdayOf
} from "../../src/shared/BusinessCalendar.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"

const day = CalendarDate.make
const withHolidays = { weekend: [5, 6], holidays: [day("2026-03-01"), day("2026-03-02")] }

describe("business days", () => {
  it("know the days of the week, before 1970 too", () => {
    expect(["2026-11-22", "2026-11-28", "1969-12-28", "1900-01-01"].map((text) => weekdayOf(day(text)))).toEqual([
      0, 6, 0, 1
    ])
  })

  it("are those outside of the weekend that are no holidays", () => {
    expect(isBusinessDay(standardWeek, day("2026-02-27"))).toBe(true)
    expect(isBusinessDay(withHolidays, day("2026-02-27"))).toBe(false)
    expect(isBusinessDay(withHolidays, day("2026-03-02"))).toBe(false)
  })

  it("shift what falls on another day, to either side or not at all", () => {
    const date = day("2026-02-28")
    expect(shift(withHolidays, date, "following")).toBe("2026-03-03")
    expect(shift(withHolidays, date, "preceding")).toBe("2026-02-26")
    expect(shift(withHolidays, date, "none")).toBe(date)
    expect(shift(standardWeek, day("2026-02-27"), "following")).toBe("2026-02-27")
  })

  it("are as far apart counted once for a span as counted for two days, through runs of holidays longer than a year too", () => {
    const first = CalendarDate.toEpochDay(day("2026-02-10"))
    const run = (days: number) => Array.from({ length: days }, (_, n) => CalendarDate.fromEpochDay(first + 9 + n))
    const calendars: ReadonlyArray<BusinessCalendar> = [
      standardWeek,
      withHolidays,
      { weekend: [], holidays: run(30) },
      { weekend: [0, 1, 2, 3, 4, 6], holidays: run(500) }
    ]
    for (const calendar of calendars) {
      const span = new BusinessDays(calendar, first, first + 59)
      for (let from = first; from < first + 60; from++) {
        for (let to = first; to < first + 60; to++) {
          // Without the sign of nothing.
          expect(span.apart(from, to), `${from} ${to}`).toBe(businessDaysApart(calendar, from, to) + 0)
        }
      }
    }
  })

  it("count from one day to another, both ways", () => {
    expect(businessDaysBetween(standardWeek, day("2026-02-27"), day("2026-03-02"))).toBe(1)
    expect(businessDaysBetween(standardWeek, day("2026-02-28"), day("2026-03-07"))).toBe(5)
    expect(businessDaysBetween(standardWeek, day("2026-03-02"), day("2026-02-27"))).toBe(-1)
    expect(businessDaysBetween(standardWeek, day("2026-03-02"), day("2026-03-02"))).toBe(0)
  })
})
