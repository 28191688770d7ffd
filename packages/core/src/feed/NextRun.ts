/** When a schedule is due next (decisions 7.2): `timeOfDay` is that of its time zone, UTC unless it names one. */
import * as CalendarDate from "../shared/CalendarDate.ts"
import { dayStart } from "../shared/DayStart.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { wallInstant } from "../shared/WallTime.ts"
import type { Schedule } from "./FeedConfig.ts"

const minuteMillis = 60_000
const hourMillis = 60 * minuteMillis

const at = (date: CalendarDate.CalendarDate, { timeOfDay, timezone }: Schedule): number =>
  timezone === undefined ? Date.parse(`${date}T${timeOfDay}:00.000Z`) : wallInstant(date, timeOfDay, timezone)

/** A zone that moves over the date line leaves a day out. */
const exists = (date: CalendarDate.CalendarDate, { timezone }: Schedule): boolean =>
  timezone === undefined || CalendarDate.inZone(Timestamp.toMillis(dayStart(date, timezone)), timezone) === date

const monthDay = (year: number, month: number, day: number): CalendarDate.CalendarDate =>
  CalendarDate.fromParts(year, month, Math.min(day, CalendarDate.daysInMonth(year, month)))!

/** Days on which a schedule is due, from the day before `today` on: clocks may carry its time into the next one. */
function* daysOf(schedule: Schedule, today: CalendarDate.CalendarDate): Generator<CalendarDate.CalendarDate> {
  const yesterday = CalendarDate.addDays(today, -1)
  switch (schedule.frequency) {
    case "weekly": {
      // 1970-01-01 was a Thursday, day 4 of a week that begins on Sunday.
      const weekday = (CalendarDate.toEpochDay(yesterday) + 4) % 7
      const first = CalendarDate.addDays(yesterday, ((schedule.dayOfWeek ?? 0) - weekday + 7) % 7)
      for (let week = 0; ; week++) yield CalendarDate.addDays(first, 7 * week)
    }
    case "monthly": {
      const month = Number(yesterday.slice(0, 4)) * 12 + Number(yesterday.slice(5, 7)) - 1
      const day = schedule.dayOfMonth ?? 1
      for (let n = month; ; n++) yield monthDay(Math.floor(n / 12), (n % 12) + 1, day)
    }
    default: {
      for (let n = 0; ; n++) {
        const date = CalendarDate.addDays(yesterday, n)
        // A week or a month without its run would be long; a day that is left out has none.
        if (exists(date, schedule)) yield date
      }
    }
  }
}

/** The first due time after `after`; missed ones in between are not made up for. */
export const nextRun = (schedule: Schedule, after: number): Timestamp.Timestamp => {
  if (schedule.frequency === "hourly") {
    const minute = Number(schedule.timeOfDay.slice(3)) * minuteMillis
    const hour = Math.floor((after - minute) / hourMillis) + 1
    return Timestamp.fromMillis(hour * hourMillis + minute)
  }
  const today = CalendarDate.inZone(after, schedule.timezone ?? "UTC")
  for (const date of daysOf(schedule, today)) {
    const due = at(date, schedule)
    if (due > after) return Timestamp.fromMillis(due)
  }
  throw new RangeError("a schedule is due on days without end")
}
