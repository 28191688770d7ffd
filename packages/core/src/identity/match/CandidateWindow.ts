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
export const daysOf = (input: MatchInput, open: ReadonlyArray<number>): ReadonlyArray<number> =>
  open
    .flatMap((at) => {
      const { date } = input.observations[at]!
      return date === null ? [] : [CalendarDate.toEpochDay(date)]
    })
    .toSorted((a, b) => a - b)

/** Tells which records may be meant by an observation of one of these days, before their contents are known. */
export const candidateTest = (input: MatchInput, days: ReadonlyArray<number>): ((entry: IndexEntry) => boolean) => {
  const byId = trusted(input.idTrust)
  const withFiles = input.observations.some(isOfFile)
  return (entry) => {
    if (isUnread(input, entry)) return false
    const crossesSources = withFiles || isOfFile(entry)
    // A change feed with ids of its own lists what is gone: whatever else it does not mention is still there.
    if (byId && input.coverage.kind === "delta" && !crossesSources) {
      if (!entry.pending || (entry.state === "live" && !isListed(input, entry))) return false
    }
    if (entry.date === null) return true
    const day = CalendarDate.toEpochDay(entry.date)
    const [first, last] = candidateWindow(input.config, entry.pending)
    const next = days[lowerBound(days, day + first)]
    return next !== undefined && next <= day + last
  }
}
