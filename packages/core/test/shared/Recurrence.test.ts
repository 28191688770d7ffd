import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { addMonths, periodIndex, periodStart, periodUnits } from "../../src/shared/Recurrence.ts"

const day = CalendarDate.make

describe("periods from an anchor", () => {
  it("begin on the last day of months that are shorter, and on the day of the anchor in all others", () => {
    const monthly = { unit: "month", length: 1, anchor: day("2026-01-31") } as const
    expect([0, 1, 2, 3, -2, 25].map((index) => periodStart(monthly, index))).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
      "2025-11-30",
      "2028-02-29"
    ])
    expect(["2026-02-27", "2026-02-28", "2026-03-30"].map((text) => periodIndex(monthly, day(text)))).toEqual([0, 1, 1])
    expect(addMonths(day("2028-02-29"), 12)).toBe("2029-02-28")
  })

  it("cover every day once, in order, whatever their unit and length", () => {
    const random = new Seeded(7)
    const dayOf = () => CalendarDate.fromEpochDay(random.below(60_000) - 20_000)
    for (let run = 0; run < 500; run++) {
      const recurrence = { unit: random.pick(periodUnits), length: 1 + random.below(14), anchor: dayOf() }
      const date = dayOf()
      const index = periodIndex(recurrence, date)
      expect(periodStart(recurrence, index) <= date).toBe(true)
      expect(periodStart(recurrence, index + 1) > date).toBe(true)
    }
  })
})
