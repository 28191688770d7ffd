/**
 * Money that came in and is no transfer as far as can be seen: how often an amount occurs by itself (enrichments D2.2).
 * Frozen per month, so that new records never change what was found before them.
 */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { LegSpace } from "./LegSpace.ts"
import { inOrder } from "./UnitOrder.ts"

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

/** As `lowerBound` of lists. Millions of times, of numbers alone: shared with lists it would take longer. */
const lowerBound = (values: Float64Array, least: number): number => {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

/** How many of amounts in order are from `least` to `most`. */
const within = (gathered: Gathered | undefined, least: number, most: number): number => {
  if (gathered === undefined) return 0
  const values = gathered.sorted()
  const first = lowerBound(values, least)
  // Most often there are none, or only a few.
  for (let last = first; last < first + few; last++) {
    if (!(last < values.length && values[last]! < most + 1)) return last - first
  }
  return lowerBound(values, most + 1) - first
}

const few = 4

/** Amounts that are gathered, and put in order when somebody asks: of most accounts nobody does. */
export class Gathered {
  private units = new Float64Array(64)
  private inOrder: Float64Array | undefined
  size = 0

  /** Those of some days, from the first to and without the last. */
  add(units: ReadonlyArray<number>, first: number, last: number): void {
    const size = this.size + last - first
    if (size > this.units.length) {
      const more = new Float64Array(Math.max(size, 2 * this.units.length))
      more.set(this.units)
      this.units = more
    }
    for (let n = first, at = this.size; n < last; n++, at++) this.units[at] = units[n]!
    this.size = size
    this.inOrder = undefined
  }

  sorted(): Float64Array {
    return (this.inOrder ??= inOrder(this.units.subarray(0, this.size)))
  }
}

/** Counts of strangers for the outflows of one month. Currencies and accounts are numbers of the space. */
export class StrangerCounts {
  private readonly accounts: number
  private readonly byCurrency: ReadonlyArray<Gathered | undefined>
  private readonly byAccount: ReadonlyArray<Gathered | undefined>

  constructor(all: ReadonlyArray<Strangers>, [from, to]: readonly [number, number], space: LegSpace) {
    this.accounts = space.accounts.length
    const currencies: Array<Gathered | undefined> = []
    const owners: Array<Gathered | undefined> = []
    for (const { account, currency, days, units } of all) {
      const number = space.currency(currency)
      const owner = space.account(account)
      let [first, last] = [0, days.length]
      while (first < last && days[first]! < from) first++
      while (first < last && days[last - 1]! > to) last--
      const every = (currencies[number] ??= new Gathered())
      every.add(units, first, last)
      // Nothing is asked about the outflows of an account that is out of scope.
      if (owner === undefined) continue
      const own = (owners[number * this.accounts + owner.number] ??= new Gathered())
      own.add(units, first, last)
    }
    this.byCurrency = currencies
    this.byAccount = owners
  }

  /** All of other accounts. */
  all(currency: number, notOf: number): number {
    const own = this.byAccount[currency * this.accounts + notOf]
    return (this.byCurrency[currency]?.size ?? 0) - (own?.size ?? 0)
  }

  /** Those of other accounts with an amount from `least` to `most`. */
  agreeing(currency: number, notOf: number, least: number, most: number): number {
    const every = within(this.byCurrency[currency], least, most)
    return every === 0 ? 0 : every - within(this.byAccount[currency * this.accounts + notOf], least, most)
  }
}
