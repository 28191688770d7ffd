/**
 * Money that came in and is no transfer as far as can be seen: how often an amount occurs by itself (enrichments D2.2).
 * Frozen per month, so that new records never change what was found before them.
 */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { LegSpace } from "./LegSpace.ts"

/** Of one account and currency: days and amounts, one by one, by day. */
export const Strangers = Schema.Struct({
  account: Schema.String,
  currency: Schema.String,
  /** Days since 1970-01-01. */
  days: Schema.Array(Schema.Int),
  /** In ten-thousandths. */
  units: Schema.Array(Schema.Finite)
})
export type Strangers = typeof Strangers.Type

/** Days that are looked back on. */
const strangerDays = 180

/** The days whose strangers count for outflows of a month: from, to and with, as days since 1970-01-01. */
export const strangerSpan = (monthStart: number, after: number): readonly [number, number] => {
  const to = monthStart - (after + 1)
  return [to - strangerDays + 1, to]
}

/** The months that hold those days, as `2026-03`. */
export const monthsBetween = (from: number, to: number): ReadonlyArray<string> => {
  const months: Array<string> = []
  let year = Number(CalendarDate.fromEpochDay(from).slice(0, 4))
  let month = Number(CalendarDate.fromEpochDay(from).slice(5, 7))
  const last = CalendarDate.fromEpochDay(to).slice(0, 7)
  for (;;) {
    const key = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}`
    months.push(key)
    if (key >= last) return months
    if (month === 12) year++
    month = (month % 12) + 1
  }
}

/** Index of the first that is not below. */
const lowerBound = (values: Float64Array, least: number): number => {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

const within = (values: Float64Array | undefined, least: number, most: number): number =>
  values === undefined ? 0 : lowerBound(values, most + 1) - lowerBound(values, least)

const listOf = (map: Map<number, Array<number>>, key: number): Array<number> => {
  let list = map.get(key)
  if (list === undefined) map.set(key, (list = []))
  return list
}

/** Counts of strangers for the outflows of one month. Currencies and accounts are numbers of the space. */
export class StrangerCounts {
  private readonly accounts: number
  /** Amounts in order. */
  private readonly byCurrency = new Map<number, Float64Array>()
  private readonly byAccount = new Map<number, Float64Array>()

  constructor(all: Iterable<Strangers>, [from, to]: readonly [number, number], space: LegSpace) {
    this.accounts = space.accounts.length
    const currencies = new Map<number, Array<number>>()
    const owners = new Map<number, Array<number>>()
    for (const { account, currency, days, units } of all) {
      const number = space.currency(currency)
      const owner = space.account(account)
      const every = listOf(currencies, number)
      // Nothing is asked about the outflows of an account that is out of scope.
      const own = owner === undefined ? undefined : listOf(owners, number * this.accounts + owner.number)
      for (let n = 0; n < days.length; n++) {
        if (days[n]! < from || days[n]! > to) continue
        every.push(units[n]!)
        own?.push(units[n]!)
      }
    }
    for (const [key, units] of currencies) this.byCurrency.set(key, Float64Array.from(units).toSorted())
    for (const [key, units] of owners) this.byAccount.set(key, Float64Array.from(units).toSorted())
  }

  /** All of other accounts. */
  all(currency: number, notOf: number): number {
    const own = this.byAccount.get(currency * this.accounts + notOf)
    return (this.byCurrency.get(currency)?.length ?? 0) - (own?.length ?? 0)
  }

  /** Those of other accounts with an amount from `least` to `most`. */
  agreeing(currency: number, notOf: number, least: number, most: number): number {
    return (
      within(this.byCurrency.get(currency), least, most) -
      within(this.byAccount.get(currency * this.accounts + notOf), least, most)
    )
  }
}
