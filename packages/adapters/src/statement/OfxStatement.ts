/** Builds the accounts of an OFX file from the elements that the scanner reports. */
import * as Currency from "@millrace/core/shared/Currency"
import type { Decimal } from "@millrace/core/shared/Decimal"
import type * as CalendarDate from "@millrace/core/shared/CalendarDate"
import { type StatementAccount, StatementFault } from "@millrace/core/upload/Statement"
import { accountKey } from "./AccountKey.ts"
import { AccountDraft, finish, merge } from "./OfxAccount.ts"
import { OfxFields } from "./OfxFields.ts"
import { isNeeded, isRow } from "./OfxNesting.ts"
import { OfxNotes } from "./OfxNotes.ts"
import { OfxRowReader } from "./OfxRow.ts"
import type { OfxHandler } from "./OfxScanner.ts"
import { Tag, tagNames } from "./OfxTags.ts"
import { bankAccountType } from "./OfxTypes.ts"
import { ofxText } from "./OfxValues.ts"
import { maxAccounts, maxRows } from "./StatementLimits.ts"
import { joinDistinct, tidy } from "./Wording.ts"

const openingBalance = /^(?:opening|beginning|starting|previous)\b.*\bbal/i

/** Longer texts are no numbers of accounts. */
const maxNumberLength = 100

// The movements of a brokerage account that change its cash.
const isCashMovement = (tag: number): boolean =>
  (tag >= Tag.BUYDEBT && tag <= Tag.SELLSTOCK) || (tag >= Tag.INCOME && tag <= Tag.MARGININTEREST)

const isSecurityMovement = (tag: number): boolean => tag >= Tag.REINVEST && tag <= Tag.CLOSUREOPT

export class OfxStatement implements OfxHandler {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new OfxStatement(OfxNotes.exemplar, Currency.make("CHF"))

  private readonly notes: OfxNotes
  private readonly fields: OfxFields
  private readonly row: OfxRowReader
  private readonly baseCurrency: Currency.Currency
  private readonly context: Array<number> = []
  private top = 0
  private readonly drafts: Array<AccountDraft> = []
  private draft: AccountDraft | undefined
  private minorDigits: number
  private rowCount = 0
  private readonly securityNames = new Map<string, string>()
  private readonly skipped = new Map<number, number>()

  // STATUS, balances and SECINFO under construction
  private code = ""
  private codeAt = 0
  private severity = ""
  private message = ""
  private balance: Decimal | undefined
  private balanceSet = false
  private balanceDate: CalendarDate.CalendarDate | undefined
  private balanceDateSet = false
  private balanceName = ""
  private securityName = ""
  private securityId = ""

  constructor(notes: OfxNotes, baseCurrency: Currency.Currency) {
    this.notes = notes
    this.fields = new OfxFields(notes)
    this.row = new OfxRowReader(this.fields, notes)
    this.baseCurrency = baseCurrency
    this.minorDigits = Currency.minorDigits(baseCurrency)
  }

  get fault(): StatementFault | undefined {
    return this.notes.fault
  }

  open(tag: number, position: number): void {
    this.context.push(tag)
    this.top = tag
    switch (tag) {
      case Tag.STMTTRN:
      case Tag.STMTTRNP:
        if (this.row.tag === 0) return this.row.start(tag, position)
        return this.row.unreadable(`${tagNames[tag]} inside ${tagNames[this.row.tag]}`, position, this.row.tag)
      case Tag.STATUS:
        this.code = ""
        this.codeAt = position
        this.severity = ""
        this.message = ""
        return
      case Tag.LEDGERBAL:
      case Tag.AVAILBAL:
      case Tag.BAL:
        this.balance = undefined
        this.balanceSet = false
        this.balanceDate = undefined
        this.balanceDateSet = false
        this.balanceName = ""
        return
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
        if (isCashMovement(tag) && this.row.tag === 0 && this.context.includes(Tag.INVTRANLIST)) {
          this.row.start(tag, position)
        } else if (isSecurityMovement(tag)) this.skipped.set(tag, (this.skipped.get(tag) ?? 0) + 1)
    }
  }

  close(tag: number, position: number): void {
    this.context.pop()
    this.top = this.context.length === 0 ? 0 : this.context[this.context.length - 1]!
    if (tag === 0) return
    if (tag === this.row.tag) return this.endRow()
    switch (tag) {
      case Tag.STATUS:
        return this.endStatus()
      case Tag.BANKACCTFROM:
      case Tag.CCACCTFROM:
      case Tag.INVACCTFROM:
        if (this.draft !== undefined && this.draft.number !== "") this.draft.isNamed = true
        return
      case Tag.LEDGERBAL:
      case Tag.AVAILBAL:
      case Tag.BAL:
        return this.endBalance(tag, position)
      case Tag.STMTRS:
      case Tag.CCSTMTRS:
      case Tag.INVSTMTRS:
        if (this.draft !== undefined) this.drafts.push(this.draft)
        this.draft = undefined
        return
      case Tag.SECINFO:
        if (this.securityId !== "" && this.securityNames.size < maxRows) {
          this.securityNames.set(this.securityId, this.securityName)
        }
    }
  }

  /** Where nobody can tell what is missing, the row or the file is refused. */
  stray(tag: number, position: number, name: string): void {
    const message = `closing tag </${name}> without an open element`
    if (this.row.tag !== 0) {
      // An end tag of a leaf closes the leaf before it, whatever it is called.
      if (tag !== 0 && tag < Tag.CODE) this.row.unreadable(message, position, this.row.tag)
      else this.warn(position, `${message} was read over`)
    } else if (isRow(tag) || (isCashMovement(tag) && this.context.includes(Tag.INVTRANLIST))) {
      this.countRow(position, tag)
      this.refuseRow(position, "the row has an end but no beginning", tag)
    } else if (isNeeded(tag)) this.notes.fail(position, message, [tag])
    else this.warn(position, `${message} was read over`)
  }

  warn(position: number, message: string): void {
    this.notes.warn(position, message)
  }

  leaf(tag: number, position: number, source: string, start: number, end: number, raw: boolean): void {
    const { top } = this
    if (this.row.tag !== 0) {
      return this.row.leaf(top, tag, position, source, start, end, raw, this.minorDigits)
    }
    switch (top) {
      case Tag.STATUS:
        if (tag === Tag.CODE) this.code = source.slice(start, end)
        else if (tag === Tag.SEVERITY) this.severity = source.slice(start, end)
        else if (tag === Tag.MESSAGE) this.message = ofxText(source, start, end, raw)
        return
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
        return this.accountLeaf(tag, position, ofxText(source, start, end, raw))
      case Tag.BANKTRANLIST:
      case Tag.INVTRANLIST:
        if (this.draft === undefined) return
        if (tag === Tag.DTSTART) this.draft.from = this.fields.date(position, source, start, end, top, tag)
        else if (tag === Tag.DTEND) this.draft.to = this.fields.date(position, source, start, end, top, tag)
        return
      case Tag.LEDGERBAL:
      case Tag.AVAILBAL:
        if (tag === Tag.BALAMT) {
          this.balance = this.fields.balance(position, source, start, end, this.minorDigits, top, tag)
          this.balanceSet = true
        } else if (tag === Tag.DTASOF) {
          this.balanceDate = this.fields.date(position, source, start, end, top, tag)
          this.balanceDateSet = true
        }
        return
      case Tag.BAL:
        if (tag === Tag.NAME) this.balanceName = ofxText(source, start, end, raw)
        else if (tag === Tag.VALUE && openingBalance.test(this.balanceName)) {
          this.balance = this.fields.balance(position, source, start, end, this.minorDigits, top, tag)
        }
        return
      case Tag.INVBAL:
        if (tag === Tag.AVAILCASH && this.draft !== undefined) {
          this.draft.available = this.fields.balance(position, source, start, end, this.minorDigits, top, tag)
        }
        return
      case Tag.SECID:
        if (tag === Tag.UNIQUEID) this.securityId = source.slice(start, end)
        return
      case Tag.SECINFO:
        if (tag === Tag.SECNAME) this.securityName = ofxText(source, start, end, raw)
    }
  }

  private countRow(position: number, tag: number): void {
    if (this.draft === undefined) return this.notes.fail(position, "a row outside any statement", [tag])
    if (++this.rowCount > maxRows) {
      this.notes.fail(position, `more than ${maxRows} rows in one file: split the file by period`, [tag])
    }
  }

  private refuseRow(position: number, message: string, tag: number): void {
    this.notes.refuse(position, message, [tag])
    if (this.draft !== undefined) this.draft.refused++
  }

  private endRow(): void {
    const { position, tag, uniqueId } = this.row
    this.countRow(position, tag)
    const { draft } = this
    const row = this.row.end(draft?.currency)
    if (draft === undefined || row === "balance") return
    if (row === "refused") {
      draft.refused++
      return
    }
    if (row.currency === "") draft.inherits = true
    if (!isRow(tag) && uniqueId !== "") draft.securities.push([draft.rows.length, uniqueId])
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
    if (tag === Tag.BANKID || tag === Tag.BROKERID) draft.bankId = value
    else if (tag === Tag.ACCTID) draft.number = value
    else if (tag === Tag.ACCTTYPE && draft.type === "unknown") draft.type = bankAccountType(value)
  }

  private readCurrency(draft: AccountDraft, position: number, text: string): void {
    draft.currency = Currency.parse(text)
    if (draft.currency === undefined) {
      return this.notes.fail(position, `"${text.slice(0, 40)}" is not a currency`, [this.top, Tag.CURDEF])
    }
    this.minorDigits = Currency.minorDigits(draft.currency)
  }

  private endStatus(): void {
    const failed = this.severity.toUpperCase() === "ERROR" || (this.code !== "" && !/^0+$/.test(this.code))
    if (!failed) return
    const text = this.message === "" ? "" : `: ${this.message.slice(0, 500)}`
    this.notes.fail(
      this.codeAt,
      `the bank answered with status ${this.code.slice(0, 20)}${text} (get the file from the bank anew)`,
      [Tag.STATUS]
    )
  }

  private endBalance(tag: number, position: number): void {
    const { balance, balanceDate, draft } = this
    if (draft === undefined) return
    if (tag === Tag.BAL) {
      if (balance !== undefined) draft.opening = balance
      return
    }
    if (!this.balanceSet && this.balanceDateSet) {
      this.warn(position, `${tagNames[tag]}.BALAMT is empty: a balance without an amount is left out`)
    }
    if (balance === undefined) return
    if (!this.balanceDateSet) this.warn(position, `${tagNames[tag]}.DTASOF is empty: the balance has no day of its own`)
    if (tag === Tag.AVAILBAL) draft.available = balance
    else {
      draft.closing = balance
      draft.balanceDate = balanceDate ?? draft.balanceDate
    }
  }

  /** The accounts, once the scan has ended without a fault; or why rows that cannot be read spoil all of them. */
  accounts(): ReadonlyArray<StatementAccount> | StatementFault {
    const { refused } = this.notes
    if (refused.length > 0 && this.drafts.every((draft) => draft.rows.length === 0)) {
      const others = refused.length === 1 ? "it is the only row" : `none of the ${refused.length} rows can be read`
      return this.refusedFault(others)
    }
    if (this.skipped.size > 0) {
      let total = 0
      const parts: Array<string> = []
      for (const [tag, count] of this.skipped) {
        total += count
        parts.push(`${count} ${tagNames[tag]}`)
      }
      this.notes.say(`${total} movements of securities without cash effect give no row: ${parts.join(", ")}`)
    }
    if (this.drafts.length === 0) this.notes.say("the file holds no statement")
    const byKey = new Map<string, AccountDraft>()
    for (const draft of this.drafts) {
      this.settleCurrency(draft)
      this.nameSecurities(draft)
      const key = accountKey(draft.bankId, draft.number, draft.type)
      const first = byKey.get(key)
      if (first === undefined) byKey.set(key, draft)
      else if (first.currency === draft.currency) merge(first, draft)
      else byKey.set(`${key}:${draft.currency}`, draft)
    }
    const accounts: Array<StatementAccount> = []
    for (const [key, draft] of byKey) {
      const account = finish(key, draft)
      const missing = account.difference ?? "0"
      if (missing !== "0" && draft.refused > 0) {
        return this.refusedFault(
          `without the rows that cannot be read the balances do not tie out, ${missing} is missing`
        )
      }
      if (missing !== "0") this.notes.say(`the balances do not tie out: ${missing} is missing`)
      accounts.push(account)
    }
    return accounts
  }

  /** The first row that could not be read, and why the others do not count either. */
  private refusedFault(why: string): StatementFault {
    const { message, ...place } = this.notes.refused[0]!
    return new StatementFault({
      ...place,
      message: `${place.element}: ${message}; ${why}: correct it in the file, or get the file anew`
    })
  }

  private settleCurrency(draft: AccountDraft): void {
    if (draft.currency === undefined) {
      const own = new Set(draft.rows.map((row) => row.currency))
      own.delete("" as Currency.Currency)
      const only = own.size === 1 ? own.values().next().value : undefined
      draft.currency = only ?? this.baseCurrency
      this.notes.assumed["currency"] = draft.currency
    }
    if (!draft.inherits) return
    for (const row of draft.rows) if (row.currency === "") row.currency = draft.currency
  }

  private nameSecurities(draft: AccountDraft): void {
    for (const [index, uniqueId] of draft.securities) {
      const row = draft.rows[index]!
      const security = this.securityNames.get(uniqueId) ?? ""
      row.originalDescription = joinDistinct(row.originalDescription, security === "" ? uniqueId : security)
      if (row.description === "") row.description = security === "" ? uniqueId : tidy(security)
    }
  }
}
