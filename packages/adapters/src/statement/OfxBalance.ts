/** A balance of an OFX statement. */
import type { CalendarDate, Decimal } from "@millrace/core"
import type { AccountDraft } from "./OfxAccount.ts"
import type { OfxFields } from "./OfxFields.ts"
import type { OfxNotes } from "./OfxNotes.ts"
import { Tag, tagNames } from "./OfxTags.ts"
import { ofxText, type TextForm } from "./OfxValues.ts"

const openingBalance = /^(?:opening|beginning|starting|previous)\b.*\bbal/i

/** The balance that is being read. One for all of a file. */
export class OfxBalance {
  private readonly fields: OfxFields
  private readonly notes: OfxNotes
  private amount: Decimal.Decimal | undefined
  private isSet = false
  private date: CalendarDate.CalendarDate | undefined
  private isDateSet = false
  private name = ""

  constructor(fields: OfxFields, notes: OfxNotes) {
    this.fields = fields
    this.notes = notes
  }

  start(): void {
    this.amount = undefined
    this.isSet = false
    this.date = undefined
    this.isDateSet = false
    this.name = ""
  }

  /** `top`: LEDGERBAL or AVAILBAL, which say what they are, or BAL, which has a name. */
  leaf(
    top: number,
    tag: number,
    position: number,
    source: string,
    start: number,
    end: number,
    form: TextForm,
    minorDigits: number
  ): void {
    if (top === Tag.BAL) {
      if (tag === Tag.NAME) this.name = ofxText(source, start, end, form)
      else if (tag === Tag.VALUE && openingBalance.test(this.name)) {
        this.amount = this.fields.balance(position, source, start, end, minorDigits, top, tag)
      }
    } else if (tag === Tag.BALAMT) {
      this.amount = this.fields.balance(position, source, start, end, minorDigits, top, tag)
      this.isSet = true
    } else if (tag === Tag.DTASOF) {
      this.date = this.fields.date(position, source, start, end, top, tag)
      this.isDateSet = true
    }
  }

  /** Puts the balance into the account. */
  end(tag: number, position: number, draft: AccountDraft | undefined): void {
    const { amount, date } = this
    if (draft === undefined) return
    if (tag === Tag.BAL) {
      if (amount !== undefined) draft.opening = amount
      return
    }
    if (!this.isSet && this.isDateSet) {
      this.notes.warn(position, `${tagNames[tag]}.BALAMT is empty: a balance without an amount is left out`)
    }
    if (amount === undefined) return
    if (!this.isDateSet)
      this.notes.warn(position, `${tagNames[tag]}.DTASOF is empty: the balance has no day of its own`)
    if (tag === Tag.AVAILBAL) draft.available = amount
    else {
      draft.closing = amount
      draft.balanceDate = date ?? draft.balanceDate
    }
  }
}
