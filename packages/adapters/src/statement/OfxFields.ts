/** Values of OFX elements: those that a file can do without are left out with a warning when they cannot be read. */
import { type CalendarDate, Decimal, limits } from "@millrace/core"
import { groupedAmount } from "./AmountText.ts"
import { type OfxNotes, pathOf } from "./OfxNotes.ts"
import { ofxDate, ofxGroupedAmount, ofxPlainAmount } from "./OfxValues.ts"
import { ownText } from "./Wording.ts"

export class OfxFields {
  private readonly notes: OfxNotes

  constructor(notes: OfxNotes) {
    this.notes = notes
  }

  /** A date that the file can do without. */
  date(
    position: number,
    source: string,
    start: number,
    end: number,
    parent: number,
    tag: number
  ): CalendarDate.CalendarDate | undefined {
    const date = ofxDate(source, start, end)
    if (date === undefined) {
      const text = source.slice(start, Math.min(end, start + 40))
      this.notes.warn(position, `${pathOf([parent, tag])} "${text}" is not a date: left out`)
    }
    return date
  }

  /** The amount of a row. */
  amount(
    position: number,
    source: string,
    start: number,
    end: number,
    minorDigits: number
  ): Decimal.Decimal | undefined {
    const amount = ofxPlainAmount(source, start, end)
    if (amount !== undefined) return amount
    const grouped = ofxGroupedAmount(source, start, end, minorDigits)
    if (grouped?.ambiguous === true && this.notes.assumed["decimal"] === undefined) {
      this.notes.assumed["decimal"] = "."
      const text = source.slice(start, Math.min(end, start + 40))
      this.notes.warn(position, `"${text}" was read as ${grouped.value}`)
    }
    return grouped?.value
  }

  /** An amount that the file can do without, also with a currency sign or in parentheses. */
  balance(
    position: number,
    source: string,
    start: number,
    end: number,
    minorDigits: number,
    parent: number,
    tag: number
  ): Decimal.Decimal | undefined {
    const plain = this.amount(position, source, start, end, minorDigits)
    const text = source.slice(start, Math.min(end, start + 40))
    const amount = plain ?? this.formatted(source, start, end)
    if (amount === undefined) {
      this.notes.warn(position, `${pathOf([parent, tag])} "${text}" is not an amount: left out`)
    } else if (Decimal.wholeDigits(amount) > limits.amountWholeDigits) {
      this.notes.warn(position, `${pathOf([parent, tag])} "${text}" is too large: left out`)
      return undefined
    } else if (plain === undefined) {
      this.notes.warn(position, `${pathOf([parent, tag])} "${text}" was read as ${amount}`)
    }
    return amount === undefined ? undefined : (ownText(amount) as Decimal.Decimal)
  }

  /** The decimal separator is the last one, and no lone one before three digits: that may group thousands. */
  private formatted(source: string, start: number, end: number): Decimal.Decimal | undefined {
    const text = source.slice(start, end)
    if (text.length > 60) return undefined
    const comma = text.lastIndexOf(",")
    const point = text.lastIndexOf(".")
    const last = Math.max(comma, point)
    const isLone = last >= 0 && Math.min(comma, point) < 0 && text.indexOf(text[last]!) === last
    if (isLone && /^\d{3}\D*$/.test(text.slice(last + 1))) return undefined
    return groupedAmount(text, 0, text.length, comma > point ? 44 : 46, true)
  }
}
