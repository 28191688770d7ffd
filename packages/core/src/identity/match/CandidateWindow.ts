/** The records that an open observation can mean at all, by their days and ids. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { lowerBound } from "../../shared/LowerBound.ts"
import { isListed, isOfFile, isUnread, trusted } from "./Coverage.ts"
import { earlyDays, sourceDays } from "./MatchCost.ts"
import type { MatchConfig, MatchInput } from "./Matching.ts"

/** First and last day of the observations that can mean a record, relative to its own day. */
export const candidateWindow = (config: MatchConfig, pending: boolean): readonly [number, number] => {
  const near = Math.max(config.shiftDays, sourceDays)
  return pending ? [-Math.max(earlyDays, near), Math.max(config.exactWindowDays, near)] : [-near, near]
}

/** Days of the open observations, sorted. */
const daysOf = (input: MatchInput, open: ReadonlyArray<number>): ReadonlyArray<number> =>
  open
    .flatMap((at) => {
      const { date } = input.observations[at]!
      return date === null ? [] : [CalendarDate.toEpochDay(date)]
    })
    .toSorted((a, b) => a - b)

/** Tells which records may be meant by one of the open observations, before their contents are known. */
export const candidateTest = (input: MatchInput, open: ReadonlyArray<number>): ((entry: IndexEntry) => boolean) => {
  const byId = trusted(input.idTrust)
  const days = daysOf(input, open)
  const contents = new Set(open.map((at) => input.observations[at]!.hash))
  const withFiles = input.observations.some(isOfFile)
  /** A change feed with ids of its own lists what is gone: whatever else it does not mention is still there. */
  const isStillThere = (entry: IndexEntry): boolean => {
    if (entry.state === "live" && !isListed(input, entry)) return true
    if (entry.pending || entry.state === "live") return !entry.pending && input.keyed === true
    // A booked record that went some time ago comes back as it was, or not at all.
    return entry.state === "deleted" || input.keyed === true || !contents.has(entry.hash)
  }
  return (entry) => {
    if (isUnread(input, entry)) return false
    const crossesSources = withFiles || isOfFile(entry)
    if (byId && input.coverage.kind === "delta" && !crossesSources && isStillThere(entry)) return false
    if (entry.date === null) return true
    const day = CalendarDate.toEpochDay(entry.date)
    const [first, last] = candidateWindow(input.config, entry.pending)
    const next = days[lowerBound(days, day + first)]
    return next !== undefined && next <= day + last
  }
}
