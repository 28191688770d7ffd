/** Whether the content of a row allows what its id says (enrichments D1). */
import * as Decimal from "../shared/Decimal.ts"
import { likeness, type MatchRow } from "./MatchRow.ts"

/** Days by which a bank moves a posted row that it corrects. */
const correctionDays = 5

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
  const alike = likeness(observed, held)
  if (sameAmount && (alike >= 0.3 || observed.day === held.day)) return true
  if (held.pending) return sameAmount || alike >= 0.3
  return (
    !observed.pending &&
    alike >= 0.5 &&
    observed.day !== undefined &&
    held.day !== undefined &&
    Math.abs(observed.day - held.day) <= correctionDays
  )
}
