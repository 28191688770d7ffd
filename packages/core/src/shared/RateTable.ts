/** Dated mid rates between currencies, and exact conversion by them (enrichments A12.3, A12.4). */
import * as CalendarDate from "./CalendarDate.ts"
import * as Currency from "./Currency.ts"
import * as Decimal from "./Decimal.ts"

/** What one unit of the base currency was worth on a day. */
export interface RateDay {
  readonly date: CalendarDate.CalendarDate
  readonly quotes: ReadonlyMap<Currency.Currency, Decimal.Decimal>
}

export interface RateTable {
  /** Differs where anything in it differs. */
  readonly version: string
  readonly base: Currency.Currency
  /** By the number of the day, as `CalendarDate.toEpochDay` has it. */
  readonly days: ReadonlyMap<number, ReadonlyMap<Currency.Currency, Decimal.Decimal>>
}

/** One unit of `from` in `to`. */
export interface Rate {
  /** Rounded to 12 digits after the point; amounts are converted by the quotes themselves. */
  readonly rate: Decimal.Decimal
  /** The day of the quotes: the day asked for, or one of the seven before it. */
  readonly on: CalendarDate.CalendarDate
}

export interface Converted extends Rate {
  /** In the smallest unit of the other currency, rounded half away from zero. */
  readonly amount: Decimal.Decimal
}

/** Days after which a rate says nothing any more. */
export const rateReachDays = 7
const rateDigits = 12

/** Quotes that are not above zero are left out: they say nothing. Of two days of one date the later counts. */
export const rateTable = (version: string, base: Currency.Currency, days: Iterable<RateDay>): RateTable => ({
  version,
  base,
  days: new Map(
    [...days].map(({ date, quotes }) => [
      CalendarDate.toEpochDay(date),
      new Map([...quotes].filter(([currency, quote]) => currency !== base && Decimal.sign(quote) > 0))
    ])
  )
})

/** Knows no rate at all. */
export const noRates: RateTable = rateTable("none", Currency.make("EUR"), [])

const one = Decimal.make("1")

/** The quotes of both on the latest day that has them, as whole numbers of one scale. */
const quotesOn = (table: RateTable, from: Currency.Currency, to: Currency.Currency, on: CalendarDate.CalendarDate) => {
  const day = CalendarDate.toEpochDay(on)
  for (let back = 0; back <= rateReachDays; back++) {
    const quotes = table.days.get(day - back)
    if (quotes === undefined) continue
    const left = from === table.base ? one : quotes.get(from)
    const right = to === table.base ? one : quotes.get(to)
    if (left === undefined || right === undefined) continue
    const digits = Math.max(Decimal.scale(left), Decimal.scale(right))
    return {
      on: CalendarDate.fromEpochDay(day - back),
      divisor: Decimal.toUnits(left, digits),
      dividend: Decimal.toUnits(right, digits)
    }
  }
  return undefined
}

const dividedHalfAway = (dividend: bigint, divisor: bigint): bigint => {
  const negative = dividend < 0n
  const size = negative ? -dividend : dividend
  const whole = size / divisor
  const rounded = (size % divisor) * 2n >= divisor ? whole + 1n : whole
  return negative ? -rounded : rounded
}

/** `undefined` where neither the day nor the seven before it have quotes of both. */
export const rateOn = (
  table: RateTable,
  from: Currency.Currency,
  to: Currency.Currency,
  on: CalendarDate.CalendarDate
): Rate | undefined => {
  if (from === to) return { rate: one, on }
  const found = quotesOn(table, from, to, on)
  if (found === undefined) return undefined
  const scaled = found.dividend * 10n ** BigInt(rateDigits)
  return { rate: Decimal.fromUnits(dividedHalfAway(scaled, found.divisor), rateDigits), on: found.on }
}

/** Exact up to the one rounding at the end. `undefined` as `rateOn`: an amount is never guessed. */
export const convert = (
  table: RateTable,
  amount: Decimal.Decimal,
  from: Currency.Currency,
  to: Currency.Currency,
  on: CalendarDate.CalendarDate
): Converted | undefined => {
  const target = Currency.minorDigits(to)
  if (from === to) return { amount: Decimal.roundHalfAway(amount, target), rate: one, on }
  const found = quotesOn(table, from, to, on)
  const rate = rateOn(table, from, to, on)
  if (found === undefined || rate === undefined) return undefined
  const own = Decimal.scale(amount)
  const dividend = Decimal.toUnits(amount, own) * found.dividend * 10n ** BigInt(target)
  const units = dividedHalfAway(dividend, found.divisor * 10n ** BigInt(own))
  return { ...rate, amount: Decimal.fromUnits(units, target) }
}
