/** Of which days two sources of one account show everything: what the one has there, the other has as well. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { areOfOtherSources, isOfFile } from "./Coverage.ts"
import type { MatchInput } from "./Matching.ts"

/** First and last day, as numbers. */
export type DaySpan = readonly [first: number, last: number]

const always: DaySpan = [-Infinity, Infinity]

const spanOf = (rows: Iterable<{ readonly date: CalendarDate.CalendarDate | null }>): DaySpan | undefined => {
  let [first, last] = [Infinity, -Infinity]
  for (const { date } of rows) {
    if (date === null) continue
    const day = CalendarDate.toEpochDay(date)
    first = Math.min(first, day)
    last = Math.max(last, day)
  }
  return first > last ? undefined : [first, last]
}

/** Whether what is read comes out of a file. */
export const readsFile = ({ observations }: MatchInput): boolean => observations.some(isOfFile)

/**
 * Days of which the read, together with what was read before it, shows everything; `undefined` where it leaves out what
 * it cannot name. A file says so of the days from its first row to its last, and of the period that it states.
 */
export const daysShown = (input: MatchInput): DaySpan | undefined => {
  const { coverage, observations, period } = input
  if (readsFile(input)) {
    const rows = spanOf(observations)
    if (rows === undefined || period === undefined) return rows
    return [
      Math.min(rows[0], CalendarDate.toEpochDay(period.from)),
      Math.max(rows[1], CalendarDate.toEpochDay(period.to))
    ]
  }
  switch (coverage.kind) {
    case "delta":
      return always
    case "full":
      return coverage.complete ? always : undefined
    case "window":
      return coverage.complete
        ? [CalendarDate.toEpochDay(coverage.from), CalendarDate.toEpochDay(coverage.to)]
        : undefined
  }
}

export const isWithin = (day: number | undefined, span: DaySpan | undefined): boolean =>
  day !== undefined && span !== undefined && day >= span[0] && day <= span[1]

/** Whether a record is of another source than the read for certain. */
export const isOfOtherSource = ({ observations }: MatchInput): ((entry: IndexEntry) => boolean) => {
  const own = observations.find(isOfFile) ?? { providerId: "" }
  return (entry) => areOfOtherSources(own, entry)
}

/** Days of which other sources have shown everything, as far as their records tell. */
export const daysHeld = (input: MatchInput): DaySpan | undefined => {
  const isOther = isOfOtherSource(input)
  return spanOf(input.held.filter((entry) => entry.state !== "removed" && !entry.pending && isOther(entry)))
}
