/** Instants that clocks on the wall of a time zone show (decisions 7.2). */
import * as CalendarDate from "./CalendarDate.ts"

const minuteMillis = 60_000
const hourMillis = 60 * minuteMillis

const formats = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds by which the clocks of the zone are ahead of UTC. */
const offsetAt = (instant: number, zone: string): number => {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric"
    })
    formats.set(zone, format)
  }
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(instant)) part[type] = Number(value)
  const wall = Date.UTC(part["year"]!, part["month"]! - 1, part["day"], part["hour"], part["minute"], part["second"])
  return wall - Math.floor(instant / 1000) * 1000
}

/** The first instant after `from` with the offset that there is at `to`: clocks change once in between. */
const changeBetween = (from: number, to: number, zone: string): number => {
  const after = offsetAt(to, zone)
  let [before, at] = [from, to]
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (offsetAt(middle, zone) === after) at = middle
    else before = middle
  }
  return at
}

/**
 * When the clocks of the zone show that time (`HH:MM`) on that day: for the first time where they show it twice, and
 * when they go on where they leave it out, which can be on the next day.
 */
export const wallInstant = (day: CalendarDate.CalendarDate, timeOfDay: string, zone: string): number => {
  const [hours, minutes] = timeOfDay.split(":").map(Number)
  const wall = CalendarDate.toEpochDay(day) * 24 * hourMillis + hours! * hourMillis + minutes! * minuteMillis
  // The clocks of no zone are further than 15 hours from UTC.
  const [from, to] = [wall - 15 * hourMillis, wall + 15 * hourMillis]
  const candidates = [offsetAt(from, zone), offsetAt(to, zone)]
    .filter((offset) => offsetAt(wall - offset, zone) === offset)
    .map((offset) => wall - offset)
  return candidates.length === 0 ? changeBetween(from, to, zone) : Math.min(...candidates)
}
