/** When a schedule is due next (decisions 7.2): `timeOfDay` is UTC. */
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Schedule } from "./FeedConfig.ts"

const minuteMillis = 60_000
const hourMillis = 60 * minuteMillis

const utcDate = (millis: number): CalendarDate.CalendarDate => CalendarDate.inZone(millis, "UTC")

const at = (date: CalendarDate.CalendarDate, schedule: Schedule): number =>
  Date.parse(`${date}T${schedule.timeOfDay}:00.000Z`)

const monthDay = (year: number, month: number, day: number): CalendarDate.CalendarDate =>
  CalendarDate.fromParts(year, month, Math.min(day, CalendarDate.daysInMonth(year, month)))!

/** The first due time after `after`; missed ones in between are not made up for. */
export const nextRun = (schedule: Schedule, after: number): Timestamp.Timestamp => {
  const today = utcDate(after)
  switch (schedule.frequency) {
    case "hourly": {
      const minute = Number(schedule.timeOfDay.slice(3)) * minuteMillis
      const hour = Math.floor((after - minute) / hourMillis) + 1
      return Timestamp.fromMillis(hour * hourMillis + minute)
    }
    case "daily": {
      const due = at(today, schedule)
      return Timestamp.fromMillis(due > after ? due : at(CalendarDate.addDays(today, 1), schedule))
    }
    case "weekly": {
      // 1970-01-01 was a Thursday, day 4 of a week that begins on Sunday.
      const weekday = (CalendarDate.toEpochDay(today) + 4) % 7
      const ahead = ((schedule.dayOfWeek ?? 0) - weekday + 7) % 7
      const due = at(CalendarDate.addDays(today, ahead), schedule)
      return Timestamp.fromMillis(due > after ? due : at(CalendarDate.addDays(today, ahead + 7), schedule))
    }
    case "monthly": {
      const year = Number(today.slice(0, 4))
      const month = Number(today.slice(5, 7))
      const day = schedule.dayOfMonth ?? 1
      const due = at(monthDay(year, month, day), schedule)
      if (due > after) return Timestamp.fromMillis(due)
      return Timestamp.fromMillis(
        at(month === 12 ? monthDay(year + 1, 1, day) : monthDay(year, month + 1, day), schedule)
      )
    }
  }
}
