import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { describe, expect, it } from "vitest"

describe("CalendarDate", () => {
  it("knows every day of three centuries, and no other", () => {
    let day = CalendarDate.make("1900-01-01")
    let count = 0
    for (const end = CalendarDate.make("2199-12-31"); day <= end; day = CalendarDate.addDays(day, 1)) {
      expect(CalendarDate.parse(day)).toBe(day)
      expect(CalendarDate.fromEpochDay(CalendarDate.toEpochDay(day))).toBe(day)
      count++
    }
    expect(count).toBe((Date.UTC(2200, 0, 1) - Date.UTC(1900, 0, 1)) / 86_400_000)
  })

  it.each([
    "2026-02-29",
    "1900-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-00-10",
    "2026-13-01",
    "2026-01-00",
    "1899-12-31",
    "2200-01-01",
    "2026-1-01",
    "20260101",
    "2026-01-01T00:00:00Z",
    " 2026-01-01",
    ""
  ])("refuses %j", (text) => {
    expect(CalendarDate.parse(text)).toBeUndefined()
  })

  it.each([
    "",
    "T00:00:00",
    "T09:30",
    " 23:59:59",
    "t23:59:60z",
    "T23:59:59.123456",
    "T23:59:59-05:00",
    "T23:59:59+0530"
  ])("takes the first ten characters of a date-time that goes on with %j where a day is asked for", (rest) => {
    expect(CalendarDate.ofText(`2026-03-01${rest}`)).toBe("2026-03-01")
    expect(CalendarDate.ofText(`2026-02-29${rest}`)).toBeUndefined()
  })

  it.each(["T", "T24:00:00", "T09", "T09:60", "T09:30:61", "T09:30:00+", "x", "0", "T09:30:00Z ", "-01"])(
    "takes no day from what goes on with %j",
    (rest) => {
      expect(CalendarDate.ofText(`2026-03-01${rest}`)).toBeUndefined()
    }
  )

  it("takes the leap days that there are", () => {
    expect(["2024-02-29", "2000-02-29"].map((text) => CalendarDate.parse(text))).toEqual(["2024-02-29", "2000-02-29"])
    expect(CalendarDate.addDays(CalendarDate.make("2024-02-28"), 1)).toBe("2024-02-29")
    expect(CalendarDate.daysBetween(CalendarDate.make("2024-03-01"), CalendarDate.make("2024-02-28"))).toBe(-2)
  })

  it("tells the day of an instant by the zone", () => {
    const at = Date.UTC(2026, 2, 29, 0, 30)
    expect(
      ["UTC", "Europe/Zurich", "America/Los_Angeles", "Pacific/Kiritimati"].map((zone) => CalendarDate.inZone(at, zone))
    ).toEqual(["2026-03-29", "2026-03-29", "2026-03-28", "2026-03-29"])
  })

  it("refuses parts that are no whole numbers", () => {
    expect([CalendarDate.fromParts(2026, 1.5, 1), CalendarDate.fromParts(NaN, 1, 1)]).toEqual([undefined, undefined])
  })
})

describe("Timestamp", () => {
  it.each([
    ["2026-03-14T09:30:00Z", "2026-03-14T09:30:00.000Z"],
    ["2026-03-14T09:30:00.5+02:00", "2026-03-14T07:30:00.500Z"],
    ["2026-03-14T00:00:00-11:30", "2026-03-14T11:30:00.000Z"],
    ["2026-03-14t09:30:00z", "2026-03-14T09:30:00.000Z"],
    ["2026-03-14T09:30:00.123456789Z", "2026-03-14T09:30:00.123Z"]
  ])("reads %s", (text, read) => {
    expect(Timestamp.parse(text)).toBe(read)
  })

  it.each([
    "2026-03-14",
    "2026-03-14T09:30:00",
    "2026-03-14 09:30:00Z",
    "2026-13-14T09:30:00Z",
    "2026-03-14T25:00:00Z",
    "2026-02-30T09:30:00Z",
    "2025-02-29T09:30:00Z",
    "2026-03-14T24:30:00Z",
    "1899-01-01T00:00:00Z",
    "2300-01-01T00:00:00Z",
    "",
    "now"
  ])("refuses %j", (text) => {
    expect(Timestamp.parse(text)).toBeUndefined()
  })
})
