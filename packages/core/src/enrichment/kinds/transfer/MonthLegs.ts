/**
 * The legs that matter to the outflows of one month, and what is found among them by amount (enrichments D2.1). What is
 * compared again and again is kept in columns of numbers: a leg is its place in them, which is its place by day and id.
 */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { SetRecord } from "../SetKind.ts"
import { AmountTable } from "./AmountTable.ts"
import { type Leg, legOf } from "./Leg.ts"
import { LegColumns, mirrorFlag, outFlag, pendingFlag, plainFlag, referenceFlag } from "./LegColumns.ts"
import { weightBeside } from "./LegSigns.ts"
import type { LegSpace } from "./LegSpace.ts"
import { compareText, type Side } from "./PairScore.ts"
import type { Strangers } from "./Strangers.ts"
import type { TextReader, TextSigns } from "./TextSigns.ts"

export interface Window {
  readonly before: number
  readonly after: number
}

/** Amounts from here on may differ where their numbers are equal. */
const exactBelow = Number.MAX_SAFE_INTEGER / 4

export class MonthLegs extends LegColumns {
  readonly month: string
  readonly window: Window
  readonly amounts: AmountTable
  /** Days of the month: from, and to and without. */
  readonly from: number
  readonly to: number
  private readonly legs = new Map<number, Leg>()
  private readonly sides = new Map<number, Side>()
  /** Of legs that have a reference. */
  private readonly codes = new Map<number, ReadonlySet<string>>()
  private byId: ReadonlyMap<string, number> | undefined

  /** `records`: by id. `aside`: those that are in no graph. `last`: the month before, where it is there. */
  constructor(
    month: string,
    records: ReadonlyArray<SetRecord>,
    space: LegSpace,
    window: Window,
    reader: TextReader,
    aside: ReadonlySet<string>,
    last?: MonthLegs
  ) {
    const from = CalendarDate.toEpochDay(CalendarDate.make(`${month}-01`))
    super(records, space, reader, aside, last?.reaching(from, { out: window.after, in: window.before }))
    this.month = month
    this.window = window
    this.from = from
    this.to = this.from + CalendarDate.daysInMonth(+month.slice(0, 4), +month.slice(5, 7))
    this.amounts = new AmountTable(this, this.ins, this.outs)
  }

  isOut(leg: number): boolean {
    return (this.flags[leg]! & outFlag) !== 0
  }

  isMirror(leg: number): boolean {
    return (this.flags[leg]! & mirrorFlag) !== 0
  }

  isPending(leg: number): boolean {
    return (this.flags[leg]! & pendingFlag) !== 0
  }

  isOwn(leg: number): boolean {
    return this.day[leg]! >= this.from && this.day[leg]! < this.to
  }

  idOf(leg: number): string {
    return this.recordOf(leg).recordId
  }

  /** All that is known of it by itself. */
  leg(leg: number): Leg {
    let known = this.legs.get(leg)
    if (known === undefined) {
      const { account } = this.space.accounts[this.account[leg]!]!
      this.legs.set(leg, (known = legOf(this.recordOf(leg), account, this.space.rules)!))
    }
    return known
  }

  /** As it is told; the same one for each pair that it is in. */
  side(leg: number): Side {
    let side = this.sides.get(leg)
    if (side === undefined)
      this.sides.set(leg, (side = sideOf(this.recordOf(leg), this.space.currencies[this.currency[leg]!]!)))
    return side
  }

  /** The place of a record, of those aside too. */
  placeOf(recordId: string): number | undefined {
    this.byId ??= new Map(Array.from({ length: this.size }, (_, leg) => [this.idOf(leg), leg]))
    return this.byId.get(recordId)
  }

  textOf(leg: number): { readonly read: TextSigns; readonly signs: number } {
    return { read: this.signsOf(leg), signs: this.signs[leg]! }
  }

  /** The weight of its text where the account of the other is the other side, in centibits. */
  textWeight(leg: number, other: number): number {
    if ((this.flags[leg]! & plainFlag) !== 0) return this.weight[leg]!
    const of = this.space.accounts[this.account[leg]!]!
    const { account } = this.space.accounts[this.account[other]!]!
    const [read, beside] = [this.signsOf(leg), this.signsOf(other)]
    return weightBeside(read, this.signs[leg]!, this.isOut(leg), of, beside, account.accountId)
  }

  codesOf(leg: number): ReadonlySet<string> {
    if ((this.flags[leg]! & referenceFlag) === 0) return this.reader.codesOf(this.texts[leg]!)
    let codes = this.codes.get(leg)
    if (codes === undefined) {
      const told = this.reader.codesOf(this.texts[leg]!)
      const own = this.reader.codesIn(this.recordOf(leg).fields["reference"] as string)
      this.codes.set(leg, (codes = told.size === 0 ? own : own.size === 0 ? told : own.union(told)))
    }
    return codes
  }

  /** Whether money that left with the one may have arrived with the other, by account and day. */
  mayMeet(out: number, into: number): boolean {
    const days = this.day[into]! - this.day[out]!
    return this.account[out] !== this.account[into] && days >= -this.window.before && days <= this.window.after
  }

  sameAmount(a: number, b: number): boolean {
    const units = this.units[a]!
    if (units !== this.units[b] || this.currency[a] !== this.currency[b]) return false
    return units < exactBelow ? true : this.leg(a).amount === this.leg(b).amount
  }

  /** Inflows of the month that look like none of one's own transfers, by account and currency. */
  strangers(): ReadonlyArray<Strangers> {
    const found = new Map<number, { account: string; currency: string; days: Array<number>; units: Array<number> }>()
    const { accounts, currencies } = this.space
    for (const leg of this.ins) {
      if (!this.isOwn(leg) || this.weight[leg]! > 0 || this.hasOpposite(leg)) continue
      const key = this.account[leg]! * mostCurrencies + this.currency[leg]!
      let list = found.get(key)
      if (list === undefined) {
        const account = accounts[this.account[leg]!]!.account.accountId
        found.set(key, (list = { account, currency: currencies[this.currency[leg]!]!, days: [], units: [] }))
      }
      list.days.push(this.day[leg]!)
      list.units.push(this.units[leg]!)
    }
    return [...found.values()].toSorted((a, b) => compareText(placeText(a), placeText(b)))
  }

  private hasOpposite(into: number): boolean {
    for (let out = this.amounts.left(into); out >= 0; out = this.amounts.next(out)) {
      if (this.mayMeet(out, into)) return true
    }
    return false
  }
}

const sideOf = ({ accountId, fields, recordId }: SetRecord, currency: string): Side => ({
  recordId,
  accountId,
  date: fields["date"] as string,
  amount: Decimal.abs(Decimal.make(fields["amount"] as string)),
  currency
})

/** More than there are. */
const mostCurrencies = 65_536

const placeText = ({ account, currency }: Pick<Strangers, "account" | "currency">): string => `${account} ${currency}`
