/** What records are as legs, in columns of numbers: each leg is a place in them, by day and then as the records came. */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { SetRecord } from "../SetKind.ts"
import { legText, unitsOf } from "./Leg.ts"
import { hintIn, readSigns, signsIn, weightOf } from "./LegSigns.ts"
import type { LegAccount, LegSpace } from "./LegSpace.ts"
import type { TextReader, TextSigns } from "./TextSigns.ts"

/** Flags of a leg. */
export const outFlag = 1
export const mirrorFlag = 2
export const pendingFlag = 4
/** In no graph: linked by a person, or left alone by their word. */
const asideFlag = 8

export class LegColumns {
  readonly size: number
  /** Days since 1970-01-01. */
  readonly day: Int32Array
  /** Numbers of the space. */
  readonly account: Int32Array
  readonly currency: Uint16Array
  /** Without sign, in ten-thousandths. */
  readonly units: Float64Array
  /** What its text says by itself, whoever the other side is, in centibits. */
  readonly weight: Int16Array
  /** What the provider makes of it: 1 for a transfer, -1 for something else. */
  readonly hint: Int8Array
  readonly flags: Uint8Array
  readonly signs: Uint8Array
  /** Numbers of the reader. */
  private readonly texts: Int32Array
  /** Of each leg, the place of its record. */
  private readonly places: Int32Array
  private readonly records: ReadonlyArray<SetRecord>
  protected readonly reader: TextReader
  /** Legs that left, and those that arrived, in order; none that are aside. */
  readonly outs: Int32Array
  readonly ins: Int32Array

  /** `records`: by id. `aside`: those that are in no graph. */
  constructor(records: ReadonlyArray<SetRecord>, space: LegSpace, reader: TextReader, aside: ReadonlySet<string>) {
    const { account, currency, day, flags, hint, place, signs, text, units, weight } = space.room(records.length)
    let [size, outs, ins, first, last] = [0, 0, 0, Infinity, -Infinity]
    // Each record is gone to once: it lies far from the one before.
    for (let at = 0; at < records.length; at++) {
      const record = records[at]!
      const { fields } = record
      const of = space.account(record.accountId)
      if (of === undefined) continue
      const on = dayOf(fields["date"])
      const amount = unitsIn(fields["amount"])
      const pending = fields["pending"] === true
      if (Number.isNaN(on) || Number.isNaN(amount) || (pending && !space.rules.includePending)) continue
      const sent = fields["currency"]
      const unit = typeof sent === "string" ? space.currency(sent) : of.currency
      if (unit < 0) continue
      const isOut = ((fields["amount"] as string).charCodeAt(0) === 45) !== of.mirror
      const isAside = aside.size > 0 && aside.has(record.recordId)
      const number = reader.read(legText(fields))
      const said = reader.of(number)
      const read = readSigns(fields, said)
      day[size] = on
      account[size] = of.number
      currency[size] = unit
      units[size] = Math.abs(amount)
      flags[size] = flagsOf(isOut, of, pending, isAside)
      signs[size] = signsIn(read)
      hint[size] = hintIn(read)
      weight[size] = weightOf(said, signs[size]!, isOut, of)
      text[size] = number
      place[size] = at
      size++
      if (!isAside) {
        if (isOut) outs++
        else ins++
      }
      if (on < first) first = on
      if (on > last) last = on
    }
    const order = byDay(day, size, first, last)
    this.size = size
    this.day = new Int32Array(size)
    this.account = new Int32Array(size)
    this.currency = new Uint16Array(size)
    this.units = new Float64Array(size)
    this.weight = new Int16Array(size)
    this.hint = new Int8Array(size)
    this.flags = new Uint8Array(size)
    this.signs = new Uint8Array(size)
    this.outs = new Int32Array(outs)
    this.ins = new Int32Array(ins)
    this.texts = new Int32Array(size)
    this.places = new Int32Array(size)
    this.records = records
    this.reader = reader
    let [out, into] = [0, 0]
    for (let leg = 0; leg < size; leg++) {
      const at = order[leg]!
      this.day[leg] = day[at]!
      this.account[leg] = account[at]!
      this.currency[leg] = currency[at]!
      this.units[leg] = units[at]!
      this.weight[leg] = weight[at]!
      this.hint[leg] = hint[at]!
      this.flags[leg] = flags[at]!
      this.signs[leg] = signs[at]!
      this.texts[leg] = text[at]!
      this.places[leg] = place[at]!
      if ((flags[at]! & asideFlag) !== 0) continue
      if ((flags[at]! & outFlag) === 0) this.ins[into++] = leg
      else this.outs[out++] = leg
    }
  }

  recordOf(leg: number): SetRecord {
    return this.records[this.places[leg]!]!
  }

  /** What its text says. */
  signsOf(leg: number): TextSigns {
    return this.reader.of(this.texts[leg]!)
  }
}

const dayOf = (date: unknown): number =>
  typeof date === "string" && date.length === 10 ? CalendarDate.epochDayOf(date) : Number.NaN

/** Signed ten-thousandths; NaN for what is no amount, and for nothing at all. */
const unitsIn = (amount: unknown): number => {
  if (typeof amount !== "string") return Number.NaN
  const units = Decimal.safeUnits(amount)
  if (!Number.isNaN(units)) return units === 0 ? Number.NaN : units
  const exact = Decimal.parse(amount)
  return exact === undefined || exact === "0" ? Number.NaN : unitsOf(Decimal.abs(exact))
}

const flagsOf = (out: boolean, { mirror }: LegAccount, pending: boolean, aside: boolean): number =>
  (out ? outFlag : 0) | (mirror ? mirrorFlag : 0) | (pending ? pendingFlag : 0) | (aside ? asideFlag : 0)

/** Places in the order of days; of a day, in the order that they have. */
const byDay = (day: Int32Array, size: number, first: number, last: number): Int32Array => {
  const order = new Int32Array(size)
  if (size === 0) return order
  const starts = new Int32Array(last - first + 2)
  for (let at = 0; at < size; at++) starts[day[at]! - first + 1]!++
  for (let n = 1; n < starts.length; n++) starts[n]! += starts[n - 1]!
  for (let at = 0; at < size; at++) order[starts[day[at]! - first]!++] = at
  return order
}
