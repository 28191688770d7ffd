/** Accounts of a connection, with their balances; and loans, which are accounts with more of them told. */
import { CalendarDate, Currency, Decimal, type DecimalText, Timestamp } from "@millrace/core"
import {
  type AccountType,
  isLiability,
  type ObservedAccount,
  type ObservedRecord,
  type Translated
} from "@millrace/core/provider"
import * as Result from "effect/Result"
import { accountKey, currencyOf, wordsOf } from "../upstream/Texts.ts"
import { amountIn, wordsIn } from "./Extras.ts"
import type { Account } from "./Forms.ts"
import { idOf } from "./Ids.ts"

const types: Readonly<Record<string, AccountType>> = {
  account: "checking",
  bonus: "other",
  card: "checking",
  checking: "checking",
  credit: "line_of_credit",
  credit_card: "credit_card",
  debit_card: "checking",
  ewallet: "other",
  insurance: "other",
  investment: "investment",
  loan: "loan",
  mortgage: "mortgage",
  savings: "savings"
}

const typeOf = ({ nature }: Account): AccountType =>
  nature !== undefined && nature !== null && Object.hasOwn(types, nature) ? types[nature]! : "unknown"

const isLoan = (type: AccountType): boolean => type === "loan" || type === "mortgage"

/**
 * The net position. Most banks write a debt as a negative number; some write what is owed. A loan is always a debt, and of
 * other debts the limit and what is left of it tell which of the two it is.
 */
const positionOf = (
  type: AccountType,
  balance: DecimalText,
  limit: DecimalText | undefined,
  available: DecimalText | undefined
): DecimalText => {
  if (!isLiability(type) || Decimal.sign(balance) <= 0) return balance
  if (isLoan(type)) return Decimal.negate(balance)
  const isOwed = limit !== undefined && available !== undefined && Decimal.subtract(limit, balance) === available
  return isOwed ? Decimal.negate(balance) : balance
}

/** Letters and digits alone: banks put blanks where they like. */
const plain = (text: string): string => text.replaceAll(/[\s.-]/g, "").toUpperCase()

/** Keys by which the account is known again under another id; full numbers are never kept. */
const keysOf = (account: Account, id: string, provider: string): ReadonlyArray<string> => {
  const { extra } = account
  const iban = wordsIn(extra, "iban")
  const number = wordsIn(extra, "account_number")
  const branch = wordsIn(extra, "sort_code") ?? wordsIn(extra, "routing_number") ?? wordsIn(extra, "bsb") ?? ""
  const currency = account.currency_code
  return [
    // One IBAN may stand for an account in each of several currencies.
    ...(iban === undefined ? [] : [accountKey("iban", plain(iban), currency)]),
    ...(number === undefined ? [] : [accountKey("number", provider, plain(branch), plain(number), currency)]),
    id
  ]
}

const firstCard = (account: Account): string | undefined => {
  const cards = account.extra?.["cards"]
  const first: unknown = Array.isArray(cards) ? cards[0] : undefined
  return typeof first === "string" ? wordsOf(first) : undefined
}

export interface AccountContext {
  /** The code of the bank at Salt Edge: numbers are its own. */
  readonly provider: string
  /** When the bank was read last. */
  readonly readAt: Timestamp.Timestamp | undefined
  /** Whether the consent is about transactions as well. */
  readonly hasTransactions: boolean
}

/** An account as the port shows it. */
export const observedAccount =
  ({ hasTransactions, provider, readAt }: AccountContext) =>
  (account: Account): Translated<ObservedAccount> => {
    const id = idOf(account.id, account.account_id)
    if (id === undefined) return Result.fail("id is none of Salt Edge's")
    const currency = currencyOf(account.currency_code)
    if (currency === undefined) return Result.fail("currency_code is no code")
    const { extra } = account
    const type = typeOf(account)
    const limit = amountIn(extra, "credit_limit")
    const available = amountIn(extra, "available_amount")
    const written = wordsOf(account.name)
    return Result.succeed({
      providerAccountId: id,
      stableKeys: keysOf(account, id, provider),
      number: wordsIn(extra, "iban") ?? wordsIn(extra, "account_number") ?? firstCard(account) ?? "",
      name: wordsIn(extra, "account_name") ?? written ?? "Account",
      type,
      ...(wordsOf(account.nature) === undefined ? {} : { subtype: wordsOf(account.nature)! }),
      currency,
      balance: Currency.toMinorUnit(positionOf(type, account.balance, limit, available), currency),
      ...(available === undefined ? {} : { availableBalance: Currency.toMinorUnit(available, currency) }),
      ...(limit === undefined ? {} : { creditLimit: Currency.toMinorUnit(limit, currency) }),
      ...(readAt === undefined ? {} : { balanceAsOf: readAt }),
      supports: [
        "balances",
        ...(hasTransactions ? (["transactions"] as const) : []),
        ...(isLoan(type) ? (["loans"] as const) : [])
      ]
    })
  }

/** What an account says of the loan that it is. */
export const loanRecord = (
  account: Account,
  { balance, currency, providerAccountId }: ObservedAccount
): ObservedRecord => {
  const { extra } = account
  const rate = amountIn(extra, "interest_rate")
  const payment = amountIn(extra, "next_payment_amount")
  const due = CalendarDate.ofText(wordsIn(extra, "next_payment_date") ?? "")
  return {
    providerAccountId,
    providerId: providerAccountId,
    pending: false,
    fields: {
      loanType: wordsIn(extra, "loan_type") ?? account.nature ?? "loan",
      principalBalance: Decimal.abs(balance),
      ...(rate === undefined ? {} : { interestRatePercentage: rate }),
      ...(payment === undefined ? {} : { nextPaymentAmount: Decimal.abs(payment) }),
      ...(due === undefined ? {} : { nextPaymentDueDate: due }),
      currency
    }
  }
}
