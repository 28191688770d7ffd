import type { Schedule } from "../../src/feed/FeedConfig.ts"
import { nextRun } from "../../src/feed/NextRun.ts"
import { describe, expect, it } from "vitest"
import { Seeded } from "@millrace/testing/model"

const at = (text: string) => Date.parse(text)
const plan = (schedule: Partial<Schedule>): Schedule => ({
  enabled: true,
  frequency: "daily",
  timeOfDay: "06:00",
  ...schedule
})

/** The reference: minute by minute, is this one due? */
const isDue = (schedule: Schedule, minute: number): boolean => {
  const date = new Date(minute)
  const [hours, minutes] = schedule.timeOfDay.split(":").map(Number)
  if (date.getUTCMinutes() !== minutes) return false
  if (schedule.frequency === "hourly") return true
  if (date.getUTCHours() !== hours) return false
  if (schedule.frequency === "daily") return true
  if (schedule.frequency === "weekly") return date.getUTCDay() === schedule.dayOfWeek
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.getUTCDate() === Math.min(schedule.dayOfMonth!, last)
}

describe("nextRun", () => {
  it.each([
    [
      "hourly, in this hour",
      { frequency: "hourly", timeOfDay: "00:45" },
      "2026-03-14T09:30:00Z",
      "2026-03-14T09:45:00.000Z"
    ],
    [
      "hourly, on the very minute",
      { frequency: "hourly", timeOfDay: "00:30" },
      "2026-03-14T09:30:00Z",
      "2026-03-14T10:30:00.000Z"
    ],
    ["daily, later today", {}, "2026-03-14T05:59:59.999Z", "2026-03-14T06:00:00.000Z"],
    ["daily, tomorrow", {}, "2026-03-14T06:00:00Z", "2026-03-15T06:00:00.000Z"],
    ["daily, when clocks change elsewhere", { timeOfDay: "02:30" }, "2026-03-29T00:00:00Z", "2026-03-29T02:30:00.000Z"],
    ["weekly, on Sunday", { frequency: "weekly", dayOfWeek: 0 }, "2026-03-14T09:30:00Z", "2026-03-15T06:00:00.000Z"],
    ["weekly, a week on", { frequency: "weekly", dayOfWeek: 6 }, "2026-03-14T06:00:00Z", "2026-03-21T06:00:00.000Z"],
    [
      "monthly, a short month",
      { frequency: "monthly", dayOfMonth: 31 },
      "2026-02-01T00:00:00Z",
      "2026-02-28T06:00:00.000Z"
    ],
    [
      "monthly, a leap month",
      { frequency: "monthly", dayOfMonth: 30 },
      "2028-02-01T00:00:00Z",
      "2028-02-29T06:00:00.000Z"
    ],
    [
      "monthly, over the year",
      { frequency: "monthly", dayOfMonth: 31 },
      "2026-12-31T06:00:00Z",
      "2027-01-31T06:00:00.000Z"
    ],
    [
      "monthly, after a short one",
      { frequency: "monthly", dayOfMonth: 31 },
      "2026-02-28T06:00:00Z",
      "2026-03-31T06:00:00.000Z"
    ]
  ] as const)("finds the time that comes: %s", (_, schedule, after, due) => {
    expect(nextRun(plan(schedule), at(after))).toBe(due)
  })

  it("never skips a due time and never repeats one", () => {
    const random = new Seeded(7)
    for (let i = 0; i < 60; i++) {
      const schedule = plan({
        frequency: random.pick(["hourly", "daily", "weekly", "monthly"]),
        timeOfDay: `${String(random.below(24)).padStart(2, "0")}:${String(random.below(60)).padStart(2, "0")}`,
        dayOfWeek: random.below(7),
        dayOfMonth: 1 + random.below(31)
      })
      const after = at("2027-12-01T00:00:00Z") + random.below(120 * 1_440) * 60_000
      let minute = after + 60_000
      while (!isDue(schedule, minute)) minute += 60_000
      expect([schedule, nextRun(schedule, after)]).toEqual([schedule, new Date(minute).toISOString()])
      expect(Date.parse(nextRun(schedule, after + 1))).toBe(minute)
    }
  })

  it("makes nothing up for what was missed", () => {
    expect(nextRun(plan({}), at("2026-03-14T06:00:00Z") + 40 * 86_400_000)).toBe("2026-04-24T06:00:00.000Z")
  })
})
