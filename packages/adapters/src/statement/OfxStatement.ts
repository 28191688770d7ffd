/** Builds the accounts of an OFX file from the elements that the scanner reports. */
import type { AccountType } from "@millrace/core/account/AccountType"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import * as Currency from "@millrace/core/shared/Currency"
import * as Decimal from "@millrace/core/shared/Decimal"
import { type StatementAccount, StatementFault, type StatementRow } from "@millrace/core/upload/Statement"
import { accountKey } from "./AccountKey.ts"
import type { OfxHandler } from "./OfxScanner.ts"
import { Tag, tagNames } from "./OfxTags.ts"
import { bankAccountType, transactionType } from "./OfxTypes.ts"
import { ofxDate, ofxGroupedAmount, ofxPlainAmount, ofxText } from "./OfxValues.ts"
import { maxAccounts, maxRows } from "./StatementLimits.ts"
import { TextLines } from "./TextLines.ts"
import { difference } from "./TieOut.ts"
import { joinDistinct, meaningful, tidy } from "./Wording.ts"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** A row with all of its properties inside the object. */
class OfxRow implements Mutable<StatementRow> {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new OfxRow(
    1,
    "",
    CalendarDate.make("2000-01-01"),
    Decimal.zero,
    "",
    Currency.make("CHF"),
    "",
    "",
    "",
    "",
    false
  )

  line: number
  providerId: string
  date: CalendarDate.CalendarDate
  amount: Decimal.Decimal
  amountText: string
  currency: Currency.Currency
  description: string
  originalDescription: string
  type: string
  reference: string
  pending: boolean
  declare authorizedDate?: CalendarDate.CalendarDate
  declare merchantName?: string

  constructor(
    line: number,
    providerId: string,
    date: CalendarDate.CalendarDate,
    amount: Decimal.Decimal,
    amountText: string,
    currency: Currency.Currency,
    description: string,
    originalDescription: string,
    type: string,
    reference: string,
    pending: boolean
  ) {
    this.line = line
    this.providerId = providerId
    this.date = date
    this.amount = amount
    this.amountText = amountText
    this.currency = currency
    this.description = description
    this.originalDescription = originalDescription
    this.type = type
    this.reference = reference
    this.pending = pending
  }
}

/** An account under construction. */
class AccountDraft {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new AccountDraft()

  bankId = ""
  number = ""
  type: AccountType = "unknown"
  currency: Currency.Currency | undefined
  from: CalendarDate.CalendarDate | undefined
  to: CalendarDate.CalendarDate | undefined
  opening: Decimal.Decimal | undefined
  closing: Decimal.Decimal | undefined
  available: Decimal.Decimal | undefined
  balanceDate: CalendarDate.CalendarDate | undefined
  readonly rows: Array<Mutable<StatementRow>> = []
  /** Rows of securities, whose names stand at the end of the file. */
  readonly securities: Array<readonly [row: number, uniqueId: string]> = []
  /** Rows that name no currency of their own. */
  inherits = false
}

const openingBalance = /^(?:opening|beginning|starting|previous)\b.*\bbal/i

// The movements of a brokerage account that change its cash.
const isCashMovement = (tag: number): boolean =>
  (tag >= Tag.BUYDEBT && tag <= Tag.SELLSTOCK) || (tag >= Tag.INCOME && tag <= Tag.MARGININTEREST)

const isSecurityMovement = (tag: number): boolean => tag >= Tag.REINVEST && tag <= Tag.CLOSUREOPT

const investmentType = (movement: number, incomeType: string): string =>
  movement === Tag.MARGININTEREST || (movement === Tag.INCOME && incomeType.toUpperCase() === "INTEREST")
    ? "INTEREST"
    : movement === Tag.INVEXPENSE
      ? "FEE"
      : "OTHER"

export class OfxStatement implements OfxHandler {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new OfxStatement(TextLines.exemplar, Currency.make("CHF"))

  fault: StatementFault | undefined
  readonly warnings: Array<string> = []
  readonly assumed: Record<string, string> = {}

  private readonly lines: TextLines
  private readonly baseCurrency: Currency.Currency
  private readonly context: Array<number> = []
  private top = 0
  private readonly drafts: Array<AccountDraft> = []
  private draft: AccountDraft | undefined
  private rowCount = 0
  private readonly securityNames = new Map<string, string>()
  private readonly skipped = new Map<number, number>()

  // The row under construction
  private rowTag = 0
  private rowAt = 0
  private movement = 0
  private date: CalendarDate.CalendarDate | undefined
  private userDate: CalendarDate.CalendarDate | undefined
  private amount: Decimal.Decimal | undefined
  private amountText = ""
  private trnType = ""
  private fitId = ""
  private checkNumber = ""
  private refNumber = ""
  private name = ""
  private payee = ""
  private memo = ""
  private rowCurrency: Currency.Currency | undefined
  private incomeType = ""
  private uniqueId = ""

  // STATUS, balances and SECINFO under construction
  private code = ""
  private codeAt = 0
  private severity = ""
  private message = ""
  private balance: Decimal.Decimal | undefined
  private balanceSet = false
  private balanceDate: CalendarDate.CalendarDate | undefined
  private balanceName = ""
  private securityName = ""
  private securityId = ""

  constructor(lines: TextLines, baseCurrency: Currency.Currency) {
    this.lines = lines
    this.baseCurrency = baseCurrency
  }

  open(tag: number, position: number): void {
    this.context.push(tag)
    this.top = tag
    switch (tag) {
      case Tag.STMTTRN:
      case Tag.STMTTRNP:
        if (this.rowTag !== 0) return this.failAt(`${tagNames[tag]} inside ${tagNames[this.rowTag]}`, position, tag)
        return this.startRow(tag, position)
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
        this.balanceName = ""
        return
      case Tag.STMTRS:
      case Tag.CCSTMTRS:
      case Tag.INVSTMTRS:
        if (this.draft !== undefined) return this.failAt("a statement inside a statement", position, tag)
        if (this.drafts.length >= maxAccounts) {
          return this.failAt(`more than ${maxAccounts} accounts in one file`, position, tag)
        }
        this.draft = new AccountDraft()
        if (tag === Tag.CCSTMTRS) this.draft.type = "credit_card"
        if (tag === Tag.INVSTMTRS) this.draft.type = "investment"
        return
      case Tag.LOANSTMTRS:
        this.warnings.push(`line ${this.lines.at(position)}: loan statements (LOANSTMTRS) are not read`)
        return
      case Tag.SECINFO:
        this.securityId = ""
        this.securityName = ""
        return
      default:
        if (isCashMovement(tag) && this.rowTag === 0 && this.context.includes(Tag.INVTRANLIST)) {
          this.startRow(tag, position)
        } else if (isSecurityMovement(tag)) this.skipped.set(tag, (this.skipped.get(tag) ?? 0) + 1)
    }
  }

  close(tag: number, position: number): void {
    this.context.pop()
    this.top = this.context.length === 0 ? 0 : this.context[this.context.length - 1]!
    if (tag === 0) return
    if (tag === this.rowTag) return this.endRow()
    switch (tag) {
      case Tag.STATUS:
        return this.endStatus()
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

  leaf(tag: number, position: number, source: string, start: number, end: number, raw: boolean): void {
    if (this.rowTag !== 0) return this.rowLeaf(tag, position, source, start, end, raw)
    switch (this.top) {
      case Tag.STATUS:
        if (tag === Tag.CODE) this.code = source.slice(start, end)
        else if (tag === Tag.SEVERITY) this.severity = source.slice(start, end)
        else if (tag === Tag.MESSAGE) this.message = ofxText(source, start, end, raw)
        return
      case Tag.STMTRS:
      case Tag.CCSTMTRS:
      case Tag.INVSTMTRS:
        if (tag === Tag.CURDEF) {
          this.draft!.currency = this.readCurrency(position, source, start, end, this.top, tag)
        } else if (tag === Tag.DTASOF)
          this.draft!.balanceDate = this.readDate(position, source, start, end, this.top, tag)
        return
      case Tag.BANKACCTFROM:
      case Tag.CCACCTFROM:
      case Tag.INVACCTFROM:
        return this.accountLeaf(tag, ofxText(source, start, end, raw))
      case Tag.BANKTRANLIST:
      case Tag.INVTRANLIST:
        if (this.draft === undefined) return
        if (tag === Tag.DTSTART) this.draft.from = this.readDate(position, source, start, end, this.top, tag)
        else if (tag === Tag.DTEND) this.draft.to = this.readDate(position, source, start, end, this.top, tag)
        return
      case Tag.LEDGERBAL:
      case Tag.AVAILBAL:
        if (tag === Tag.BALAMT) {
          this.balance = this.readAmount(position, source, start, end, this.top, tag)
          this.balanceSet = true
        } else if (tag === Tag.DTASOF) {
          this.balanceDate = this.readDate(position, source, start, end, this.top, tag)
        }
        return
      case Tag.BAL:
        if (tag === Tag.NAME) this.balanceName = ofxText(source, start, end, raw)
        else if (tag === Tag.VALUE) {
          this.balance = ofxPlainAmount(source, start, end)
          this.balanceSet = true
        }
        return
      case Tag.INVBAL:
        if (tag === Tag.AVAILCASH && this.draft !== undefined) {
          this.draft.available = this.readAmount(position, source, start, end, this.top, tag)
        }
        return
      case Tag.SECID:
        if (tag === Tag.UNIQUEID) this.securityId = source.slice(start, end)
        return
      case Tag.SECINFO:
        if (tag === Tag.SECNAME) this.securityName = ofxText(source, start, end, raw)
    }
  }

  private startRow(tag: number, position: number): void {
    this.rowTag = tag
    this.rowAt = position
    this.movement = tag === Tag.STMTTRN || tag === Tag.STMTTRNP ? 0 : tag
    this.date = undefined
    this.userDate = undefined
    this.amount = undefined
    this.amountText = ""
    this.trnType = ""
    this.fitId = ""
    this.checkNumber = ""
    this.refNumber = ""
    this.name = ""
    this.payee = ""
    this.memo = ""
    this.rowCurrency = undefined
    this.incomeType = ""
    this.uniqueId = ""
  }

  private rowLeaf(tag: number, position: number, source: string, start: number, end: number, raw: boolean): void {
    const top = this.top
    if (top === Tag.CURRENCY) {
      if (tag === Tag.CURSYM) this.rowCurrency = this.readCurrency(position, source, start, end, top, tag)
      return
    }
    if (top === Tag.PAYEE) {
      if (tag === Tag.NAME) this.payee = ofxText(source, start, end, raw)
      return
    }
    if (top === Tag.SECID) {
      if (tag === Tag.UNIQUEID) this.uniqueId = source.slice(start, end)
      return
    }
    if (top !== this.rowTag && top !== Tag.INVTRAN && top !== Tag.INVBUY && top !== Tag.INVSELL) return
    switch (tag) {
      case Tag.TRNTYPE:
        this.trnType = source.slice(start, end)
        return
      case Tag.DTPOSTED:
        if (this.movement === 0) this.date = this.readDate(position, source, start, end, this.rowTag, tag)
        return
      case Tag.DTTRAN:
        if (this.rowTag === Tag.STMTTRNP) this.date = this.readDate(position, source, start, end, this.rowTag, tag)
        return
      case Tag.DTTRADE:
        if (this.movement !== 0) this.date = this.readDate(position, source, start, end, this.rowTag, tag)
        return
      case Tag.DTUSER:
        this.userDate = this.readDate(position, source, start, end, this.rowTag, tag)
        return
      case Tag.TRNAMT:
        if (this.movement !== 0) return
        this.amount = this.readAmount(position, source, start, end, this.rowTag, tag)
        this.amountText = source.slice(start, end)
        return
      case Tag.TOTAL:
        if (this.movement === 0) return
        this.amount = this.readAmount(position, source, start, end, this.rowTag, tag)
        this.amountText = source.slice(start, end)
        return
      case Tag.FITID:
        this.fitId = ofxText(source, start, end, raw)
        return
      case Tag.CHECKNUM:
        this.checkNumber = ofxText(source, start, end, raw)
        return
      case Tag.REFNUM:
        this.refNumber = ofxText(source, start, end, raw)
        return
      case Tag.NAME:
        this.name = ofxText(source, start, end, raw)
        return
      case Tag.MEMO:
        this.memo = ofxText(source, start, end, raw)
        return
      case Tag.INCOMETYPE:
        this.incomeType = source.slice(start, end)
    }
  }

  private endRow(): void {
    const tag = this.rowTag
    this.rowTag = 0
    const dateTag = this.movement !== 0 ? Tag.DTTRADE : tag === Tag.STMTTRNP ? Tag.DTTRAN : Tag.DTPOSTED
    const amountTag = this.movement !== 0 ? Tag.TOTAL : Tag.TRNAMT
    if (this.date === undefined) return this.failAt("the row has no date", this.rowAt, tag, dateTag)
    if (this.amount === undefined) return this.failAt("the row has no amount", this.rowAt, tag, amountTag)
    const draft = this.draft
    if (draft === undefined) return this.failAt("a row outside any statement", this.rowAt, tag)
    if (++this.rowCount > maxRows) {
      return this.failAt(`more than ${maxRows} rows in one file: split the file by period`, this.rowAt, tag)
    }
    const name = this.name === "" ? this.payee : this.name
    const currency = this.rowCurrency ?? draft.currency
    if (currency === undefined) draft.inherits = true
    if (this.movement !== 0 && this.uniqueId !== "") draft.securities.push([draft.rows.length, this.uniqueId])
    const checkNumber = meaningful(this.checkNumber)
    const row = new OfxRow(
      this.lines.at(this.rowAt),
      this.fitId,
      this.date,
      this.amount,
      this.amountText,
      currency ?? ("" as Currency.Currency),
      tidy(name === "" ? this.memo : name),
      joinDistinct(name, this.memo),
      this.movement === 0
        ? transactionType(this.trnType, Decimal.isNegative(this.amount))
        : investmentType(this.movement, this.incomeType),
      checkNumber === "" ? meaningful(this.refNumber) : checkNumber,
      tag === Tag.STMTTRNP || this.trnType === "HOLD"
    )
    if (this.userDate !== undefined) row.authorizedDate = this.userDate
    if (this.payee !== "") row.merchantName = this.payee
    draft.rows.push(row)
  }

  private accountLeaf(tag: number, value: string): void {
    const draft = this.draft
    if (draft === undefined) return
    if (tag === Tag.BANKID || tag === Tag.BROKERID) draft.bankId = value
    else if (tag === Tag.ACCTID) draft.number = value
    else if (tag === Tag.ACCTTYPE && draft.type === "unknown") draft.type = bankAccountType(value)
  }

  private endStatus(): void {
    const failed = this.severity.toUpperCase() === "ERROR" || (this.code !== "" && !/^0+$/.test(this.code))
    if (!failed) return
    const text = this.message === "" ? "" : `: ${this.message.slice(0, 500)}`
    this.failAt(`the bank answered with status ${this.code.slice(0, 20)}${text}`, this.codeAt, Tag.STATUS)
  }

  private endBalance(tag: number, position: number): void {
    const draft = this.draft
    if (draft === undefined) return
    if (tag === Tag.BAL) {
      if (this.balance !== undefined && openingBalance.test(this.balanceName)) draft.opening = this.balance
      return
    }
    if (!this.balanceSet) {
      if (this.balanceDate !== undefined) this.failAt("the balance has a date but no amount", position, tag, Tag.BALAMT)
      return
    }
    if (tag === Tag.AVAILBAL) {
      draft.available = this.balance
      return
    }
    draft.closing = this.balance
    if (this.balanceDate !== undefined) draft.balanceDate = this.balanceDate
  }

  private failAt(message: string, position: number, ...path: ReadonlyArray<number>): void {
    const element = path.map((tag) => tagNames[tag]).join(".")
    this.fault ??= new StatementFault({ message: `${element}: ${message}`, line: this.lines.at(position), element })
  }

  private readDate(
    at: number,
    source: string,
    start: number,
    end: number,
    parent: number,
    tag: number
  ): CalendarDate.CalendarDate | undefined {
    const date = ofxDate(source, start, end)
    if (date === undefined)
      this.failAt(`"${source.slice(start, Math.min(end, start + 40))}" is not a date`, at, parent, tag)
    return date
  }

  private readAmount(
    at: number,
    source: string,
    start: number,
    end: number,
    parent: number,
    tag: number
  ): Decimal.Decimal | undefined {
    const amount = ofxPlainAmount(source, start, end)
    if (amount !== undefined) return amount
    const digits = Currency.minorDigits(this.draft?.currency ?? this.baseCurrency)
    const grouped = ofxGroupedAmount(source, start, end, digits)
    const text = source.slice(start, Math.min(end, start + 40))
    if (grouped === undefined) {
      this.failAt(`"${text}" is not an amount`, at, parent, tag)
      return undefined
    }
    if (grouped.ambiguous && this.assumed["decimal"] === undefined) {
      this.assumed["decimal"] = "."
      this.warnings.push(`line ${this.lines.at(at)}: "${text}" was read as ${grouped.value}`)
    }
    return grouped.value
  }

  private readCurrency(
    at: number,
    source: string,
    start: number,
    end: number,
    parent: number,
    tag: number
  ): Currency.Currency | undefined {
    const text = source.slice(start, Math.min(end, start + 40))
    const currency = Currency.parse(text)
    if (currency === undefined) this.failAt(`"${text}" is not a currency`, at, parent, tag)
    return currency
  }

  /** The accounts, once the scan has ended without a fault. */
  accounts(): ReadonlyArray<StatementAccount> {
    if (this.skipped.size > 0) {
      let total = 0
      const parts: Array<string> = []
      for (const [tag, count] of this.skipped) {
        total += count
        parts.push(`${count} ${tagNames[tag]}`)
      }
      this.warnings.push(`${total} movements of securities without cash effect give no row: ${parts.join(", ")}`)
    }
    if (this.drafts.length === 0) this.warnings.push("the file holds no statement")
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
    return Array.from(byKey, ([key, draft]) => finish(key, draft))
  }

  private settleCurrency(draft: AccountDraft): void {
    if (draft.currency === undefined) {
      const own = new Set(draft.rows.map((row) => row.currency))
      own.delete("" as Currency.Currency)
      const only = own.size === 1 ? own.values().next().value : undefined
      draft.currency = only ?? this.baseCurrency
      this.assumed["currency"] = draft.currency
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

const earlier = (a: CalendarDate.CalendarDate | undefined, b: CalendarDate.CalendarDate | undefined) =>
  a === undefined ? b : b === undefined || a < b ? a : b
const later = (a: CalendarDate.CalendarDate | undefined, b: CalendarDate.CalendarDate | undefined) =>
  a === undefined ? b : b === undefined || a > b ? a : b

/** A second statement of the same account: its rows follow, the later balance counts. */
const merge = (into: AccountDraft, more: AccountDraft): void => {
  const newer = later(into.balanceDate, more.balanceDate) === more.balanceDate
  for (const row of more.rows) into.rows.push(row)
  if (newer || into.closing === undefined) {
    into.closing = more.closing ?? into.closing
    into.available = more.available ?? into.available
    into.balanceDate = more.balanceDate ?? into.balanceDate
  }
  if (into.opening === undefined || earlier(into.from, more.from) === more.from) into.opening = more.opening
  into.from = earlier(into.from, more.from)
  into.to = later(into.to, more.to)
}

const finish = (key: string, draft: AccountDraft): StatementAccount => ({
  key,
  ...(draft.bankId === "" ? {} : { bankId: draft.bankId }),
  number: draft.number,
  name: "",
  type: draft.type,
  currency: draft.currency!,
  ...(draft.from === undefined ? {} : { from: draft.from }),
  ...(draft.to === undefined ? {} : { to: draft.to }),
  ...(draft.opening === undefined ? {} : { openingBalance: draft.opening }),
  ...(draft.closing === undefined ? {} : { closingBalance: draft.closing }),
  ...(draft.available === undefined ? {} : { availableBalance: draft.available }),
  ...(draft.balanceDate === undefined ? {} : { balanceDate: draft.balanceDate }),
  rows: draft.rows,
  ...(draft.opening === undefined || draft.closing === undefined
    ? {}
    : {
        difference: difference(
          draft.opening,
          draft.rows.filter((row) => !row.pending).map((row) => row.amount),
          draft.closing
        )
      })
})
