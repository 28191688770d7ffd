/** Whether the content of a row allows what its id says (enrichments D1). */
import type { Observation } from "../../record/Observation.ts"
import * as Decimal from "../../shared/Decimal.ts"
import { earlyDays, sourceDays } from "./MatchCost.ts"
import { likeness, type MatchRow } from "./MatchRow.ts"

/** Days by which a bank moves a posted row that it corrects. */
const correctionDays = 5
/** Days in which a pending row is booked: whatever changes by it, an id is not given to another event meanwhile. */
const settlementDays = 14
/** Days after which the same amount under the same id is another payment to the same merchant. */
const reuseDays = 30

/** A row, as far as it is at hand before its texts are read. */
type UnreadRow = Pick<Observation, "fields" | "date" | "pending">

/** Whether a row passes whatever the texts say: nobody has to read them then. */
export const passesUnread = (observed: UnreadRow, held: UnreadRow): boolean =>
  observed.fields["amount"] === held.fields["amount"] &&
  (observed.fields["currency"] ?? "") === (held.fields["currency"] ?? "") &&
  (held.pending || (held.date !== null && observed.date === held.date))

/**
 * Whether the row can be a later form of the one we hold under its id. An id that is reused for another event must
 * never overwrite the first.
 */
export const passesGuard = (observed: MatchRow, held: MatchRow): boolean => {
  if (observed.currency !== held.currency) return false
  const [one, other] = [Decimal.sign(observed.amount), Decimal.sign(held.amount)]
  // What was authorised at zero may be booked with either sign.
  if (one !== other && one !== 0 && other !== 0) return false
  const sameAmount = observed.amount === held.amount
  const alike = () => likeness(observed, held)
  const gap = observed.day === undefined || held.day === undefined ? Number.NaN : observed.day - held.day
  if (held.pending) {
    const settles = !observed.pending && gap >= -earlyDays && gap <= settlementDays
    return sameAmount || settles || alike() >= 0.3
  }
  const days = Math.abs(gap)
  if (sameAmount) return days === 0 || (days <= reuseDays && !observed.pending && alike() >= 0.3)
  return !observed.pending && days <= correctionDays && alike() >= 0.5
}

/**
 * Whether a row of a file can be the one that another file showed under the same id. Banks give ids of files out again:
 * another amount or day is a correction only where the file shows the day of the first and not the first itself.
 */
export const passesFileGuard = (observed: MatchRow, held: MatchRow, isShown: boolean): boolean => {
  if (held.pending || observed.pending) return passesGuard(observed, held)
  if (observed.currency !== held.currency || Decimal.sign(observed.amount) !== Decimal.sign(held.amount)) return false
  if (observed.day === undefined || held.day === undefined) return false
  const days = Math.abs(observed.day - held.day)
  const sameAmount = observed.amount === held.amount
  if (days === 0 && sameAmount) return true
  if (!isShown || days > correctionDays) return false
  // Whatever the texts: two sources of one account may date an event so far apart, and write what they like.
  if (days === 0 || (sameAmount && days <= sourceDays)) return true
  return likeness(observed, held) >= (sameAmount ? 0.3 : 0.5)
}

/**
 * Whether a row that a change feed shows has taken the place of the one we hold under its id, whatever it says now. To
 * such a feed the id is the place: what stood there before is gone, and nothing else would ever say so. Far apart in
 * time the id was reused, and both events are real.
 */
export const takesThePlace = (observed: MatchRow, held: MatchRow): boolean =>
  observed.currency === held.currency &&
  observed.day !== undefined &&
  held.day !== undefined &&
  Math.abs(observed.day - held.day) <= correctionDays
