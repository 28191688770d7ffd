/** A row of an OFX file: the element as it is read, and what comes of it. */
import { type CalendarDate, Currency, Decimal, limits } from "@millrace/core"
import type { OfxFields } from "./OfxFields.ts"
import type { OfxNotes, OfxPlace } from "./OfxNotes.ts"
import { isRow } from "./OfxNesting.ts"
import { Tag, tagNames } from "./OfxTags.ts"
import { transactionType } from "./OfxTypes.ts"
import { ofxDate, ofxText, type TextForm } from "./OfxValues.ts"
import { StatedRow } from "./StatedRow.ts"
import { joinDistinct, meaningful, tidy } from "./Wording.ts"

/** What makes a row unreadable. */
interface Problem {
  readonly place: OfxPlace
  readonly message: string
  readonly tags: ReadonlyArray<number>
}

// What stands for an amount in lines that only state a balance.
const noDigits = /^[.,+-]+$/

const investmentType = (movement: number, incomeType: string): string =>
  movement === Tag.MARGININTEREST || (movement === Tag.INCOME && incomeType.toUpperCase() === "INTEREST")
    ? "INTEREST"
    : movement === Tag.INVEXPENSE
      ? "FEE"
      : "OTHER"

/** The row that is being read. One for all rows of a file. */
export class OfxRowReader {
  /** Number of the element, 0 while there is none. */
  tag = 0
  /** Where it begins: it may end in another text of the file. */
  line = 0
  column = 0
  /** Of the security that moved, `""` for none. */
  uniqueId = ""

  private readonly fields: OfxFields
  private readonly notes: OfxNotes
  private movement = 0
  private date: CalendarDate.CalendarDate | undefined
  private userDate: CalendarDate.CalendarDate | undefined
  private amount: Decimal.Decimal | undefined
  private amountText = ""
  private statesBalance = false
  private trnType = ""
  private fitId = ""
  private checkNumber = ""
  private refNumber = ""
  private name = ""
  private payee = ""
  private memo = ""
  private currency: Currency.Currency | undefined
  private incomeType = ""
  private problem: Problem | undefined

  constructor(fields: OfxFields, notes: OfxNotes) {
    this.fields = fields
    this.notes = notes
  }

  start(tag: number, position: number): void {
    this.tag = tag
    this.line = this.notes.line(position)
    this.column = this.notes.column(position)
    this.movement = isRow(tag) ? 0 : tag
    this.date = undefined
    this.userDate = undefined
    this.amount = undefined
    this.amountText = ""
    this.statesBalance = false
    this.trnType = ""
    this.fitId = ""
    this.checkNumber = ""
    this.refNumber = ""
    this.name = ""
    this.payee = ""
    this.memo = ""
    this.currency = undefined
    this.incomeType = ""
    this.uniqueId = ""
    this.problem = undefined
  }

  leaf(
    top: number,
    tag: number,
    position: number,
    source: string,
    start: number,
    end: number,
    form: TextForm,
    digits: number
  ): void {
    if (top === Tag.CURRENCY) {
      if (tag !== Tag.CURSYM) return
      const code = source.slice(start, Math.min(end, start + 40))
      this.currency = Currency.parse(code)
      if (this.currency === undefined) this.unreadable(`"${code}" is not a currency`, position, top, tag)
      return
    }
    if (top === Tag.PAYEE) {
      if (tag === Tag.NAME) this.payee = ofxText(source, start, end, form)
      return
    }
    if (top === Tag.SECID) {
      if (tag === Tag.UNIQUEID) this.uniqueId = source.slice(start, end)
      return
    }
    if (top !== this.tag && top !== Tag.INVTRAN && top !== Tag.INVBUY && top !== Tag.INVSELL) return
    switch (tag) {
      case Tag.TRNTYPE:
        this.trnType = source.slice(start, end)
        return
      case Tag.DTPOSTED:
        if (this.movement === 0) this.readDate(tag, position, source, start, end)
        return
      case Tag.DTTRAN:
        if (this.tag === Tag.STMTTRNP) this.readDate(tag, position, source, start, end)
        return
      case Tag.DTTRADE:
        if (this.movement !== 0) this.readDate(tag, position, source, start, end)
        return
      case Tag.DTUSER:
        this.userDate = this.fields.date(position, source, start, end, this.tag, tag)
        return
      case Tag.TRNAMT:
        if (this.movement === 0) this.readAmount(tag, position, source, start, end, digits)
        return
      case Tag.TOTAL:
        if (this.movement !== 0) this.readAmount(tag, position, source, start, end, digits)
        return
      case Tag.FITID:
        this.readId(position, ofxText(source, start, end, form))
        return
      case Tag.CHECKNUM:
        this.checkNumber = ofxText(source, start, end, form)
        return
      case Tag.REFNUM:
        this.refNumber = ofxText(source, start, end, form)
        return
      case Tag.NAME:
        this.name = ofxText(source, start, end, form)
        return
      case Tag.MEMO:
        this.memo = ofxText(source, start, end, form)
        return
      case Tag.INCOMETYPE:
        this.incomeType = source.slice(start, end)
    }
  }

  place(): OfxPlace {
    return { line: this.line, column: this.column }
  }

  /** Nothing is taken of a row in which it is not clear what belongs to what. Its first problem is reported. */
  unreadable(message: string, position: number, ...tags: ReadonlyArray<number>): void {
    this.problem ??= { message, place: this.notes.place(position), tags }
  }

  /**
   * The row, `"refused"` with its reason among the notes, or `"balance"` where it states no movement. Without a currency
   * of its own it has an empty one.
   */
  end(inherited: Currency.Currency | undefined): StatedRow | "refused" | "balance" {
    const { movement, tag } = this
    this.tag = 0
    const amountTag = movement !== 0 ? Tag.TOTAL : Tag.TRNAMT
    if (this.statesBalance) {
      const text = `${tagNames[tag]}.${tagNames[amountTag]} "${this.amountText}" is no amount`
      this.notes.warnOf(this.line, `${text}: a line without a movement gives no row`)
      return "balance"
    }
    if (this.date === undefined && this.problem === undefined) {
      const dateTag = movement !== 0 ? Tag.DTTRADE : tag === Tag.STMTTRNP ? Tag.DTTRAN : Tag.DTPOSTED
      this.problem = { message: "the row has no date", place: this.place(), tags: [tag, dateTag] }
    }
    if (this.amount === undefined && this.problem === undefined) {
      this.problem = { message: "the row has no amount", place: this.place(), tags: [tag, amountTag] }
    }
    if (this.problem !== undefined) {
      this.notes.refuse(this.problem.place, this.problem.message, this.problem.tags)
      return "refused"
    }
    const name = this.name === "" ? this.payee : this.name
    const checkNumber = meaningful(this.checkNumber)
    const row = new StatedRow(
      this.line,
      this.fitId,
      this.date!,
      this.amount!,
      this.amountText,
      this.currency ?? inherited ?? ("" as Currency.Currency),
      tidy(name === "" ? this.memo : name),
      joinDistinct(name, this.memo),
      movement === 0
        ? transactionType(this.trnType, Decimal.isNegative(this.amount!))
        : investmentType(movement, this.incomeType),
      checkNumber === "" ? meaningful(this.refNumber) : checkNumber,
      tag === Tag.STMTTRNP || this.trnType === "HOLD",
      this.payee,
      ""
    )
    if (this.userDate !== undefined) row.authorizedDate = this.userDate
    return row
  }

  private readId(position: number, id: string): void {
    // Two rows that were run together, as with two dates and two amounts.
    if (this.fitId !== "" && this.fitId !== id) this.unreadable("the row has two ids", position, this.tag, Tag.FITID)
    this.fitId = id
  }

  private readDate(tag: number, position: number, source: string, start: number, end: number): void {
    const date = ofxDate(source, start, end)
    if (date === undefined) {
      const text = source.slice(start, Math.min(end, start + 40))
      this.unreadable(`"${text}" is not a date`, position, this.tag, tag)
    } else if (this.date !== undefined && this.date !== date) {
      this.unreadable("the row has two dates", position, this.tag, tag)
    }
    this.date = date
  }

  private readAmount(tag: number, position: number, source: string, start: number, end: number, digits: number): void {
    const text = source.slice(start, end)
    if (this.amountText !== "" && this.amountText !== text) {
      return this.unreadable("the row has two amounts", position, this.tag, tag)
    }
    this.amountText = text
    this.amount = this.fields.amount(position, source, start, end, digits)
    if (this.amount === undefined) {
      this.statesBalance = noDigits.test(text)
      this.unreadable(`"${text.slice(0, 40)}" is not an amount`, position, this.tag, tag)
    } else if (Decimal.wholeDigits(this.amount) > limits.amountWholeDigits) {
      const most = limits.amountWholeDigits
      this.unreadable(`"${text.slice(0, 40)}" is too large: at most ${most} digits`, position, this.tag, tag)
    } else if (this.amount === text) this.amountText = this.amount
  }
}
