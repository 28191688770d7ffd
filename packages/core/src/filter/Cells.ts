/** The fields of one record that a compiled configuration reads, with what was worked out about them. */
import type { FieldValue, Fields } from "../record/FieldValue.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { fold, isBlank } from "./Fold.ts"
import { periodOf, type Period, type RelativeDate } from "./RelativeDate.ts"

const loaded = 1
const folded = 2
const parsedNumber = 4
const parsedDate = 8

/**
 * One set of cells belongs to one compiled configuration and is filled anew for every record, so that five
 * hundred rules fold a description once. Not for use by two evaluations at a time.
 */
export class Cells {
  readonly names: Array<string> = []
  private readonly slots = new Map<string, number>()
  private readonly raw: Array<FieldValue> = []
  private readonly text: Array<string> = []
  private readonly number: Array<Decimal.Decimal | undefined> = []
  private readonly date: Array<string | undefined> = []
  private readonly known: Array<number> = []
  private fields: Fields = {}
  private readonly periods = new Map<RelativeDate, Period>()
  today = "" as CalendarDate.CalendarDate

  /** The slot of a field; only while compiling. */
  slot(name: string): number {
    let slot = this.slots.get(name)
    if (slot === undefined) {
      slot = this.names.length
      this.slots.set(name, slot)
      this.names.push(name)
      this.raw.push(null)
      this.text.push("")
      this.number.push(undefined)
      this.date.push(undefined)
      this.known.push(0)
    }
    return slot
  }

  slotOf(name: string): number | undefined {
    return this.slots.get(name)
  }

  /** Starts on a record. `today` is the same for a whole run. */
  load(fields: Fields, today: CalendarDate.CalendarDate): void {
    this.fields = fields
    for (let slot = 0; slot < this.known.length; slot++) this.known[slot] = 0
    if (today !== this.today) {
      this.today = today
      this.periods.clear()
    }
  }

  period(token: RelativeDate): Period {
    let period = this.periods.get(token)
    if (period === undefined) {
      period = periodOf(token, this.today)
      this.periods.set(token, period)
    }
    return period
  }

  value(slot: number): FieldValue {
    if (this.known[slot] === 0) {
      const value: unknown = this.fields[this.names[slot]!]
      // Anything else is inherited from Object.prototype and not a value of the record.
      this.raw[slot] = typeof value === "string" || typeof value === "boolean" ? value : null
      this.known[slot] = loaded
    }
    return this.raw[slot]!
  }

  write(slot: number, value: FieldValue): void {
    this.raw[slot] = value
    this.known[slot] = loaded
  }

  isEmpty(slot: number): boolean {
    const value = this.value(slot)
    return value === null || (typeof value === "string" && isBlank(value))
  }

  /** As it stands; `""` for nothing. */
  plainText(slot: number): string {
    const value = this.value(slot)
    return typeof value === "string" ? value : value === null ? "" : String(value)
  }

  foldedText(slot: number): string {
    const text = this.plainText(slot)
    if ((this.known[slot]! & folded) === 0) {
      this.text[slot] = fold(text)
      this.known[slot]! |= folded
    }
    return this.text[slot]!
  }

  decimal(slot: number): Decimal.Decimal | undefined {
    const value = this.value(slot)
    if ((this.known[slot]! & parsedNumber) === 0) {
      this.number[slot] = typeof value === "string" ? Decimal.parse(value.trim()) : undefined
      this.known[slot]! |= parsedNumber
    }
    return this.number[slot]
  }

  /** The day of a date or an instant. */
  day(slot: number): string | undefined {
    const value = this.value(slot)
    if ((this.known[slot]! & parsedDate) === 0) {
      this.date[slot] = typeof value === "string" ? CalendarDate.parse(value.slice(0, 10)) : undefined
      this.known[slot]! |= parsedDate
    }
    return this.date[slot]
  }
}
