/** Accounts of a connection, with their balances. */
import { Currency, type DecimalText } from "@millrace/core"
import type { AccountType, ObservedAccount, Translated } from "@millrace/core/provider"
import * as Result from "effect/Result"
import type { Account, CashBalance } from "./Forms.ts"
import { accountKey, currencyOf, wordsOf } from "../upstream/Texts.ts"
import { instantOf } from "../upstream/UpstreamForm.ts"

/** What an account is, by its category; accounts of no known category are those of a broker. */
export type Sort = "investment" | "deposit" | "credit"

const sortOf = ({ account_category }: Account): Sort =>
  account_category === "DEPOSIT" ? "deposit" : account_category === "LOC" ? "credit" : "investment"

/** Of the words that brokers use for a kind of account, the first that fits. */
const investmentTypes: ReadonlyArray<readonly [RegExp, AccountType]> = [
  [
    /\b(401|403|457|ira|roth|rrsp|rrif|lira|lif|lrsp|rsp|sipp|sep|simple|pension|retirement|superannuation|keogh)/i,
    "retirement"
  ],
  [/crypto|wallet|\bcoin/i, "crypto"],
  [/cash management|\bcma\b/i, "cash_management"],
  [/margin|cash|individual|joint|taxable|brokerage|tfsa|fhsa|resp|isa|custodial|trust|trading/i, "brokerage"]
]
const depositTypes: ReadonlyArray<readonly [RegExp, AccountType]> = [
  [/money\s*market/i, "money_market"],
  [/certificate|\bcd\b|term deposit/i, "cd"],
  [/saving/i, "savings"],
  [/cash management|\bcma\b/i, "cash_management"],
  [/prepaid/i, "prepaid"]
]
const creditTypes: ReadonlyArray<readonly [RegExp, AccountType]> = [
  [/mortgage/i, "mortgage"],
  [/card/i, "credit_card"],
  [/loan/i, "loan"]
]

const bySort: { readonly [S in Sort]: readonly [ReadonlyArray<readonly [RegExp, AccountType]>, AccountType] } = {
  investment: [investmentTypes, "investment"],
  deposit: [depositTypes, "checking"],
  credit: [creditTypes, "line_of_credit"]
}

const typeOf = (account: Account): AccountType => {
  const [words, otherwise] = bySort[sortOf(account)]
  const raw = (account.raw_type ?? "").replaceAll("_", " ")
  return words.find(([form]) => form.test(raw))?.[1] ?? otherwise
}

/** Whether the broker keeps what is in the account to itself: then an empty list does not mean that it is empty. */
const hidesHoldings = (account: Account): boolean => account.sync_status?.holdings?.holdings_unavailable === true

/** Whether the first reading of the account's holdings is over. */
export const hasHoldings = (account: Account): boolean =>
  account.sync_status?.holdings?.initial_sync_completed === true && !hidesHoldings(account)

const supportsOf = (account: Account): ObservedAccount["supports"] =>
  sortOf(account) !== "investment"
    ? ["balances", "transactions"]
    : hidesHoldings(account)
      ? ["balances", "trades", "orders"]
      : ["balances", "trades", "holdings", "orders"]

/** The cash of an account in its currency, where there is a row of it. */
const cashIn = (balances: ReadonlyArray<CashBalance>, currency: Currency.Currency): CashBalance | undefined =>
  balances.find((balance) => currencyOf(balance.currency?.code) === currency)

const totalOf = (
  account: Account,
  balances: ReadonlyArray<CashBalance>
): { readonly amount: DecimalText; readonly currency: Currency.Currency } | undefined => {
  const { amount, currency } = account.balance?.total ?? {}
  const known = currencyOf(currency)
  if (typeof amount === "string" && known !== undefined) return { amount, currency: known }
  // Without a total, cash in one currency is all that there is to go by.
  const [only, ...others] = balances
  const its = currencyOf(only?.currency?.code)
  return others.length === 0 && typeof only?.cash === "string" && its !== undefined
    ? { amount: only.cash, currency: its }
    : undefined
}

/** An account as the port shows it. One without a known amount cannot be shown. */
export const observedAccount = (
  account: Account,
  balances: ReadonlyArray<CashBalance>,
  /** The slug of the institution: its ids are its own. */
  institution: string
): Translated<ObservedAccount> => {
  const total = totalOf(account, balances)
  if (total === undefined) return Result.fail("balance.total is not known")
  const { amount, currency } = total
  const cash = cashIn(balances, currency)
  const available = cash?.buying_power ?? cash?.cash ?? undefined
  const asOf = instantOf(account.sync_status?.holdings?.last_successful_sync)
  const number = wordsOf(account.number) ?? ""
  const own = wordsOf(account.institution_account_id)
  return Result.succeed({
    providerAccountId: account.id,
    // A new connection gives new ids; the institution's own id stays.
    stableKeys: own === undefined ? [account.id] : [accountKey(institution, own), account.id],
    number,
    name: wordsOf(account.name) ?? wordsOf(account.raw_type) ?? "Account",
    type: typeOf(account),
    ...(wordsOf(account.raw_type) === undefined
      ? account.is_paper === true
        ? { subtype: "paper" }
        : {}
      : { subtype: wordsOf(account.raw_type)! }),
    currency,
    balance: Currency.toMinorUnit(amount, currency),
    ...(typeof available === "string" ? { availableBalance: Currency.toMinorUnit(available, currency) } : {}),
    ...(asOf === undefined ? {} : { balanceAsOf: asOf }),
    supports: supportsOf(account)
  })
}
