/** The entry of a CAMT message that is being read: one booking, with the payments that it is made of. */
import { CalendarDate, type Currency, Decimal, limits } from "@millrace/core"
import { plainAmount } from "./AmountText.ts"
import { typeOfDomain, typeOfProprietary } from "./BankCodes.ts"
import { meaningfulReference } from "./Mt940Entry.ts"
import { StatedRow } from "./StatedRow.ts"
import { joinDistinct, tidy } from "./Wording.ts"

/** Payments of one booking whose texts are put together, and the characters that are kept of them. */
const maxPayments = 20
const maxText = 2_000

const days = new Map<string, CalendarDate.CalendarDate | undefined>()
const maxDays = 20_000

/** The day of an ISO date or instant, as written: no zone is converted. */
export const camtDate = (text: string, start: number, end: number): CalendarDate.CalendarDate | undefined => {
  const length = end - start
  if (length < 10) return undefined
  // Behind the day: the end, a time or a zone.
  if (length > 10) {
    const c = text.charCodeAt(start + 10)
    if (c !== 84 && c !== 90 && c !== 43 && c !== 45 && c !== 32) return undefined
  }
  const day = text.slice(start, start + 10)
  if (days.has(day)) return days.get(day)
  const date = CalendarDate.parse(day)
  if (days.size >= maxDays) days.clear()
  days.set(day, date)
  return date
}

/** Why an entry cannot be read, and which element says so. */
export interface CamtProblem {
  readonly element: string
  readonly message: string
}

/** What one payment of an entry says. */
class CamtPayment {
  reference = ""
  endToEnd = ""
  cheque = ""
  bankReference = ""
  debtor = ""
  creditor = ""
  purpose = ""
  creditorReference = ""
  information = ""
  returnInformation = ""
  happened: CalendarDate.CalendarDate | undefined
  domain = ""
  family = ""
  subFamily = ""
  ownCode = ""

  addPurpose(text: string): void {
    if (this.purpose.length < maxText) this.purpose = joinDistinct(this.purpose, text)
  }
}

/** A place in the list is no id: banks number the entries of a statement. */
const isCounter = /^\d{1,6}$/

const pending = new Set(["PDNG", "FUTR"])

/** What of an entry becomes a row: the booking, or why there is none. */
export type CamtOutcome = StatedRow | CamtProblem | "information"

export class CamtEntry {
  line = 0
  reference = ""
  amountText = ""
  amount: Decimal.Decimal | undefined
  currency: Currency.Currency | "" = ""
  side = ""
  isReversal = false
  status = ""
  booked: CalendarDate.CalendarDate | undefined
  valued: CalendarDate.CalendarDate | undefined
  bankReference = ""
  domain = ""
  family = ""
  subFamily = ""
  ownCode = ""
  information = ""
  problem: CamtProblem | undefined
  payments = 0
  private readonly kept: Array<CamtPayment> = []
  payment: CamtPayment | undefined

  constructor(line: number) {
    this.line = line
  }

  /** The next payment of the booking. */
  beginPayment(): void {
    this.payments++
    this.payment = new CamtPayment()
    if (this.kept.length < maxPayments) this.kept.push(this.payment)
  }

  readAmount(text: string, start: number, end: number): void {
    this.amountText = text.slice(start, end)
    this.amount = plainAmount(text, start, end)
    const shown = `"${this.amountText.slice(0, 40)}"`
    if (this.amount === undefined) this.fail("Ntry.Amt", `${shown} is not an amount`)
    else if (Decimal.wholeDigits(this.amount) > limits.amountWholeDigits) {
      this.fail("Ntry.Amt", `${shown} is too large: at most ${limits.amountWholeDigits} digits`)
    }
  }

  fail(element: string, message: string): void {
    this.problem ??= { element, message }
  }

  /** Who the other side is: of money that leaves it is the creditor, unless the entry takes a payment back. */
  private otherSide(leaves: boolean): string {
    const isCreditor = leaves !== this.isReversal
    let name = ""
    for (const { creditor, debtor } of this.kept) {
      const own = isCreditor ? creditor : debtor
      if (own === "" || own === name) continue
      // Several of them are nobody's payment.
      if (name !== "") return ""
      name = own
    }
    return name
  }

  private text(): string {
    let purpose = ""
    let information = ""
    for (const payment of this.kept) {
      if (purpose.length < maxText) {
        const own = payment.purpose === "" ? payment.creditorReference : payment.purpose
        purpose = joinDistinct(purpose, joinDistinct(own, payment.returnInformation))
      }
      if (information.length < maxText) information = joinDistinct(information, payment.information)
    }
    return purpose === "" ? joinDistinct(information, this.information) : purpose
  }

  private kind(negative: boolean): string {
    const [only] = this.kept.length === 1 ? this.kept : []
    const code = only !== undefined && only.domain !== "" ? only : this
    const own = this.ownCode === "" ? (only?.ownCode ?? "") : this.ownCode
    return (
      typeOfDomain(code.domain, code.family, code.subFamily, negative) ?? typeOfProprietary(own, negative) ?? "OTHER"
    )
  }

  /**
   * The booking as one row, however many payments it is made of: every statement of the account shows it as one. `made`
   * is the day of the message, for what is not booked yet. A row without a currency has an empty one.
   */
  end(made: CalendarDate.CalendarDate | undefined, warn: (message: string) => void): CamtOutcome {
    const { status } = this
    if (status === "INFO") return "information"
    if (this.amountText === "") this.fail("Ntry.Amt", "the entry has no amount")
    if (this.side !== "CRDT" && this.side !== "DBIT") {
      this.fail(
        "Ntry.CdtDbtInd",
        this.side === "" ? "the entry does not say whether it is a credit or a debit" : `"${this.side}" is no side`
      )
    }
    const only = this.kept.length === 1 ? this.kept[0] : undefined
    let date = this.booked ?? this.valued
    if (date === undefined && this.problem === undefined) {
      date = only?.happened ?? made
      if (date === undefined) this.fail("Ntry.BookgDt", "the entry has no date")
      else warn(`the entry has neither BookgDt nor ValDt: ${date} assumed, the day of the message`)
    }
    if (this.problem !== undefined) return this.problem
    const leaves = this.side === "DBIT"
    // A negative amount turns the side that is next to it.
    const amount = leaves ? Decimal.negate(this.amount!) : this.amount!
    const name = this.otherSide(leaves)
    const body = this.text()
    const reference =
      only === undefined
        ? ""
        : [only.cheque, only.endToEnd, only.creditorReference, only.reference]
            .map(meaningfulReference)
            .find((text) => text !== "")
    const counted = isCounter.test(this.reference) ? "" : this.reference
    const id = [this.bankReference, only?.bankReference ?? "", counted].map(meaningfulReference)
    const row = new StatedRow(
      this.line,
      id.find((text) => text !== "") ?? "",
      date!,
      amount,
      this.amountText,
      this.currency as Currency.Currency,
      tidy(body === "" ? name : body),
      joinDistinct(name, body),
      this.kind(Decimal.isNegative(amount)),
      reference ?? "",
      pending.has(status),
      tidy(name),
      ""
    )
    if (only?.happened !== undefined && only.happened < row.date) row.authorizedDate = only.happened
    return row
  }
}
