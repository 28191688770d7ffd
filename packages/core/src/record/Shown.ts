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
}

/** Steps that are kept; what was last shown by an older read is not known. */
const mostSteps = 200

/** The steps after a read, newest first. */
export const afterRead = (steps: ReadonlyArray<ShownStep>, read: ShownStep): ReadonlyArray<ShownStep> =>
  [read, ...steps.filter(({ from }) => from < read.from)].slice(0, mostSteps)

/** When a read last showed a record; `undefined` where that is not known, as of pending ones. */
export const lastShownAt = (
  steps: ReadonlyArray<ShownStep>,
  { date, missedSince, pending, state }: Pick<HeldRecord, "date" | "missedSince" | "pending" | "state">
): Timestamp | undefined => {
  if (date === null || pending || state !== "live") return undefined
  return steps.find(({ at, from }) => date >= from && (missedSince === null || at < missedSince))?.at
}
