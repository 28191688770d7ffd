/** Plan and fact of each line, period by period: a fold over what the periods come to (enrichments C12). */
import type * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { periodIndex, periodStart, type Recurrence } from "../../../shared/Recurrence.ts"
import { amountInForce, type BudgetConfig, type BudgetLine } from "./BudgetConfig.ts"
import type { PeriodRow } from "./BudgetState.ts"

/** One line in one period. All amounts in minor units of the currency of the budget. */
export interface BudgetCell {
  readonly line: BudgetLine
  /** Its place in the configuration. */
  readonly at: number
  /** The first day, and the day after the last one. */
  readonly start: CalendarDate.CalendarDate
  readonly end: CalendarDate.CalendarDate
  /** The amount in force on the last day. */
  readonly amount: bigint
  /** What the period before left over; negative where it was overspent. */
  readonly carriedIn: bigint
  readonly spent: bigint
  /** What is left: `amount + carriedIn - spent`. */
  readonly available: bigint
  readonly carriedOut: bigint
}

export interface Folding {
  readonly config: BudgetConfig
  readonly recurrence: Recurrence
  /** Digits after the point of a minor unit. */
  readonly digits: number
  readonly past: ReadonlyArray<{ readonly until: CalendarDate.CalendarDate; readonly remembered: Schema.Json }>
  readonly today: CalendarDate.CalendarDate
}

const unitsOf = (amount: Decimal.Decimal, digits: number): bigint =>
  Decimal.toUnits(Decimal.roundHalfAway(amount, digits), digits)

const carried = ({ carry, carryCap }: BudgetLine, available: bigint, digits: number): bigint => {
  const goes = available > 0n ? carry === "positive" || carry === "both" : carry === "negative" || carry === "both"
  if (!goes) return 0n
  const cap = carryCap === undefined ? undefined : unitsOf(carryCap, digits)
  if (cap === undefined || (available <= cap && available >= -cap)) return available
  return available > 0n ? cap : -cap
}

/** Every line in every period from the first in which anything was booked to the current one, or the last that has records. */
export const foldPeriods = (
  rows: ReadonlyArray<PeriodRow>,
  { config, digits, past, recurrence, today }: Folding
): ReadonlyArray<ReadonlyArray<BudgetCell>> => {
  const spent = new Map<string, bigint>()
  let first = periodIndex(recurrence, today)
  let last = first
  for (const { booked } of rows) {
    for (const [start, key, units] of booked) {
      const index = periodIndex(recurrence, start)
      first = Math.min(first, index)
      last = Math.max(last, index)
      const place = `${start} ${key}`
      spent.set(place, (spent.get(place) ?? 0n) + BigInt(units))
    }
  }
  if (config.startDate !== undefined) first = Math.max(first, periodIndex(recurrence, config.startDate))
  const carry = config.lines.map(() => 0n)
  const periods: Array<ReadonlyArray<BudgetCell>> = []
  for (let index = first; index <= last; index++) {
    const start = periodStart(recurrence, index)
    const end = periodStart(recurrence, index + 1)
    periods.push(
      config.lines.map((line, at) => {
        const amount = unitsOf(amountInForce(line, end, past), digits)
        const carriedIn = carry[at]!
        const used = spent.get(`${start} ${line.key}`) ?? 0n
        const available = amount + carriedIn - used
        const carriedOut = (carry[at] = carried(line, available, digits))
        return { line, at, start, end, amount, carriedIn, spent: used, available, carriedOut }
      })
    )
  }
  return periods
}
