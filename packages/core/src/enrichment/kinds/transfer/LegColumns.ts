/** What records are as legs, in columns of numbers: each leg is a place in them, by day and then as the records came. */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { SetRecord } from "../SetKind.ts"
import { legText, unitsOf } from "./Leg.ts"
import { hintIn, isPlain, readSigns, signsIn, weightOf } from "./LegSigns.ts"
import { blockSize, type LegSpace } from "./LegSpace.ts"
import type { TextReader, TextSigns } from "./TextSigns.ts"

/** Flags of a leg. */
export const outFlag = 1
export const mirrorFlag = 2
export const pendingFlag = 4
/** In no graph: linked by a person, or left alone by their word. */
const asideFlag = 8
/** Its text names nobody: it says the same whoever the other side is. */
export const plainFlag = 16
/** It has a reference. */
export const referenceFlag = 32

/** Some of the legs of columns, in the order of their records. */
export interface KnownLegs {
  readonly of: LegColumns
  readonly legs: Int32Array
}

const noLegs = new Int32Array(0)

/** The day of what is no leg. */
const noDay = -0x8000_0000

export class LegColumns {
  readonly size: number
  readonly space: LegSpace
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
  protected readonly texts: Int32Array
  /** Of each leg, the place of its record. */
  private readonly places: Int32Array
  private readonly records: ReadonlyArray<SetRecord>
  protected readonly reader: TextReader
  /** Legs that left, and those that arrived, in order; none that are aside. */
  readonly outs: Int32Array
  readonly ins: Int32Array
  /** The days of the first and of the last leg. */
  readonly firstDay: number
  readonly lastDay: number

  /** `records`: by id. `aside`: those that are in no graph. `known`: of other records, that some of these are among. */
  constructor(
    records: ReadonlyArray<SetRecord>,
    space: LegSpace,
    reader: TextReader,
    aside: ReadonlySet<string>,
    known?: KnownLegs
  ) {
    const { account, amount, currency, day, flags, hint, said, signs, text, unread, units, weight } = space.room(
      records.length
    )
    const others = known === undefined ? noLegs : known.legs
    let count = 0
    for (let at = 0, other = 0; at < records.length; at++) {
      if (other === others.length || !known!.of.isOf(others[other]!, records[at]!)) {
        unread[count++] = at
        continue
      }
      const leg = others[other++]!
      const { of } = known!
      day[at] = of.day[leg]!
      account[at] = of.account[leg]!
      currency[at] = of.currency[leg]!
      units[at] = of.units[leg]!
      flags[at] = of.flags[leg]!
      signs[at] = of.signs[leg]!
      hint[at] = of.hint[leg]!
      weight[at] = of.weight[leg]!
      text[at] = of.texts[leg]!
    }
    for (let from = 0; from < count; from += blockSize) {
      const to = Math.min(count, from + blockSize)
      // Records lie far from each other in memory. Of a block, what is written is looked at first: with so few steps to each
      // record, the processor fetches many of them at a time.
      for (let n = from; n < to; n++) {
        const { fields } = records[unread[n]!]!
        const sum = fields["amount"]
        amount[n - from] = typeof sum === "string" && sum.length > 0 ? sum : ""
        said[n - from] = legText(fields)
      }
      for (let n = from; n < to; n++) {
        const at = unread[n]!
        day[at] = noDay
        const record = records[at]!
        const { fields } = record
        const of = space.account(record.accountId)
        if (of === undefined) continue
        const on = dayOf(fields["date"])
        const sum = amount[n - from]!
        const signed = unitsIn(sum)
        const pending = fields["pending"] === true
        if (Number.isNaN(on) || Number.isNaN(signed) || (pending && !space.rules.includePending)) continue
        const sent = fields["currency"]
        const unit = typeof sent === "string" ? space.currency(sent) : of.currency
        if (unit < 0) continue
        const isOut = (sum.charCodeAt(0) === 45) !== of.mirror
        const isAside = aside.size > 0 && aside.has(record.recordId)
        const number = reader.read(said[n - from]!)
        const told = reader.of(number)
        const read = readSigns(fields, told)
        day[at] = on
        account[at] = of.number
        currency[at] = unit
        units[at] = Math.abs(signed)
        const reference = fields["reference"]
        flags[at] =
          (isOut ? outFlag : 0) |
          (of.mirror ? mirrorFlag : 0) |
          (pending ? pendingFlag : 0) |
          (isAside ? asideFlag : 0) |
          (isPlain(told) ? plainFlag : 0) |
          (typeof reference === "string" && reference !== "" ? referenceFlag : 0)
        signs[at] = signsIn(read)
        hint[at] = hintIn(read)
        weight[at] = weightOf(told, signs[at]!, isOut, of)
        text[at] = number
      }
    }
    let [size, outs, ins, first, last] = [0, 0, 0, Infinity, -Infinity]
    for (let at = 0; at < records.length; at++) {
      const on = day[at]!
      if (on === noDay) continue
      size++
      if (on < first) first = on
      if (on > last) last = on
      if ((flags[at]! & asideFlag) !== 0) continue
      if ((flags[at]! & outFlag) === 0) ins++
      else outs++
    }
    const order = byDay(day, records.length, size, first, last)
    this.size = size
    this.firstDay = size === 0 ? 0 : first
    this.lastDay = size === 0 ? -1 : last
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
    this.space = space
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
      this.places[leg] = at
      if ((flags[at]! & asideFlag) !== 0) continue
      if ((flags[at]! & outFlag) === 0) this.ins[into++] = leg
      else this.outs[out++] = leg
    }
  }

  recordOf(leg: number): SetRecord {
    return this.records[this.places[leg]!]!
  }

  /** Whether it is what the record is as a leg: where records are read in several pieces, each piece may have its own. */
  isOf(leg: number, record: SetRecord): boolean {
    const own = this.records[this.places[leg]!]!
    return own === record || (own.fields === record.fields && own.recordId === record.recordId)
  }

  /** The legs that matter from a day on, in the order of their records. `reach`: days that those that left and arrived matter for. */
  reaching(from: number, reach: { readonly out: number; readonly in: number }): KnownLegs {
    const { day, flags, places, size } = this
    const { marks } = this.space.room(this.records.length)
    const most = Math.max(reach.out, reach.in)
    let leg = size
    let [count, low, high] = [0, Infinity, -1]
    while (leg > 0 && day[leg - 1]! + most >= from) {
      leg--
      if (day[leg]! + ((flags[leg]! & outFlag) === 0 ? reach.in : reach.out) < from) continue
      const place = places[leg]!
      marks[place] = leg + 1
      count++
      if (place < low) low = place
      if (place > high) high = place
    }
    const legs = new Int32Array(count)
    for (let place = low, n = 0; place <= high; place++) {
      if (marks[place] === 0) continue
      legs[n++] = marks[place]! - 1
      marks[place] = 0
    }
    return { of: this, legs }
  }

  /** What its text says. */
  signsOf(leg: number): TextSigns {
    return this.reader.of(this.texts[leg]!)
  }
}

const dayOf = (date: unknown): number =>
  typeof date === "string" && date.length === 10 ? CalendarDate.epochDayOf(date) : Number.NaN

/** Signed ten-thousandths; NaN for what is no amount, and for nothing at all. */
const unitsIn = (amount: string): number => {
  const units = Decimal.safeUnits(amount)
  if (!Number.isNaN(units)) return units === 0 ? Number.NaN : units
  const exact = Decimal.parse(amount)
  return exact === undefined || exact === "0" ? Number.NaN : unitsOf(Decimal.abs(exact))
}

/** The places of some rows in the order of days; of a day, in the order that they have. Rows without a day are left out. */
const byDay = (day: Int32Array, rows: number, size: number, first: number, last: number): Int32Array => {
  const order = new Int32Array(size)
  if (size === 0) return order
  const starts = new Int32Array(last - first + 2)
  for (let at = 0; at < rows; at++) if (day[at] !== noDay) starts[day[at]! - first + 1]!++
  for (let n = 1; n < starts.length; n++) starts[n]! += starts[n - 1]!
  for (let at = 0; at < rows; at++) if (day[at] !== noDay) order[starts[day[at]! - first]!++] = at
  return order
}
