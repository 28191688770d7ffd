/**
 * Readings of one account: a file, or all reads of the connection. Which days each of them shows, and which records.
 */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import * as Decimal from "../../shared/Decimal.ts"
import { isOfFile, sourceOf } from "./Coverage.ts"
import type { MatchInput } from "./Matching.ts"

/** What a file says of an account besides its rows. */
export interface FileTotals {
  /** Period that it states. */
  readonly from?: CalendarDate.CalendarDate | undefined
  readonly to?: CalendarDate.CalendarDate | undefined
  readonly openingBalance?: Decimal.Decimal | undefined
  readonly closingBalance?: Decimal.Decimal | undefined
}

/** A file that was read before. */
export interface EarlierFile extends FileTotals {
  readonly recordIds: ReadonlySet<string>
  /** What the ids of its rows tell of its format and layout (`sourceOf`). */
  readonly source?: string | undefined
  /** Days of its first and its last booked row, and the sum of all of them. */
  readonly firstDay?: CalendarDate.CalendarDate | undefined
  readonly lastDay?: CalendarDate.CalendarDate | undefined
  readonly sum?: Decimal.Decimal | undefined
}

/** First and last day, as numbers. */
export type DaySpan = readonly [first: number, last: number]

export interface Reading extends Pick<EarlierFile, "openingBalance" | "closingBalance" | "sum"> {
  /** `undefined` where it leaves out what it cannot name. */
  readonly days: DaySpan | undefined
  readonly ofFile: boolean
}

export interface EarlierReading extends Reading {
  readonly source?: string | undefined
  readonly shows: (entry: Pick<IndexEntry, "id">) => boolean
}

const always: DaySpan = [-Infinity, Infinity]

const spanOf = (days: Iterable<CalendarDate.CalendarDate | null | undefined>): DaySpan | undefined => {
  let [first, last] = [Infinity, -Infinity]
  for (const date of days) {
    if (date === null || date === undefined) continue
    const day = CalendarDate.toEpochDay(date)
    first = Math.min(first, day)
    last = Math.max(last, day)
  }
  return first > last ? undefined : [first, last]
}

/** Whether what is read comes out of a file. */
export const readsFile = ({ observations }: Pick<MatchInput, "observations">): boolean => observations.some(isOfFile)

/** Days that reads of the connection show, this one and those before it. */
const connectionDays = ({ coverage }: MatchInput): DaySpan | undefined => {
  switch (coverage.kind) {
    case "delta":
      return always
    case "full":
      return coverage.complete ? always : undefined
    case "window":
      return coverage.complete ? spanOf([coverage.from, coverage.to]) : undefined
  }
}

/** The reading that is matched. */
export const readingOf = (input: MatchInput): Reading => {
  const { file, observations } = input
  if (!readsFile(input)) return { days: connectionDays(input), ofFile: false }
  const booked = observations.filter(({ pending }) => !pending)
  const amounts = booked.map(({ fields }) => fields["amount"]).filter(Decimal.is)
  const days = spanOf([...booked.map(({ date }) => date), file?.from, file?.to])
  return { ...file, days, sum: Decimal.sum(amounts), ofFile: true }
}

/**
 * Readings before it. Records without a known file any more, since it was deleted, count as those of one file for
 * each layout.
 */
export const earlierReadings = (input: MatchInput): ReadonlyArray<EarlierReading> => {
  const { earlier = [], held, shownDays } = input
  const files = earlier.map((file): EarlierReading => ({
    ...file,
    days: spanOf([file.firstDay, file.lastDay, file.from, file.to]),
    ofFile: true,
    shows: ({ id }) => file.recordIds.has(id)
  }))
  const named = new Set(earlier.flatMap(({ recordIds }) => [...recordIds]))
  const others = Map.groupBy(
    held.filter((entry) => entry.state !== "removed" && (!isOfFile(entry) || !named.has(entry.id))),
    (entry) => sourceOf(entry) ?? "file:"
  )
  const rest = Array.from(others, ([source, entries]): EarlierReading => {
    const ids = new Set(entries.map(({ id }) => id))
    const ofFile = source !== ""
    const booked = entries.filter(({ pending }) => !pending).map(({ date }) => date)
    return {
      days: spanOf([...booked, ...(ofFile ? [] : [shownDays?.from, shownDays?.to])]),
      ofFile,
      source: ofFile ? source : undefined,
      shows: ({ id }) => ids.has(id)
    }
  })
  return [...files, ...rest]
}

export const isWithin = (day: number | undefined, span: DaySpan | undefined, margin = 0): boolean =>
  day !== undefined && span !== undefined && day - margin >= span[0] && day + margin <= span[1]

/** Whether the one ends on the day on which the other begins, so that each may show another part of it. */
export const meetOn = (day: number, a: DaySpan, b: DaySpan): boolean =>
  (a[1] === day && b[0] === day) || (a[0] === day && b[1] === day)
