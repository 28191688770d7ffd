/** When calendar days begin in a time zone (decisions 8.1). */
import * as CalendarDate from "./CalendarDate.ts"
import * as Timestamp from "./Timestamp.ts"

const hour = 3_600_000

/** How far from midnight in UTC days of a zone have begun so far. Few zones have more than two such distances. */
const distances = new Map<string, Array<number>>()
const keptDistances = 8

/** Answers that are kept, all zones together: filters ask for the same few days again and again. */
const kept = new Map<string, Timestamp.Timestamp>()
const keptDays = 4_096

const search = (midnight: number, day: CalendarDate.CalendarDate, zone: string): number => {
  // The clocks of no zone are further than 15 hours from UTC.
  let before = midnight - 15 * hour
  let from = midnight + 15 * hour
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (CalendarDate.inZone(middle, zone) >= day) from = middle
    else before = middle
  }
  return from
}

const find = (day: CalendarDate.CalendarDate, zone: string): number => {
  const midnight = CalendarDate.toEpochDay(day) * 24 * hour
  const known = distances.get(zone) ?? []
  const isStart = (at: number): boolean =>
    CalendarDate.inZone(at, zone) >= day && CalendarDate.inZone(at - 1, zone) < day
  const near = known.find((distance) => isStart(midnight + distance))
  if (near !== undefined) return midnight + near
  const start = search(midnight, day, zone)
  distances.set(zone, [start - midnight, ...known].slice(0, keptDistances))
  return start
}

/** The first instant that falls on the day, or after it where a zone leaves the day out. */
export const dayStart = (day: CalendarDate.CalendarDate, zone: string): Timestamp.Timestamp => {
  const key = `${day} ${zone}`
  let start = kept.get(key)
  if (start === undefined) {
    start = Timestamp.fromMillis(find(day, zone))
    if (kept.size >= keptDays) kept.clear()
    kept.set(key, start)
  }
  return start
}
