/** Builds the accounts of a QIF file from its records. */
import { type Currency, Decimal, limits } from "@millrace/core"
import { parseIban } from "@millrace/core/bank"
import type { CsvOptions } from "@millrace/core/feed"
import { StatementDraft, type TakeRow } from "./AccountStatements.ts"
import { summaryOf } from "./CsvSummaries.ts"
import { accountTypeOf, isVoid } from "./CsvWords.ts"
import { investmentAction } from "./QifInvestment.ts"
import { type QifRecord, sectionOf } from "./QifRecords.ts"
import type { QifValues } from "./QifValues.ts"
import type { ReaderNotes } from "./ReaderNotes.ts"
import { StatedRow } from "./StatedRow.ts"
import { maxAccounts, maxRows } from "./StatementLimits.ts"
import { joinDistinct, meaningful, ownText, tidy } from "./Wording.ts"

const transferTo = /^\[(.*)\]/

const kindsOfNumber: ReadonlyMap<string, readonly [incoming: string, outgoing: string]> = new Map([
  ["atm", ["OTHER", "ATM"]],
  ["eft", ["TRANSFER_INCOMING", "TRANSFER_OUTGOING"]],
  ["xfer", ["TRANSFER_INCOMING", "TRANSFER_OUTGOING"]],
  ["txfr", ["TRANSFER_INCOMING", "TRANSFER_OUTGOING"]],
  ["dep", ["OTHER", "OTHER"]]
])

const typeOf = (number: string, category: string, negative: boolean): string => {
  const side = negative ? 1 : 0
  const named = kindsOfNumber.get(number.toLowerCase())
  if (named !== undefined) return named[side]
  if (transferTo.test(category)) return negative ? "TRANSFER_OUTGOING" : "TRANSFER_INCOMING"
  return negative && /^\d{1,8}$/.test(number) && !/^0+$/.test(number) ? "CHECK" : "OTHER"
}

export class QifStatement {
  readonly drafts: Array<StatementDraft> = []
  read = 0
  private readonly notes: ReaderNotes
  private readonly values: QifValues
  readonly currency: Currency.Currency
  private readonly options: CsvOptions
  private readonly takeRow: TakeRow | undefined
  private draft: StatementDraft | undefined
  /** The account that the next section is of. */
  private named: QifRecord | undefined
  private isListed = false
  private section: QifRecord["section"] | undefined
  private rows = 0
  private skippedActions = 0
  private split = 0
  private readonly skippedSections = new Map<string, number>()

  /** The rows stay with their account, unless `takeRow` is given. */
  constructor(
    notes: ReaderNotes,
    values: QifValues,
    currency: Currency.Currency,
    options: CsvOptions,
    takeRow?: TakeRow
  ) {
    this.notes = notes
    this.values = values
    this.currency = currency
    this.options = options
    this.takeRow = takeRow
  }

  take(record: QifRecord): void {
    const { section } = record
    if (section !== this.section) {
      this.section = section
      // The same account goes on behind a list of categories.
      if (section.kind === "accounts") this.isListed = true
      else if (section.kind !== "other" && (this.isListed || this.draft === undefined)) this.begin(record)
      else if (section.kind !== "other" && this.draft?.type !== section.accountType && this.named === undefined)
        this.begin(record)
    }
    if (section.kind === "accounts") {
      this.named = record
      this.isListed = true
    } else if (section.kind === "other") {
      this.skippedSections.set(ownText(section.name), (this.skippedSections.get(section.name) ?? 0) + 1)
    } else this.movement(record)
  }

  /** Tells what gave no row. */
  end(): void {
    if (this.skippedActions > 0) {
      this.notes.say(`${this.skippedActions} movements of securities without cash effect give no row`)
    }
    if (this.split > 0) {
      this.notes.say(`${this.split} rows are split over several categories: each is one row, without a category`)
    }
    for (const [name, count] of this.skippedSections) {
      if (/^(?:cat|class|memorized|security|prices|budget|invitem|template|tax)$/i.test(name)) continue
      this.notes.say(`!Type:${name.slice(0, 40)} holds no movements of an account: ${count} records skipped`)
    }
  }

  private begin(record: QifRecord): void {
    if (this.drafts.length >= maxAccounts) {
      return this.notes.fail({ line: record.line }, `more than ${maxAccounts} accounts in one file`)
    }
    const draft = new StatementDraft(record.line)
    const account = this.named?.fields
    const name = ownText(account?.get("N")?.text ?? "")
    const stated = account?.get("T")?.text
    const byName = accountTypeOf(name)
    const own = stated === undefined ? record.section : sectionOf(stated)
    const kind = own.kind === "other" ? record.section : own
    draft.type = kind.accountType !== "unknown" ? kind.accountType : byName
    draft.currency = this.currency
    const { accountNumber } = this.options
    if (accountNumber !== undefined) draft.number = accountNumber
    else if (parseIban(name) !== undefined || isNumber(name)) draft.number = name
    draft.name = draft.number === name ? "" : name
    const balance = account?.get("$")
    const day = account?.get("/")
    if (balance !== undefined && day !== undefined) {
      draft.closing = this.values.amount(balance.text)
      draft.closingDate = this.values.date(day.text)
    }
    this.drafts.push(draft)
    this.draft = draft
    this.isListed = false
  }

  private refuse(line: number, element: string, message: string): void {
    this.draft!.refused++
    this.notes.refuse({ line, element }, message)
  }

  private movement(record: QifRecord): void {
    const { fields, line, section } = record
    const draft = this.draft!
    if (++this.rows > maxRows && this.takeRow === undefined) {
      return this.notes.fail({ line }, `more than ${maxRows} rows in one file: split it by period`)
    }
    const field = (letter: string): string => fields.get(letter)?.text ?? ""
    const dateText = fields.get("D")
    // Some programs write the amount twice, the second time with more digits.
    const amountField = fields.get("U") ?? fields.get("T") ?? fields.get("$")
    const isInvestment = section.kind === "investments"
    const action = isInvestment ? investmentAction(field("N")) : undefined
    if (isInvestment && action === undefined && amountField !== undefined) {
      return this.refuse(line, "N", `the action "${field("N").slice(0, 40)}" is not known`)
    }
    if (action?.cash === "none" || (isInvestment && amountField === undefined)) {
      this.skippedActions++
      return
    }
    if (dateText === undefined) return this.refuse(line, "D", "the row has no date")
    const date = this.values.date(dateText.text)
    if (date === undefined) return this.refuse(dateText.line, "D", `"${dateText.text.slice(0, 40)}" is not a date`)
    const category = field("L")
    const payee = field("P")
    if (isVoid(payee) && payee.startsWith("*")) return this.notes.warn(line, `"${payee.slice(0, 40)}", row skipped`)
    if (amountField === undefined || amountField.text === "") {
      return this.notes.warn(line, "without an amount, row skipped")
    }
    let amount = this.values.amount(amountField.text)
    if (amount === undefined) {
      return this.refuse(amountField.line, "T", `"${amountField.text.slice(0, 40)}" is not an amount`)
    }
    if (Decimal.wholeDigits(amount) > limits.amountWholeDigits) {
      const most = `at most ${limits.amountWholeDigits} digits`
      return this.refuse(amountField.line, "T", `"${amountField.text.slice(0, 40)}" is too large: ${most}`)
    }
    if (action?.cash === "adds") amount = Decimal.abs(amount)
    else if (action?.cash === "takes") amount = Decimal.negate(Decimal.abs(amount))
    else if (this.options.negate === true) amount = Decimal.negate(amount)
    const own = transferTo.exec(category)?.[1]
    if (!isInvestment && draft.count === 0 && summaryOf(payee) === "opening" && isOwn(own, draft.name)) {
      // The first record of an account says what it began with, and its name.
      draft.opening = amount
      draft.openingDate = date
      if (draft.name === "" && draft.number === "" && own !== undefined) draft.name = ownText(own)
      return this.notes.warn(line, `"${payee.slice(0, 40)}" is the opening balance, not a movement`)
    }
    this.read++
    const memo = field("M")
    const number = field("N")
    const security = isInvestment ? securityText(number, field("Y"), field("Q"), field("I")) : ""
    const text = payee === "" ? (security === "" ? memo : security) : payee
    draft.add(
      new StatedRow(
        line,
        "",
        date,
        amount,
        amountField.text,
        this.currency,
        tidy(text),
        joinDistinct(joinDistinct(text, security), memo),
        action?.type ?? typeOf(number, category, Decimal.isNegative(amount)),
        isInvestment ? "" : meaningful(number),
        false,
        "",
        this.categoryOf(record, category, amount)
      ),
      this.takeRow
    )
  }

  /** The category of a row: that of its splits where all of them have one. */
  private categoryOf({ line, splits }: QifRecord, category: string, amount: Decimal.Decimal): string {
    if (splits.length === 0) return transferTo.test(category) ? "" : category
    const parts = splits.flatMap(({ amount: text }) => (text === "" ? [] : (this.values.amount(text) ?? [])))
    const sum = Decimal.sum(parts)
    if (parts.length > 0 && sum !== amount && Decimal.negate(sum) !== amount) {
      this.notes.warn(line, `the splits come to ${sum}, the row to ${amount}: the row counts`)
    }
    const categories = new Set(splits.map((split) => split.category))
    if (categories.size > 1) {
      this.split++
      return ""
    }
    const only = splits[0]!.category
    return transferTo.test(only) ? "" : only
  }
}

/** Whether an account is called by its number. */
const isNumber = (name: string): boolean =>
  /^[\dA-Z\s./-]{5,40}$/.test(name) && (name.match(/\d/g)?.length ?? 0) >= 5 && (name.match(/[A-Z]/g)?.length ?? 0) <= 2

const isOwn = (account: string | undefined, name: string): boolean =>
  account === undefined || name === "" || account.toLowerCase() === name.toLowerCase()

const securityText = (action: string, security: string, quantity: string, price: string): string =>
  [action, quantity, security, price === "" || security === "" ? "" : `@ ${price}`]
    .filter((text) => text !== "")
    .join(" ")
