/** When calendar days begin in a time zone (decisions 8.1). */
import * as CalendarDate from "./CalendarDate.ts"
import * as Timestamp from "./Timestamp.ts"

const hour = 3_600_000

/**
 * The first instant that falls on the day, or after it where a zone leaves the day out. The clocks of no zone
 * are further than 15 hours from UTC.
 */
export const dayStart = (day: CalendarDate.CalendarDate, zone: string): Timestamp.Timestamp => {
  const midnight = CalendarDate.toEpochDay(day) * 24 * hour
  let before = midnight - 15 * hour
  let from = midnight + 15 * hour
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (CalendarDate.inZone(middle, zone) >= day) from = middle
    else before = middle
  }
  return Timestamp.fromMillis(from)
}
