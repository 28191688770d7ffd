/** Builds the accounts of an OFX file from the elements that the scanner reports. */
import { Currency } from "@millrace/core"
import type { StatementAccount, StatementFault } from "@millrace/core/upload"
import { AccountDraft, type TakeOfxRow } from "./OfxAccount.ts"
import { accountsOf, type OfxStatements } from "./OfxAccounts.ts"
import { OfxBalance } from "./OfxBalance.ts"
import { OfxFields } from "./OfxFields.ts"
import type { OfxHandler } from "./OfxHandler.ts"
import { isNeeded, isRow } from "./OfxNesting.ts"
import { OfxNotes, type OfxPlace } from "./OfxNotes.ts"
import { OfxRowReader } from "./OfxRow.ts"
import { OfxStatus } from "./OfxStatus.ts"
import { Tag, tagNames } from "./OfxTags.ts"
import { bankAccountType } from "./OfxTypes.ts"
import { ofxText, type TextForm } from "./OfxValues.ts"
import type { StatedRow } from "./StatedRow.ts"
import { maxAccounts, maxRows } from "./StatementLimits.ts"
import type { TextLines } from "./TextLines.ts"
import { ownText } from "./Wording.ts"

/** Longer texts are no numbers of accounts. */
const maxNumberLength = 100

// The movements of a brokerage account that change its cash.
const isCashMovement = (tag: number): boolean =>
  (tag >= Tag.BUYDEBT && tag <= Tag.SELLSTOCK) || (tag >= Tag.INCOME && tag <= Tag.MARGININTEREST)

const isSecurityMovement = (tag: number): boolean => tag >= Tag.REINVEST && tag <= Tag.CLOSUREOPT

/** Takes the elements in the order of the file, and keeps one draft for each statement. */
export class OfxStatement implements OfxHandler, OfxStatements {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new OfxStatement(OfxNotes.exemplar, Currency.make("CHF"))

  readonly notes: OfxNotes
  private readonly fields: OfxFields
  private readonly current: OfxRowReader
  readonly baseCurrency: Currency.Currency
  private readonly context: Array<number> = []
  private top = 0
  readonly drafts: Array<AccountDraft> = []
  private draft: AccountDraft | undefined
  private minorDigits: number
  private rowCount = 0
  readonly securityNames = new Map<string, string>()
  readonly skipped = new Map<number, number>()

  private readonly status: OfxStatus
  private readonly balance: OfxBalance

  // SECINFO under construction
  private securityName = ""
  private securityId = ""

  private readonly take: TakeOfxRow | undefined

  /** The rows stay with their account, unless `take` is given. */
  constructor(notes: OfxNotes, baseCurrency: Currency.Currency, take?: TakeOfxRow) {
    this.notes = notes
    this.take = take
    this.fields = new OfxFields(notes)
    this.current = new OfxRowReader(this.fields, notes)
    this.status = new OfxStatus(notes)
    this.balance = new OfxBalance(this.fields, notes)
    this.baseCurrency = baseCurrency
    this.minorDigits = Currency.minorDigits(baseCurrency)
  }

  get fault(): StatementFault | undefined {
    return this.notes.fault
  }

  renew(lines: TextLines): void {
    this.notes.lines = lines
  }

  open(tag: number, position: number): void {
    this.context.push(tag)
    this.top = tag
    switch (tag) {
      case Tag.STMTTRN:
      case Tag.STMTTRNP:
        if (this.current.tag === 0) return this.current.start(tag, position)
        return this.current.unreadable(
          `${tagNames[tag]} inside ${tagNames[this.current.tag]}`,
          position,
          this.current.tag
        )
      case Tag.STATUS:
        return this.status.start(position)
      case Tag.LEDGERBAL:
      case Tag.AVAILBAL:
      case Tag.BAL:
        return this.balance.start()
      case Tag.STMTRS:
      case Tag.CCSTMTRS:
      case Tag.INVSTMTRS:
        if (this.drafts.length >= maxAccounts) {
          return this.notes.fail(position, `more than ${maxAccounts} accounts in one file`, [tag])
        }
        this.draft = new AccountDraft()
        this.minorDigits = Currency.minorDigits(this.baseCurrency)
        if (tag === Tag.CCSTMTRS) this.draft.type = "credit_card"
        if (tag === Tag.INVSTMTRS) this.draft.type = "investment"
        return
      case Tag.LOANSTMTRS:
        return this.notes.warn(position, "loan statements (LOANSTMTRS) are not read")
      case Tag.SECINFO:
        this.securityId = ""
        this.securityName = ""
        return
      default:
        if (isCashMovement(tag) && this.current.tag === 0 && this.context.includes(Tag.INVTRANLIST)) {
          this.current.start(tag, position)
        } else if (isSecurityMovement(tag)) this.skipped.set(tag, (this.skipped.get(tag) ?? 0) + 1)
    }
  }

  close(tag: number, position: number): void {
    this.context.pop()
    this.top = this.context.length === 0 ? 0 : this.context[this.context.length - 1]!
    if (tag === 0) return
    if (tag === this.current.tag) return this.endRow()
    switch (tag) {
      case Tag.STATUS:
        return this.status.end()
      case Tag.BANKACCTFROM:
      case Tag.CCACCTFROM:
      case Tag.INVACCTFROM:
        if (this.draft !== undefined && this.draft.number !== "") this.draft.isNamed = true
        return
      case Tag.LEDGERBAL:
      case Tag.AVAILBAL:
      case Tag.BAL:
        return this.balance.end(tag, position, this.draft)
      case Tag.STMTRS:
      case Tag.CCSTMTRS:
      case Tag.INVSTMTRS:
        if (this.draft !== undefined) this.drafts.push(this.draft)
        this.draft = undefined
        return
      case Tag.SECINFO:
        if (this.securityId !== "" && this.securityNames.size < maxRows) {
          this.securityNames.set(ownText(this.securityId), ownText(this.securityName))
        }
    }
  }

  /** Where nobody can tell what is missing, the row or the file is refused. */
  stray(tag: number, position: number, name: string): void {
    const message = `closing tag </${name}> without an open element`
    if (this.current.tag !== 0) {
      // An end tag of a leaf closes the leaf before it, whatever it is called.
      if (tag !== 0 && tag < Tag.CODE) this.current.unreadable(message, position, this.current.tag)
      else this.warn(position, `${message} was read over`)
    } else if (isRow(tag) || (isCashMovement(tag) && this.context.includes(Tag.INVTRANLIST))) {
      this.countRow(tag, position)
      this.refuseRow(this.notes.place(position), "the row has an end but no beginning", tag)
    } else if (isNeeded(tag)) this.notes.fail(position, message, [tag])
    else this.warn(position, `${message} was read over`)
  }

  warn(position: number, message: string): void {
    this.notes.warn(position, message)
  }

  leaf(tag: number, position: number, source: string, start: number, end: number, form: TextForm): void {
    const { top } = this
    if (this.current.tag !== 0) {
      return this.current.leaf(top, tag, position, source, start, end, form, this.minorDigits)
    }
    switch (top) {
      case Tag.STATUS:
        return this.status.leaf(tag, source, start, end, form)
      case Tag.STMTRS:
      case Tag.CCSTMTRS:
      case Tag.INVSTMTRS:
        if (this.draft === undefined) return
        if (tag === Tag.CURDEF) this.readCurrency(this.draft, position, source.slice(start, end))
        else if (tag === Tag.DTASOF) {
          this.draft.balanceDate = this.fields.date(position, source, start, end, top, tag)
        }
        return
      case Tag.BANKACCTFROM:
      case Tag.CCACCTFROM:
      case Tag.INVACCTFROM:
        return this.accountLeaf(tag, position, ofxText(source, start, end, form))
      case Tag.BANKTRANLIST:
      case Tag.INVTRANLIST:
        if (this.draft === undefined) return
        if (tag === Tag.DTSTART) this.draft.from = this.fields.date(position, source, start, end, top, tag)
        else if (tag === Tag.DTEND) this.draft.to = this.fields.date(position, source, start, end, top, tag)
        return
      case Tag.LEDGERBAL:
      case Tag.AVAILBAL:
      case Tag.BAL:
        return this.balance.leaf(top, tag, position, source, start, end, form, this.minorDigits)
      case Tag.INVBAL:
        if (tag === Tag.AVAILCASH && this.draft !== undefined) {
          this.draft.available = this.fields.balance(position, source, start, end, this.minorDigits, top, tag)
        }
        return
      case Tag.SECID:
        if (tag === Tag.UNIQUEID) this.securityId = source.slice(start, end)
        return
      case Tag.SECINFO:
        if (tag === Tag.SECNAME) this.securityName = ofxText(source, start, end, form)
    }
  }

  /** `place`: where the row begins, or its position. */
  private countRow(tag: number, place: OfxPlace | number): void {
    const isInside = this.draft !== undefined
    if (isInside && (++this.rowCount <= maxRows || this.take !== undefined)) return
    const message = isInside
      ? `more than ${maxRows} rows in one file: split the file by period`
      : "a row outside any statement"
    this.notes.failAt(typeof place === "number" ? this.notes.place(place) : place, message, [tag])
  }

  private refuseRow(place: OfxPlace, message: string, tag: number): void {
    this.notes.refuse(place, message, [tag])
    if (this.draft !== undefined) this.draft.refused++
  }

  private endRow(): void {
    const { tag, uniqueId } = this.current
    this.countRow(tag, this.current.place())
    const { draft } = this
    const row = this.current.end(draft?.currency)
    if (draft === undefined || row === "balance") return
    if (row === "refused") {
      draft.refused++
      return
    }
    this.keep(draft, row, isRow(tag) ? "" : uniqueId)
  }

  private keep(draft: AccountDraft, row: StatedRow, security: string): void {
    if (row.currency === "") draft.inherits = true
    draft.count++
    if (this.take !== undefined) return this.take(draft, row, security)
    if (security !== "") draft.securities.push([draft.rows.length, security])
    draft.rows.push(row)
  }

  private accountLeaf(tag: number, position: number, value: string): void {
    const { draft } = this
    // Transfers between securities accounts name the other one later.
    if (draft === undefined || draft.isNamed) return
    if (value.length > maxNumberLength) {
      return this.notes.fail(position, `a number of ${value.length} characters is not one of an account`, [
        this.top,
        tag
      ])
    }
    if (tag === Tag.BANKID || tag === Tag.BROKERID) draft.bankId = ownText(value)
    else if (tag === Tag.ACCTID) draft.number = ownText(value)
    else if (tag === Tag.ACCTTYPE && draft.type === "unknown") draft.type = bankAccountType(value)
  }

  private readCurrency(draft: AccountDraft, position: number, text: string): void {
    draft.currency = Currency.parse(text)
    if (draft.currency === undefined) {
      return this.notes.fail(position, `"${text.slice(0, 40)}" is not a currency`, [this.top, Tag.CURDEF])
    }
    this.minorDigits = Currency.minorDigits(draft.currency)
  }

  /** The accounts, once the scan has ended without a fault; or why rows that cannot be read spoil all of them. */
  accounts(): ReadonlyArray<StatementAccount> | StatementFault {
    return accountsOf(this)
  }
}
