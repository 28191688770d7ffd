/** From Fiskil's transactions to ours. Amounts have our signs (CDR): negative where money leaves the account. */
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import type { ObservedRecord } from "@millrace/core/provider"
import { categories, type TransactionType } from "@millrace/core/record"
import type { FiskilTransaction } from "./FiskilAnswers.ts"

/** Types of the Consumer Data Right; others say nothing that we have a word for. */
const types: Readonly<Record<string, TransactionType>> = {
  DIRECT_DEBIT: "DIRECT_DEBIT",
  FEE: "FEE",
  INTEREST_CHARGED: "INTEREST",
  INTEREST_PAID: "INTEREST",
  PAYMENT: "PAYMENT",
  TRANSFER_INCOMING: "TRANSFER_INCOMING",
  TRANSFER_OUTGOING: "TRANSFER_OUTGOING"
}

/** The zone whose day it is where a pending row has none: the east of Australia. */
const zone = "Australia/Sydney"

const text = (value: string | null | undefined): string => (value ?? "").trim()

/** No zone is converted: the day is the one that the institution wrote. */
const dayOf = (value: string | null | undefined): CalendarDate.CalendarDate | undefined =>
  CalendarDate.ofText(text(value))

/** The day of a row, as Fiskil filters by it: of booking, else of execution; at last that of value. */
export const dateOf = (row: FiskilTransaction): CalendarDate.CalendarDate | undefined =>
  dayOf(row.posting_date_time) ?? dayOf(row.execution_date_time) ?? dayOf(row.value_date_time)

/** `undefined` for a booked row without a day: it has no place in a ledger. */
export const transaction = (
  row: FiskilTransaction,
  accountCurrency: Currency.Currency,
  now: number
): ObservedRecord | undefined => {
  const pending = row.status === "PENDING"
  // Banks give pending rows no day: it is the one on which they are seen.
  const date = dateOf(row) ?? (pending ? CalendarDate.inZone(now, zone) : undefined)
  if (date === undefined) return undefined
  const { amount } = row
  const isSpent = Decimal.isNegative(amount)
  const executed = dayOf(row.execution_date_time)
  const merchant = text(row.merchant_name)
  const description = text(row.description)
  const primary = text(row.category?.primary_category)
  const type = text(row.type)
  const shown = [description, merchant, text(row.reference), type].find((one) => one !== "") ?? "Transaction"
  return {
    providerAccountId: row.account_id,
    providerId: row.fiskil_id,
    pending,
    fields: {
      date,
      ...(executed === undefined ? {} : { authorizedDate: executed }),
      description: shown,
      originalDescription: shown,
      ...(merchant === "" ? {} : { merchantName: merchant }),
      amount,
      creditAmount: isSpent ? Decimal.zero : amount,
      debitAmount: isSpent ? Decimal.negate(amount) : Decimal.zero,
      currency: Currency.parse(text(row.currency)) ?? accountCurrency,
      category: categories.find((category) => category === primary) ?? "UNCATEGORIZED",
      type: Object.hasOwn(types, type) ? types[type]! : "OTHER",
      reference: text(row.reference),
      pending
    }
  }
}
