/**
 * When records were last shown, without a word about any of them: kept are the days that reads showed, and when.
 *
 * A later read that shows as many days takes the place of an earlier one, so each step reaches further back than the
 * steps after it, and was longer ago.
 */
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { HeldRecord } from "./LedgerRecord.ts"

/** Every posted record of these days was shown by that read, or counted as missed. */
export interface ShownStep {
  /** First of the days; the last one is that of the read. */
  readonly from: CalendarDate
  readonly at: Timestamp
  /** When that read began: a record that is younger came with it. */
  readonly began?: Timestamp
  /** The read may have shown some records of these days, and others not: it is incomplete, or is not believed. */
  readonly partial?: true
}

/** Steps that are kept; what was last shown by an older read is not known. */
const mostSteps = 200

/** The steps after a read, newest first. A partial one takes the place of no other kind. */
export const afterRead = (steps: ReadonlyArray<ShownStep>, read: ShownStep): ReadonlyArray<ShownStep> =>
  [read, ...steps.filter(({ from, partial }) => from < read.from || (read.partial === true && partial !== true))].slice(
    0,
    mostSteps
  )

/** When a read last showed a record; `undefined` where that is not known, as of pending ones. */
export const lastShownAt = (
  steps: ReadonlyArray<ShownStep>,
  { date, missedSince, pending, state }: Pick<HeldRecord, "date" | "missedSince" | "pending" | "state">
): Timestamp | undefined => {
  if (date === null || pending || state !== "live") return undefined
  const isLast = ({ at, from, partial }: ShownStep): boolean =>
    partial !== true && date >= from && (missedSince === null || at < missedSince)
  return steps.find(isLast)?.at
}
