/** The legs that matter to the outflows of one month, in order of their days, and an index of their amounts (enrichments D2.1). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { SetAccount, SetRecord } from "../SetKind.ts"
import { type Leg, legOf, type LegRules, legText } from "./Leg.ts"
import { type RecordSigns, signsOf, weightBeside, weightOf } from "./LegSigns.ts"
import { compareText, type Side } from "./PairScore.ts"
import type { UnrelatedInflows } from "./UnrelatedInflows.ts"
import type { TextReader, TextSigns } from "./TextSigns.ts"

export interface Window {
  readonly before: number
  readonly after: number
}

/** What the legs of all months of a plan are read by. */
export interface LegReading {
  readonly accounts: ReadonlyMap<string, SetAccount>
  readonly rules: LegRules
  readonly window: Window
  readonly reader: TextReader
  /** Records that are in no graph: linked by a person, or left alone by their word. */
  readonly aside: ReadonlySet<string>
}

/** A leg with what its record says about a transfer. */
export interface MonthLeg extends Leg {
  readonly text: string
  /** What its text says. */
  readonly read: TextSigns
  /** What its other fields say, and its text. */
  readonly signs: RecordSigns
  /** What its text says by itself, for any other side, in centibits. */
  readonly weight: number
}

const monthLegOf = (record: SetRecord, { accounts, reader, rules }: LegReading): MonthLeg | undefined => {
  const leg = legOf(record, accounts.get(record.accountId), rules)
  if (leg === undefined) return undefined
  const text = legText(record.fields)
  const read = reader.read(text)
  const signs = signsOf(record.fields, read)
  const { accountId, accountType, amount, currency, date, day, mirror, out, pending, recordId, units } = leg
  return {
    recordId,
    accountId,
    accountType,
    currency,
    date,
    day,
    out,
    mirror,
    amount,
    units,
    pending,
    record,
    text,
    read,
    signs,
    weight: weightOf(leg, read, signs)
  }
}

/** Legs of one currency and amount, in order. */
interface Equal {
  readonly ins: Array<MonthLeg>
  readonly outs: Array<MonthLeg>
}

/** Legs that arrived by currency and amount, and those that left with an amount that arrived. */
export class AmountIndex {
  private readonly byCurrency = new Map<string, Map<number, Equal>>()

  constructor(ins: ReadonlyArray<MonthLeg>, outs: ReadonlyArray<MonthLeg>) {
    for (const leg of ins) {
      let amounts = this.byCurrency.get(leg.currency)
      if (amounts === undefined) this.byCurrency.set(leg.currency, (amounts = new Map()))
      const equal = amounts.get(leg.units)
      if (equal === undefined) amounts.set(leg.units, { ins: [leg], outs: [] })
      else equal.ins.push(leg)
    }
    for (const leg of outs) this.of(leg)?.outs.push(leg)
  }

  private of({ currency, units }: MonthLeg): Equal | undefined {
    return this.byCurrency.get(currency)?.get(units)
  }

  /** Those that arrived with the amount of a leg. */
  arrived(leg: MonthLeg): ReadonlyArray<MonthLeg> {
    return this.of(leg)?.ins ?? none
  }

  /** Those that left with the amount of a leg; none where nothing arrived with it. */
  left(leg: MonthLeg): ReadonlyArray<MonthLeg> {
    return this.of(leg)?.outs ?? none
  }
}

const none: ReadonlyArray<MonthLeg> = []

/** Amounts from here on may differ where their numbers are equal. */
const exactBelow = Number.MAX_SAFE_INTEGER / 4

export class MonthLegs {
  readonly month: string
  readonly window: Window
  /** All legs, by day and then as their records came. */
  readonly all: ReadonlyArray<MonthLeg>
  /** Legs that left, and those that arrived, in order; none that are aside. */
  readonly outs: ReadonlyArray<MonthLeg>
  readonly ins: ReadonlyArray<MonthLeg>
  readonly amounts: AmountIndex
  /** Days of the month: from, and to and without. */
  readonly from: number
  readonly to: number
  private readonly reader: TextReader
  private readonly sides = new Map<MonthLeg, Side>()
  private readonly codes = new Map<MonthLeg, ReadonlySet<string>>()
  private byId: ReadonlyMap<string, MonthLeg> | undefined

  /** `records`: by id. `last`: the month before, where it is there; legs of records that it read too are taken from it. */
  constructor(month: string, records: ReadonlyArray<SetRecord>, reading: LegReading, last?: MonthLegs) {
    const { aside, reader, window } = reading
    this.month = month
    this.window = window
    this.reader = reader
    this.from = CalendarDate.toEpochDay(CalendarDate.make(`${month}-01`))
    this.to = this.from + CalendarDate.daysInMonth(+month.slice(0, 4), +month.slice(5, 7))
    const known = last?.since(this.from - Math.max(window.before, window.after))
    const all: Array<MonthLeg> = []
    for (const record of records) {
      const before = known?.get(record.recordId)
      const leg = before?.record.fields === record.fields ? before : monthLegOf(record, reading)
      if (leg !== undefined) all.push(leg)
    }
    this.all = all.toSorted((a, b) => a.day - b.day)
    const free = aside.size === 0 ? this.all : this.all.filter(({ recordId }) => !aside.has(recordId))
    this.outs = free.filter(({ out }) => out)
    this.ins = free.filter(({ out }) => !out)
    this.amounts = new AmountIndex(this.ins, this.outs)
  }

  /** The legs from a day on, by record. */
  private since(from: number): ReadonlyMap<string, MonthLeg> {
    const found = new Map<string, MonthLeg>()
    for (let at = this.all.length - 1; at >= 0 && this.all[at]!.day >= from; at--)
      found.set(this.all[at]!.recordId, this.all[at]!)
    return found
  }

  isOwn({ day }: MonthLeg): boolean {
    return day >= this.from && day < this.to
  }

  /** As it is reported; the same one for each pair that it is in. */
  side(leg: MonthLeg): Side {
    let side = this.sides.get(leg)
    if (side === undefined) this.sides.set(leg, (side = sideOf(leg)))
    return side
  }

  /** The leg of a record, of those aside too. */
  find(recordId: string): MonthLeg | undefined {
    this.byId ??= new Map(this.all.map((leg) => [leg.recordId, leg]))
    return this.byId.get(recordId)
  }

  codesOf(leg: MonthLeg): ReadonlySet<string> {
    let codes = this.codes.get(leg)
    if (codes === undefined) {
      const told = this.reader.codesIn(leg.text)
      const { reference } = leg.record.fields
      const own = typeof reference === "string" && reference !== "" ? this.reader.codesIn(reference) : undefined
      codes = own === undefined || own.size === 0 ? told : told.size === 0 ? own : own.union(told)
      this.codes.set(leg, codes)
    }
    return codes
  }

  /** Whether money that left with the one may have arrived with the other, by account and day. */
  mayMeet(out: MonthLeg, into: MonthLeg): boolean {
    const days = into.day - out.day
    return days >= -this.window.before && days <= this.window.after && out.accountId !== into.accountId
  }

  /** Inflows of the month that look like none of the own transfers, by account and currency. */
  strangers(): ReadonlyArray<UnrelatedInflows> {
    const found = new Map<string, { account: string; currency: string; days: Array<number>; units: Array<number> }>()
    for (const leg of this.ins) {
      if (!this.isOwn(leg) || leg.weight > 0) continue
      if (this.amounts.left(leg).some((out) => this.mayMeet(out, leg))) continue
      const { accountId: account, currency } = leg
      const key = `${account} ${currency}`
      let list = found.get(key)
      if (list === undefined) found.set(key, (list = { account, currency, days: [], units: [] }))
      list.days.push(leg.day)
      list.units.push(leg.units)
    }
    return [...found].toSorted(([a], [b]) => compareText(a, b)).map(([, one]) => one)
  }
}

export const isSameAmount = (a: MonthLeg, b: MonthLeg): boolean =>
  a.units === b.units && a.currency === b.currency && (a.units < exactBelow || a.amount === b.amount)

/** The weight of its text where the account of the other is the other side, in centibits. */
export const textWeight = (leg: MonthLeg, other: MonthLeg): number =>
  leg.read.named.size === 0 && leg.read.party === "" ? leg.weight : weightBeside(leg, other)

const sideOf = ({ accountId, currency, record: { fields }, recordId }: MonthLeg): Side => ({
  recordId,
  accountId,
  date: fields["date"] as string,
  amount: Decimal.abs(Decimal.make(fields["amount"] as string)),
  currency
})
