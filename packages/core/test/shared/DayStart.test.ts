import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { dayStart } from "../../src/shared/DayStart.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { expect, it } from "vitest"

it.each([
  ["2026-03-14", "UTC", "2026-03-14T00:00:00.000Z"],
  ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
  ["2026-01-01", "Pacific/Kiritimati", "2025-12-31T10:00:00.000Z"],
  ["2026-01-01", "Pacific/Niue", "2026-01-01T11:00:00.000Z"],
  // Clocks went forward at midnight: the day began at one o'clock.
  ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z"],
  // The day was left out.
  ["2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000Z"],
  ["2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00.000Z"]
])("%s begins in %s at %s", (day, zone, instant) => {
  expect(dayStart(CalendarDate.make(day), zone)).toBe(instant)
})

it("begins every day of a year where the day before it ends, in zones of all kinds", () => {
  for (const zone of ["America/New_York", "Asia/Kathmandu", "Africa/Casablanca", "Australia/Lord_Howe"])
    for (let n = 0; n < 365; n++) {
      const day = CalendarDate.addDays(CalendarDate.make("2025-01-01"), n)
      const start = Timestamp.toMillis(dayStart(day, zone))
      expect(CalendarDate.inZone(start, zone)).toBe(day)
      expect(CalendarDate.inZone(start - 1, zone)).toBe(CalendarDate.addDays(day, -1))
    }
})
