/**
 * Records that exactly one read has shown, such as rows of another account that an upstream listed by mistake. Where so many
 * rows vanish at once that a read is not believed, these alone may go: what two reads have shown stays.
 */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { ShownStep } from "../../record/Shown.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { HeldDetail } from "./Matching.ts"

const dayMillis = 86_400_000

/** Days on which complete reads have to lack such a record, after the day on which it was shown. */
const laterDays = 3

/**
 * Whether no other read than the one that a record came with has shown its day before it was missed. Of a day that no read
 * has shown whole nothing is known.
 */
export const isShownOnce = (
  steps: ReadonlyArray<ShownStep>,
  { date }: Pick<IndexEntry, "date">,
  { createdAt, missedSince }: Pick<HeldDetail, "createdAt" | "missedSince">
): boolean => {
  if (date === null) return false
  const last = steps.find(({ at, from }) => date >= from && (missedSince === null || at < missedSince))
  return last?.began !== undefined && last.partial !== true && createdAt >= last.began
}

/** Reads, a day apart, that have to lack such a record: one more where the first of them was on the day it was shown. */
export const readsUntilGone = ({ createdAt, missedSince }: Pick<HeldDetail, "createdAt" | "missedSince">): number => {
  const wasSameDay = missedSince !== null && Timestamp.toMillis(missedSince) - Timestamp.toMillis(createdAt) < dayMillis
  return laterDays + (wasSameDay ? 1 : 0)
}
