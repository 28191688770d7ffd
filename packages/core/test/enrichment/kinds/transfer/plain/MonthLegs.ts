/** The legs that matter to the outflows of one month, and what is found among them by amount (enrichments D2.1). */
import type { Currency } from "../../../../../src/shared/Currency.ts"
import type { Id } from "../../../../../src/shared/Ids.ts"
import type { SetAccount, SetRecord } from "../../../../../src/enrichment/kinds/SetKind.ts"
import { codesOf, type Leg, type LegRules, type LegSigns, legOf, signsOf } from "./Leg.ts"
import { compareText } from "../../../../../src/enrichment/kinds/transfer/PairScore.ts"
import type { Strangers } from "./Strangers.ts"
import type { TextReader } from "../../../../../src/enrichment/kinds/transfer/TextSigns.ts"

export interface Window {
  readonly before: number
  readonly after: number
}

const none: ReadonlyArray<Leg> = []

const byDay = (a: Leg, b: Leg): number => a.day - b.day || compareText(a.recordId, b.recordId)
const byUnits = (a: Leg, b: Leg): number => a.units - b.units || byDay(a, b)

const push = <K, A>(map: Map<K, Array<A>>, key: K, value: A): void => {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

export const sameAmount = (a: Leg, b: Leg): boolean =>
  a.units === b.units &&
  a.currency === b.currency &&
  (a.units < Number.MAX_SAFE_INTEGER / 4 ? true : a.amount === b.amount)

/** Legs of one direction by currency and amount, each list by day. */
class ByAmount {
  private readonly exact = new Map<Currency, Map<number, Array<Leg>>>()
  private readonly sorted = new Map<Currency, Array<Leg>>()
  readonly all: ReadonlyArray<Leg>
  readonly currencies = new Set<Currency>()

  /** `sought`: only amounts that are among these are looked for, which spares a list for each of the others. */
  constructor(legs: ReadonlyArray<Leg>, sought?: ByAmount) {
    this.all = legs
    for (const leg of legs) {
      this.currencies.add(leg.currency)
      if (sought !== undefined && sought.equal(leg).length === 0) continue
      let amounts = this.exact.get(leg.currency)
      if (amounts === undefined) this.exact.set(leg.currency, (amounts = new Map()))
      push(amounts, leg.units, leg)
    }
  }

  equal(leg: Leg): ReadonlyArray<Leg> {
    return this.exact.get(leg.currency)?.get(leg.units) ?? none
  }

  /** Amounts from `least` to `most`, by amount. */
  between(currency: Currency, least: number, most: number): ReadonlyArray<Leg> {
    let list = this.sorted.get(currency)
    if (list === undefined) {
      list = this.all.filter((leg) => leg.currency === currency).toSorted(byUnits)
      this.sorted.set(currency, list)
    }
    const bound = (value: number): number => {
      let [low, high] = [0, list.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (list[middle]!.units < value) low = middle + 1
        else high = middle
      }
      return low
    }
    return list.slice(bound(least), bound(most + 1))
  }
}

export class MonthLegs {
  readonly month: string
  /** Those of the month itself, and of the days around it that matter to it. */
  readonly byId: ReadonlyMap<string, Leg>
  readonly outflows: ByAmount
  readonly inflows: ByAmount
  readonly window: Window
  private readonly reader: TextReader
  private readonly signs = new Map<Leg, LegSigns>()
  private positive: ByAmount | undefined
  private readonly codes = new Map<string, ReadonlySet<string>>()

  constructor(
    month: string,
    records: ReadonlyArray<SetRecord>,
    accounts: ReadonlyMap<Id<"account">, SetAccount>,
    rules: LegRules,
    window: Window,
    reader: TextReader,
    /** Records that are in no graph: linked by a person, or left alone by their word. */
    aside: ReadonlySet<string>
  ) {
    this.month = month
    this.window = window
    this.reader = reader
    const all: Array<Leg> = []
    const byId = new Map<string, Leg>()
    for (const record of records) {
      const leg = legOf(record, accounts.get(record.accountId), rules)
      if (leg === undefined) continue
      byId.set(leg.recordId, leg)
      if (!aside.has(leg.recordId)) all.push(leg)
    }
    all.sort(byDay)
    this.byId = byId
    this.inflows = new ByAmount(all.filter(({ out }) => !out))
    this.outflows = new ByAmount(
      all.filter(({ out }) => out),
      this.inflows
    )
  }

  signsOf(leg: Leg): LegSigns {
    let signs = this.signs.get(leg)
    if (signs === undefined) this.signs.set(leg, (signs = signsOf(leg, this.reader)))
    return signs
  }

  codesOf(leg: Leg): ReadonlySet<string> {
    let codes = this.codes.get(leg.recordId)
    if (codes === undefined) this.codes.set(leg.recordId, (codes = codesOf(leg)))
    return codes
  }

  /** Those that speak for a transfer by themselves. */
  get speaking(): ByAmount {
    this.positive ??= new ByAmount(this.outflows.all.filter((leg) => this.signsOf(leg).weight > 0))
    return this.positive
  }

  isOwn(leg: Leg): boolean {
    return leg.date.startsWith(this.month)
  }

  /** Whether money that left with the one may have arrived with the other, by account and day. */
  mayMeet(out: Leg, into: Leg): boolean {
    const days = into.day - out.day
    return out.accountId !== into.accountId && days >= -this.window.before && days <= this.window.after
  }

  /** Inflows of the month that look like none of one's own transfers, by account and currency. */
  strangers(): ReadonlyArray<Strangers> {
    const found = new Map<string, { account: string; currency: string; days: Array<number>; units: Array<number> }>()
    for (const leg of this.inflows.all) {
      if (!this.isOwn(leg)) continue
      if (this.outflows.equal(leg).some((out) => this.mayMeet(out, leg))) continue
      if (this.signsOf(leg).weight > 0) continue
      const key = `${leg.accountId} ${leg.currency}`
      let list = found.get(key)
      if (list === undefined) {
        found.set(key, (list = { account: leg.accountId, currency: leg.currency, days: [], units: [] }))
      }
      list.days.push(leg.day)
      list.units.push(leg.units)
    }
    return [...found].toSorted(([a], [b]) => compareText(a, b)).map(([, one]) => one)
  }
}
