/** Builds the accounts of CAMT messages from the elements that the scanner reports. */
import { type CalendarDate, Currency, Decimal, limits } from "@millrace/core"
import { parseIban } from "@millrace/core/bank"
import type { AccountType } from "@millrace/core/provider"
import { type StatementAccount, StatementFault } from "@millrace/core/upload"
import { accountsOf, StatementDraft, type TakeRow } from "./AccountStatements.ts"
import { plainAmount } from "./AmountText.ts"
import { camtDate, CamtEntry } from "./CamtEntry.ts"
import { Want } from "./CamtPaths.ts"
import type { ReaderNotes } from "./ReaderNotes.ts"
import { maxAccounts, maxRows } from "./StatementLimits.ts"
import type { XmlHandler } from "./XmlScanner.ts"

/** External code set CashAccountType. */
const accountTypes: ReadonlyMap<string, AccountType> = new Map([
  ["CACC", "checking"],
  ["TRAN", "checking"],
  ["SVGS", "savings"],
  ["ODFT", "line_of_credit"],
  ["LOAN", "loan"],
  ["CARD", "credit_card"],
  ["MOMA", "money_market"]
])

/** A balance that is being read. */
interface CamtBalance {
  type: string
  amount: Decimal.Decimal | undefined
  amountText: string
  currency: Currency.Currency | undefined
  side: string
  date: CalendarDate.CalendarDate | undefined
}

/** A statement with what only its end tells. */
class CamtDraft extends StatementDraft {
  made: CalendarDate.CalendarDate | undefined
  /** Entries that it says it has. */
  stated: number | undefined
  entries = 0
  information = 0
  /** Kind of the balance that `opening` and `closing` hold: what is stated for the day goes before what is worked out. */
  openingType = ""
  closingType = ""
}

export class CamtStatement implements XmlHandler {
  private readonly notes: ReaderNotes
  private readonly base: Currency.Currency
  private readonly attribute: (name: string) => string
  /** Where a finished row goes; they are kept with their statement unless somebody takes them. */
  private readonly take: TakeRow | undefined
  readonly drafts: Array<CamtDraft> = []
  messages = 0
  private draft: CamtDraft | undefined
  private balance: CamtBalance | undefined
  private entry: CamtEntry | undefined
  private rowCount = 0
  private readonly currencies = new Map<string, Currency.Currency | undefined>()

  constructor(notes: ReaderNotes, base: Currency.Currency, attribute: (name: string) => string, take?: TakeRow) {
    this.notes = notes
    this.base = base
    this.attribute = attribute
    this.take = take
  }

  get fault(): StatementFault | undefined {
    return this.notes.fault
  }

  begin(wanted: number, line: number): void {
    switch (wanted) {
      case Want.message:
        this.messages++
        return
      case Want.statement:
        this.draft = new CamtDraft(line)
        if (this.drafts.length >= maxRows) {
          this.notes.fail({ line, element: "Stmt" }, `more than ${maxRows} statements in one file: split it by period`)
        }
        return
      case Want.balance:
        this.balance = {
          type: "",
          amount: undefined,
          amountText: "",
          currency: undefined,
          side: "",
          date: undefined
        }
        return
      case Want.balanceAmount:
        if (this.balance !== undefined) this.balance.currency = this.currencyOf(this.attribute("Ccy"))
        return
      case Want.entry:
        if (++this.rowCount > maxRows && this.take === undefined) {
          this.notes.fail({ line, element: "Ntry" }, `more than ${maxRows} rows in one file: split it by period`)
        }
        this.entry = new CamtEntry(line)
        return
      case Want.amount: {
        const code = this.attribute("Ccy")
        const currency = code === "" ? "" : this.currencyOf(code)
        if (currency === undefined) this.entry?.fail("Ntry.Amt", `"${code.slice(0, 40)}" is not a currency`)
        else if (this.entry !== undefined) this.entry.currency = currency
        return
      }
      case Want.details:
        this.entry?.beginPayment()
    }
  }

  end(wanted: number, text: string, start: number, end: number): void {
    if (wanted >= Want.details) {
      if (this.entry?.payment !== undefined && wanted !== Want.details)
        this.detail(wanted, text.slice(start, end), text, start, end)
      return
    }
    if (wanted >= Want.entry) return this.entryPart(wanted, text, start, end)
    const { balance, draft } = this
    if (draft === undefined) return
    switch (wanted) {
      case Want.statement:
        return this.endStatement(draft)
      case Want.statementMade:
        draft.made = camtDate(text, start, end)
        return
      case Want.from:
        draft.from = camtDate(text, start, end)
        return
      case Want.to:
        draft.to = camtDate(text, start, end)
        return
      case Want.accountNumber:
        if (draft.number === "") draft.number = text.slice(start, Math.min(end, start + 100))
        return
      case Want.accountCurrency:
        draft.currency = this.currencyOf(text.slice(start, end))
        return
      case Want.accountName:
        draft.name = text.slice(start, end)
        return
      case Want.accountType:
        draft.type = accountTypes.get(text.slice(start, end)) ?? "unknown"
        return
      case Want.bank:
        if (draft.bankId === "") draft.bankId = text.slice(start, Math.min(end, start + 100))
        return
      case Want.entryCount:
        if (end > start && end - start < 10) draft.stated = Number(text.slice(start, end))
        return
    }
    if (balance === undefined) return
    switch (wanted) {
      case Want.balance:
        return this.endBalance(draft, balance)
      case Want.balanceType:
        balance.type = text.slice(start, end)
        return
      case Want.balanceAmount:
        balance.amountText = text.slice(start, end)
        balance.amount = plainAmount(text, start, end)
        return
      case Want.balanceSide:
        balance.side = text.slice(start, end)
        return
      case Want.balanceDate:
        balance.date = camtDate(text, start, end)
    }
  }

  private currencyOf(code: string): Currency.Currency | undefined {
    if (this.currencies.has(code)) return this.currencies.get(code)
    const currency = Currency.parse(code)
    if (this.currencies.size < 1_000) this.currencies.set(code, currency)
    return currency
  }

  private entryPart(wanted: number, text: string, start: number, end: number): void {
    const { entry } = this
    if (entry === undefined) return
    switch (wanted) {
      case Want.entry:
        return this.endEntry(entry)
      case Want.entryReference:
        entry.reference = text.slice(start, end)
        return
      case Want.amount:
        return entry.readAmount(text, start, end)
      case Want.side:
        entry.side = text.slice(start, end)
        return
      case Want.isReversal:
        entry.isReversal = end > start && (text.charCodeAt(start) | 32) === 116
        return
      case Want.status:
        if (end > start) entry.status = text.slice(start, end).toUpperCase()
        return
      case Want.booked:
        entry.booked = this.dateOf(entry, "Ntry.BookgDt", text, start, end)
        return
      case Want.valued:
        entry.valued = camtDate(text, start, end)
        return
      case Want.bankReference:
        entry.bankReference = text.slice(start, end)
        return
      case Want.domain:
        entry.domain = text.slice(start, end)
        return
      case Want.family:
        entry.family = text.slice(start, end)
        return
      case Want.subFamily:
        entry.subFamily = text.slice(start, end)
        return
      case Want.ownCode:
        entry.ownCode = text.slice(start, end)
        return
      case Want.information:
        entry.information = text.slice(start, end)
    }
  }

  private dateOf(entry: CamtEntry, element: string, text: string, start: number, end: number) {
    const date = camtDate(text, start, end)
    if (date === undefined) entry.fail(element, `"${text.slice(start, Math.min(end, start + 40))}" is not a date`)
    return date
  }

  private detail(wanted: number, value: string, text: string, start: number, end: number): void {
    const payment = this.entry!.payment!
    switch (wanted) {
      case Want.detailReference:
        if (payment.reference === "") payment.reference = value
        return
      case Want.endToEnd:
        payment.endToEnd = value
        return
      case Want.cheque:
        payment.cheque = value
        return
      case Want.detailBankReference:
        payment.bankReference = value
        return
      case Want.debtor:
        payment.debtor = value
        return
      case Want.creditor:
        payment.creditor = value
        return
      case Want.purpose:
        return payment.addPurpose(value)
      case Want.creditorReference:
        if (payment.creditorReference === "") payment.creditorReference = value
        return
      case Want.detailInformation:
        payment.information = value
        return
      case Want.happened:
        payment.happened ??= camtDate(text, start, end)
        return
      case Want.detailDomain:
        payment.domain = value
        return
      case Want.detailFamily:
        payment.family = value
        return
      case Want.detailSubFamily:
        payment.subFamily = value
        return
      case Want.detailOwnCode:
        payment.ownCode = value
        return
      case Want.returnInformation:
        payment.returnInformation = value
    }
  }

  private endBalance(draft: CamtDraft, balance: CamtBalance): void {
    this.balance = undefined
    const { amount, amountText, currency, date, side, type } = balance
    if (amount === undefined || Decimal.wholeDigits(amount) > limits.amountWholeDigits) {
      this.notes.warn(draft.line, `Bal.Amt "${amountText.slice(0, 40)}" of ${type} is not an amount: left out`)
      return
    }
    const signed = side === "DBIT" ? Decimal.negate(amount) : amount
    draft.currency ??= currency
    if (type === "OPBD" || type === "PRCD") {
      // The opening balance of the day is the closing one of the day before; some banks state both.
      if (draft.openingType === "OPBD") return
      draft.opening = signed
      draft.openingDate = date
      draft.openingType = type
    } else if (type === "CLBD" || type === "ITBD") {
      if (draft.closingType === "CLBD" && type === "ITBD") return
      draft.closing = signed
      draft.closingDate = date
      draft.closingType = type
    } else if (type === "CLAV" || type === "ITAV") draft.available = signed
  }

  private endEntry(entry: CamtEntry): void {
    this.entry = undefined
    const { draft } = this
    if (draft === undefined) return
    draft.entries++
    const row = entry.end(draft.made, (message) => this.notes.warn(entry.line, message))
    if (row === "information") {
      draft.information++
      return
    }
    if ("element" in row) {
      draft.refused++
      this.notes.refuse({ line: entry.line, element: row.element }, row.message)
      return
    }
    const { status } = entry
    if (status !== "" && status !== "BOOK" && !row.pending) {
      this.notes.warn(entry.line, `Ntry.Sts "${status.slice(0, 40)}" is not known: taken for booked`)
    }
    draft.add(row, this.take)
  }

  private endStatement(draft: CamtDraft): void {
    this.draft = undefined
    // An IBAN tells its bank.
    if (parseIban(draft.number) !== undefined) draft.bankId = ""
    const { entries, information, line, stated } = draft
    if (information > 0) {
      this.notes.warn(line, `${information} entries of status INFO are no bookings: they give no row`)
    }
    if (stated !== undefined && stated !== entries) {
      this.notes.warn(line, `TxsSummry states ${stated} entries, the statement has ${entries}`)
    }
    this.drafts.push(draft)
  }

  /** The accounts, once all elements were reported. */
  accounts(): ReadonlyArray<StatementAccount> | StatementFault {
    const accounts = accountsOf(this.drafts, this.base, this.notes)
    if (!(accounts instanceof StatementFault) && accounts.length > maxAccounts) {
      return new StatementFault({ message: `more than ${maxAccounts} accounts in one file`, line: 1, element: "Acct" })
    }
    return accounts
  }
}
