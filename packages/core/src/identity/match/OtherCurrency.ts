/** A pending row and its booked form in another currency: whether a stored rate makes their amounts agree. */
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { parse as parseCurrency } from "../../shared/Currency.ts"
import type { HeldRecord } from "../../record/LedgerRecord.ts"
import type { Observation } from "../../record/Observation.ts"
import * as Decimal from "../../shared/Decimal.ts"
import { convert, noRates, type RateTable } from "../../shared/RateTable.ts"
import { amountRatio, type AmountRatio } from "./AmountRatio.ts"
import type { MatchRow } from "./MatchRow.ts"

/** Rates of cards differ from the mid rate by the margin of the card and by a day or two of the market. */
export const ratePercent = 4

/**
 * The booked amount against the pending one in the currency of the booking, by the rate of the day of the pending row.
 * `undefined` where no rate of that day is stored, or where the smallest unit is too coarse to tell.
 */
export const convertedRatio = (
  observed: MatchRow,
  held: MatchRow,
  rates: RateTable = noRates
): AmountRatio | undefined => {
  const [from, to] = [parseCurrency(held.currency), parseCurrency(observed.currency)]
  const day = held.day ?? observed.day
  if (from === undefined || to === undefined || day === undefined) return undefined
  const converted = convert(rates, held.amount, from, to, CalendarDate.fromEpochDay(day))
  return converted === undefined || Decimal.sign(converted.amount) === 0
    ? undefined
    : amountRatio(observed.amount, converted.amount)
}

/** Whether any of the records waits in another currency than a row is booked in. */
export const mayChangeCurrency = (
  observations: ReadonlyArray<Pick<Observation, "fields" | "pending">>,
  records: Iterable<Pick<HeldRecord, "fields" | "pending">>
): boolean => {
  const waiting = new Set(Array.from(records, ({ fields, pending }) => (pending ? fields["currency"] : undefined)))
  waiting.delete(undefined)
  if (waiting.size === 0) return false
  return observations.some(({ fields, pending }) => !pending && (waiting.size > 1 || !waiting.has(fields["currency"])))
}
