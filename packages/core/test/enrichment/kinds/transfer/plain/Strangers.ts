/**
 * Money that came in and is no transfer as far as can be seen: how often an amount occurs by itself (enrichments D2.2).
 * Frozen per month, so that new records never change what was found before them.
 */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../../../src/shared/CalendarDate.ts"

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

interface Amounts {
  total: number
  readonly sorted: Array<number>
}

/** Index of the first that is not below. */
const lowerBound = (values: ReadonlyArray<number>, least: number): number => {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

/** Counts of strangers for the outflows of one month. */
export class StrangerCounts {
  private readonly byCurrency = new Map<string, Amounts>()
  private readonly byAccount = new Map<string, Amounts>()

  constructor(all: Iterable<Strangers>, [from, to]: readonly [number, number]) {
    for (const { account, currency, days, units } of all) {
      for (const [n, day] of days.entries()) {
        if (day < from || day > to) continue
        this.add(this.byCurrency, currency, units[n]!)
        this.add(this.byAccount, `${currency} ${account}`, units[n]!)
      }
    }
    for (const amounts of [...this.byCurrency.values(), ...this.byAccount.values()])
      amounts.sorted.sort((a, b) => a - b)
  }

  private add(map: Map<string, Amounts>, key: string, units: number): void {
    const amounts = map.get(key)
    if (amounts === undefined) map.set(key, { total: 1, sorted: [units] })
    else {
      amounts.total++
      amounts.sorted.push(units)
    }
  }

  /** Those of other accounts: all, and the ones with an amount from `least` to `most`. */
  count(
    currency: string,
    notOf: string,
    least: number,
    most: number
  ): { readonly all: number; readonly agreeing: number } {
    const every = this.byCurrency.get(currency)
    if (every === undefined) return { all: 0, agreeing: 0 }
    const own = this.byAccount.get(`${currency} ${notOf}`)
    const within = ({ sorted }: Amounts) => lowerBound(sorted, most + 1) - lowerBound(sorted, least)
    return {
      all: every.total - (own?.total ?? 0),
      agreeing: within(every) - (own === undefined ? 0 : within(own))
    }
  }
}
