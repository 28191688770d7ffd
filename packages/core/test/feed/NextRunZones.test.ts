/** Schedules on the clocks of time zones: over years, through every change of clocks. */
import type { Schedule } from "../../src/feed/FeedConfig.ts"
import { nextRun } from "../../src/feed/NextRun.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

const long = process.env["MILLRACE_LONG"] !== undefined

/** Changes of an hour, half an hour and two hours, late at night and early, in both halves of the year. */
const fewZones = [
  "UTC",
  "Europe/Zurich",
  "America/New_York",
  "America/Havana",
  "America/Nuuk",
  "Africa/Casablanca",
  "Australia/Lord_Howe",
  "Antarctica/Troll"
]
const zones = long
  ? [
      ...fewZones,
      "Europe/London",
      "America/St_Johns",
      "America/Sao_Paulo",
      "Africa/Cairo",
      "Asia/Beirut",
      "Asia/Kathmandu",
      "Asia/Gaza",
      "Pacific/Apia",
      "Pacific/Chatham",
      "Pacific/Kiritimati"
    ]
  : fewZones

/** Clocks change between 21:00 and 04:00, some at odd minutes. */
const times = long
  ? ["00:00", "00:30", "01:00", "01:59", "02:00", "02:15", "02:30", "03:00", "09:00", "12:00", "22:30", "23:59"]
  : ["00:30", "02:30", "22:30", "23:59"]

const formats = new Map<string, Intl.DateTimeFormat>()

/** The clocks and the calendar on the wall, written another way than in the code under test. */
const wallOf = (instant: number, zone: string): { readonly date: string; readonly time: string } => {
  let format = formats.get(zone)
  if (format === undefined) {
    const [date, time] = ["short", "short"] as const
    formats.set(zone, (format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: date, timeStyle: time })))
  }
  const [date, time] = format.format(instant).split(" ")
  return { date: date!, time: time! }
}

const minute = 60_000
const stamp = ({ date, time }: { readonly date: string; readonly time: string }) => `${date} ${time}`

/** Whether `due` is when the clocks of the zone show `time` on `day`: first, or when they go on. */
const isRight = (due: number, day: string, time: string, zone: string): boolean => {
  const wanted = `${day} ${time}`
  const shown = stamp(wallOf(due, zone))
  const before = stamp(wallOf(due - 1, zone))
  if (shown !== wanted) return shown > wanted && before < wanted
  // They showed it before: half an hour, one, two or three hours ago.
  return [30, 60, 120, 180].every((ago) => stamp(wallOf(due - ago * minute, zone)) !== wanted)
}

const plan = (schedule: Partial<Schedule>): Schedule => ({
  enabled: true,
  frequency: "daily",
  timeOfDay: "06:00",
  ...schedule
})

/** All due times from one day to another, as the scheduler finds them. */
const walk = (schedule: Schedule, from: string, to: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  const end = Date.parse(`${to}T00:00:00Z`)
  let at = Date.parse(`${from}T00:00:00Z`)
  for (;;) {
    const next = Date.parse(nextRun(schedule, at))
    if (next >= end) return found
    found.push(next)
    at = next
  }
}

const years = long ? [2005, 2035] : [2025, 2026]

describe("a daily schedule of a time zone", () => {
  it.each(zones)("is due once on every day of %s, through all changes of clocks", (timezone) => {
    for (const timeOfDay of times) {
      const dues = walk(plan({ timeOfDay, timezone }), `${years[0]}-01-01`, `${years[1]}-01-01`)
      const days = new Set<string>()
      for (const [n, due] of dues.entries()) {
        if (n > 0) expect(due).toBeGreaterThan(dues[n - 1]!)
        // What the clocks leave out late at night is due on the next day.
        const { date } = wallOf(due, timezone)
        const day = isRight(due, date, timeOfDay, timezone) ? date : CalendarDate.addDays(CalendarDate.make(date), -1)
        expect([day, timeOfDay, isRight(due, day, timeOfDay, timezone), days.has(day)]).toEqual([
          day,
          timeOfDay,
          true,
          false
        ])
        days.add(day)
      }
      const first = CalendarDate.make([...days][0]!)
      expect(days.size).toBe(CalendarDate.daysBetween(first, CalendarDate.make([...days].at(-1)!)) + 1)
    }
  })

  it("passes over the day that a zone left out", () => {
    const dues = walk(plan({ timeOfDay: "09:00", timezone: "Pacific/Apia" }), "2011-12-25", "2012-01-05")
    const days = dues.map((due) => wallOf(due, "Pacific/Apia").date)
    expect(days).toContain("2011-12-29")
    expect(days).not.toContain("2011-12-30")
    expect(new Set(days).size).toBe(days.length)
  })

  it.each([
    ["2026-03-29", "02:30", "2026-03-29T01:00:00.000Z"],
    ["2026-03-29", "02:00", "2026-03-29T01:00:00.000Z"],
    ["2026-03-29", "03:00", "2026-03-29T01:00:00.000Z"],
    ["2026-03-29", "03:15", "2026-03-29T01:15:00.000Z"],
    ["2026-10-25", "02:30", "2026-10-25T00:30:00.000Z"],
    ["2026-10-25", "03:00", "2026-10-25T02:00:00.000Z"],
    ["2026-07-01", "06:00", "2026-07-01T04:00:00.000Z"]
  ])("on %s at %s in Zurich is %s", (day, timeOfDay, due) => {
    const schedule = plan({ timeOfDay, timezone: "Europe/Zurich" })
    expect(nextRun(schedule, Date.parse(`${day}T00:00:00Z`) - 3 * 3_600_000)).toBe(due)
    expect(wallOf(Date.parse(nextRun(schedule, Date.parse(due))), "Europe/Zurich").date).not.toBe(day)
  })
})

describe("a weekly and a monthly schedule of a time zone", () => {
  it("are due once in every week on its day, and once in every month on its day or the last", () => {
    const random = new Seeded(11)
    for (const timezone of zones) {
      for (let n = 0; n < (long ? 20 : 2); n++) {
        const [timeOfDay, dayOfWeek, dayOfMonth] = [random.pick(times), random.below(7), 27 + random.below(5)]
        const weekly = walk(plan({ frequency: "weekly", dayOfWeek, timeOfDay, timezone }), "2023-06-01", "2025-06-01")
        expect(weekly.length).toBeGreaterThan(103)
        for (const due of weekly) {
          const { date, time } = wallOf(due, timezone)
          const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
          expect([timezone, time >= timeOfDay ? weekday : (weekday + 6) % 7]).toEqual([timezone, dayOfWeek])
        }
        const monthly = walk(
          plan({ frequency: "monthly", dayOfMonth, timeOfDay, timezone }),
          "2023-06-01",
          "2025-06-01"
        )
        const months = monthly.map((due) => wallOf(due, timezone).date.slice(0, 7))
        expect([timezone, new Set(months).size, months.length >= 23]).toEqual([timezone, months.length, true])
        for (const due of monthly) {
          const { date } = wallOf(due, timezone)
          const [year, month, day] = date.split("-").map(Number)
          expect([date, day]).toEqual([date, Math.min(dayOfMonth, CalendarDate.daysInMonth(year!, month!))])
        }
      }
    }
  })

  it("end a leap February on its last day, on the clocks of the zone", () => {
    const schedule = plan({ frequency: "monthly", dayOfMonth: 31, timeOfDay: "00:30", timezone: "Asia/Kathmandu" })
    expect(nextRun(schedule, Date.parse("2028-02-10T00:00:00Z"))).toBe("2028-02-28T18:45:00.000Z")
  })
})

describe("an hourly schedule", () => {
  it("is the same in every zone", () => {
    for (const timezone of zones) {
      const after = Date.parse("2026-03-29T00:50:00Z")
      expect(nextRun(plan({ frequency: "hourly", timeOfDay: "00:45", timezone }), after)).toBe(
        "2026-03-29T01:45:00.000Z"
      )
    }
  })
})
