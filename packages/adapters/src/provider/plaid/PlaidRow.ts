/** One transaction of Plaid as a record. Plaid counts money that leaves an account as positive, whatever its type. */
import { Decimal } from "@millrace/core"
import type { ObservedRecord } from "@millrace/core/provider"
import { categories, type Category, type Fields, type TransactionType } from "@millrace/core/record"
import { currencyOf } from "../upstream/UpstreamForm.ts"
import type { PlaidTransaction } from "./PlaidForm.ts"

/** Names of Plaid's primary categories where ours are others. */
const renamed: Readonly<Record<string, Category>> = { GENERAL_SERVICES: "SERVICES" }

const known: ReadonlySet<string> = new Set(categories)

const categoryOf = (primary: string | undefined): Category =>
  primary === undefined
    ? "UNCATEGORIZED"
    : known.has(primary)
      ? (primary as Category)
      : ((Object.hasOwn(renamed, primary) ? renamed[primary] : undefined) ?? "UNCATEGORIZED")

const byCode: Readonly<Record<string, TransactionType>> = {
  atm: "ATM",
  cash: "ATM",
  "bank charge": "FEE",
  "bill payment": "PAYMENT",
  payment: "PAYMENT",
  "standing order": "PAYMENT",
  cheque: "CHECK",
  "direct debit": "DIRECT_DEBIT",
  interest: "INTEREST",
  purchase: "CARD",
  refund: "REFUND",
  cashback: "REFUND"
}

const byDetail: Readonly<Record<string, TransactionType>> = {
  INCOME_INTEREST_EARNED: "INTEREST",
  BANK_FEES_INTEREST_CHARGE: "INTEREST",
  BANK_FEES_CASH_ADVANCE: "FEE",
  TRANSFER_OUT_WITHDRAWAL: "ATM"
}

const byCategory: Readonly<Record<string, TransactionType>> = {
  BANK_FEES: "FEE",
  LOAN_PAYMENTS: "PAYMENT",
  INCOME: "DIRECT_CREDIT",
  TRANSFER_IN: "TRANSFER_INCOMING",
  TRANSFER_OUT: "TRANSFER_OUTGOING"
}

const found = <A>(table: Readonly<Record<string, A>>, key: string | null | undefined): A | undefined =>
  typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined

const typeOf = (row: PlaidTransaction, isIncoming: boolean): TransactionType => {
  const { check_number, payment_channel, personal_finance_category: category, transaction_code } = row
  if (transaction_code === "transfer") return isIncoming ? "TRANSFER_INCOMING" : "TRANSFER_OUTGOING"
  return (
    found(byCode, transaction_code) ??
    (typeof check_number === "string" && check_number.trim() !== "" ? "CHECK" : undefined) ??
    found(byDetail, category?.detailed) ??
    found(byCategory, category?.primary) ??
    // Only what was bought somewhere names a merchant.
    (typeof row.merchant_name === "string" && payment_channel !== "other" ? (isIncoming ? "REFUND" : "CARD") : "OTHER")
  )
}

const textOf = (...texts: ReadonlyArray<string | null | undefined>): string | undefined =>
  texts.find((text) => typeof text === "string" && text.trim() !== "") ?? undefined

/** The record, or what of it cannot be read. */
export const toRecord = (row: PlaidTransaction): ObservedRecord | string => {
  const currency = currencyOf(row.iso_currency_code, row.unofficial_currency_code)
  if (currency === undefined) return "iso_currency_code: is no currency"
  const original = textOf(row.original_description, row.name, row.merchant_name) ?? ""
  const amount = Decimal.negate(row.amount)
  const isOut = Decimal.isNegative(amount)
  const merchant = textOf(row.merchant_name)
  const fields: Fields = {
    date: row.date,
    ...(typeof row.authorized_date === "string" ? { authorizedDate: row.authorized_date } : {}),
    description: merchant ?? original,
    originalDescription: original,
    ...(merchant === undefined ? {} : { merchantName: merchant }),
    amount,
    creditAmount: isOut ? Decimal.zero : amount,
    debitAmount: isOut ? row.amount : Decimal.zero,
    currency,
    category: categoryOf(row.personal_finance_category?.primary),
    type: typeOf(row, !isOut),
    reference: textOf(row.payment_meta?.reference_number, row.check_number) ?? "",
    pending: row.pending
  }
  return {
    providerAccountId: row.account_id,
    providerId: row.transaction_id,
    ...(!row.pending && typeof row.pending_transaction_id === "string"
      ? { pendingProviderId: row.pending_transaction_id }
      : {}),
    pending: row.pending,
    fields
  }
}
