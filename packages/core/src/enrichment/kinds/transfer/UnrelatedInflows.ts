/**
 * Money that came in and is no transfer as far as can be seen: how often an amount occurs by itself (enrichments D2.2).
 * Frozen per month, so that new records never change what was found before them.
 */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { lowerBound } from "../../../shared/LowerBound.ts"

/** Of one account and currency: days and amounts, one by one, by day. */
export const UnrelatedInflows = Schema.Struct({
  account: Schema.String,
  currency: Schema.String,
  /** Days since 1970-01-01. */
  days: Schema.Array(Schema.Int),
  /** In ten-thousandths. */
  units: Schema.Array(Schema.Finite)
})
export type UnrelatedInflows = typeof UnrelatedInflows.Type

/** Days that are looked back on. */
const strangerDays = 180

/** The days whose strangers count for outflows of a month: from, to and with, as days since 1970-01-01. */
export const unrelatedSpan = (monthStart: number, after: number): readonly [number, number] => {
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

/** Amounts that are gathered, and put in order when somebody asks: of most accounts nobody does. */
class Gathered {
  private readonly units: Array<number> = []
  private isSorted = true

  get size(): number {
    return this.units.length
  }

  add(units: ReadonlyArray<number>): void {
    for (const one of units) this.units.push(one)
    this.isSorted = false
  }

  /** How many are from `least` to `most`. */
  within(least: number, most: number): number {
    if (!this.isSorted) this.units.sort((a, b) => a - b)
    this.isSorted = true
    return lowerBound(this.units, most + 1) - lowerBound(this.units, least)
  }
}

/** Counts of strangers for the outflows of one month. */
export class UnrelatedInflowCounts {
  /** By currency, and by currency and account. */
  private readonly gathered = new Map<string, Gathered>()

  constructor(all: ReadonlyArray<UnrelatedInflows>, [from, to]: readonly [number, number]) {
    for (const { account, currency, days, units } of all) {
      const meant = units.slice(lowerBound(days, from), lowerBound(days, to + 1))
      for (const key of [currency, `${currency} ${account}`]) {
        let gathered = this.gathered.get(key)
        if (gathered === undefined) this.gathered.set(key, (gathered = new Gathered()))
        gathered.add(meant)
      }
    }
  }

  /** All of other accounts. */
  all(currency: string, notOf: string): number {
    return (this.gathered.get(currency)?.size ?? 0) - (this.gathered.get(`${currency} ${notOf}`)?.size ?? 0)
  }

  /** Those of other accounts with an amount from `least` to `most`. */
  agreeing(currency: string, notOf: string, least: number, most: number): number {
    const every = this.gathered.get(currency)?.within(least, most) ?? 0
    return every === 0 ? 0 : every - (this.gathered.get(`${currency} ${notOf}`)?.within(least, most) ?? 0)
  }
}
