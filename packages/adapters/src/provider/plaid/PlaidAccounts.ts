/** Accounts of Plaid with their balances. Plaid shows debts as positive numbers; here they are negative. */
import { Currency, Decimal, type DecimalText } from "@millrace/core"
import {
  type AccountsRead,
  type AccountType,
  isLiability,
  type ObservedAccount,
  readAccounts,
  type Translated
} from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import * as Result from "effect/Result"
import { currencyOf, instantOf, shownText } from "../upstream/UpstreamForm.ts"
import { PlaidAccount as PlaidAccountForm, type PlaidAccount, type PlaidItem } from "./PlaidForm.ts"

const bySubtype: Readonly<Record<string, AccountType>> = {
  checking: "checking",
  "limited purpose checking": "checking",
  savings: "savings",
  hsa: "savings",
  cd: "cd",
  gic: "cd",
  "money market": "money_market",
  "cash management": "cash_management",
  prepaid: "prepaid",
  ebt: "prepaid",
  paypal: "other",
  "credit card": "credit_card",
  mortgage: "mortgage",
  "home equity": "line_of_credit",
  "line of credit": "line_of_credit",
  overdraft: "line_of_credit",
  brokerage: "brokerage",
  "non-taxable brokerage account": "brokerage",
  "crypto exchange": "crypto",
  "non-custodial wallet": "crypto"
}

const retirement = new Set(
  `401a|401k|403b|457b|ira|roth|roth 401k|roth 403b|roth 457b|roth pension|roth profit sharing plan|
roth thrift savings plan|simple ira|sep ira|sarsep|keogh|pension|retirement|profit sharing plan|rrsp|rrif|rlif|lif|
lira|lrif|lrsp|prif|sipp|thrift savings plan|tfsa`
    .split("|")
    .map((name) => name.trim())
)

const byType: Readonly<Record<string, AccountType>> = {
  depository: "other",
  credit: "credit_card",
  loan: "loan",
  investment: "investment",
  brokerage: "brokerage"
}

const typeOf = ({ subtype, type }: PlaidAccount): AccountType => {
  const name = (subtype ?? "").toLowerCase()
  // PayPal is a depository at times, and a card at others.
  if (type === "credit") return name === "line of credit" ? "line_of_credit" : "credit_card"
  if (type === "investment" && retirement.has(name)) return "retirement"
  const known = Object.hasOwn(bySubtype, name) ? bySubtype[name] : undefined
  // A word of a loan in an account that is none, or the other way round, would turn the sign of its balance.
  if (known !== undefined && isLiability(known) === (type === "loan")) return known
  return (Object.hasOwn(byType, type) ? byType[type] : undefined) ?? "unknown"
}

/** Whether balances of such accounts are what is owed. */
const isDebt = ({ type }: PlaidAccount): boolean => type === "credit" || type === "loan"

const productsOf = (item: PlaidItem): ReadonlySet<string> => {
  const has = [...(item.products ?? []), ...(item.billed_products ?? [])]
  // Where a person was asked for consents, a product without one cannot be begun; elsewhere all that there is can be.
  const may = item.consented_products ?? item.available_products ?? []
  return new Set([...has, ...may])
}

const liabilities = new Set(["credit card", "paypal", "student", "mortgage"])

const supportsOf = (account: PlaidAccount, products: ReadonlySet<string>): ReadonlyArray<SyncDataType> => {
  const { type } = account
  const subtype = (account.subtype ?? "").toLowerCase()
  const has: Array<SyncDataType> = ["balances"]
  const moves = type === "depository" || type === "credit" || (type === "loan" && subtype === "student")
  if (moves && products.has("transactions")) has.push("transactions")
  if ((type === "investment" || type === "brokerage") && products.has("investments")) has.push("holdings", "trades")
  if (isDebt(account) && liabilities.has(subtype) && products.has("liabilities")) has.push("loans")
  return has
}

const inMinorUnits = (amount: DecimalText, currency: Currency.Currency, isOwed: boolean): DecimalText =>
  Currency.toMinorUnit(isOwed ? Decimal.negate(amount) : amount, currency)

const keysOf = (account: PlaidAccount, item: PlaidItem): ReadonlyArray<string> => {
  const persistent = shownText(account.persistent_account_id)
  const mask = shownText(account.mask)
  const { institution_id } = item
  return [
    ...(persistent === undefined ? [] : [`plaid:${persistent}`]),
    // A new connection to the same bank has new ids: what a person would know the account by is left.
    ...(mask === undefined || typeof institution_id !== "string"
      ? []
      : [
          JSON.stringify([
            "plaid",
            institution_id,
            mask,
            account.type,
            account.subtype ?? "",
            shownText(account.official_name) ?? shownText(account.name) ?? ""
          ])
        ])
  ]
}

const observe = (account: PlaidAccount, item: PlaidItem): Translated<Omit<ObservedAccount, "stableKeys">> => {
  const { balances } = account
  const currency = currencyOf(balances.iso_currency_code, balances.unofficial_currency_code)
  // Balances that were asked of the bank just now may have only what is available.
  const current = balances.current ?? balances.available
  if (currency === undefined) return Result.fail("balances.iso_currency_code is no currency")
  if (current === undefined || current === null) return Result.fail("balances.current is missing")
  const type = typeOf(account)
  const asOf = instantOf(balances.last_updated_datetime)
  const subtype = shownText(account.subtype)
  return Result.succeed({
    providerAccountId: account.account_id,
    number: shownText(account.mask) ?? "",
    name: shownText(account.name) ?? shownText(account.official_name) ?? "Account",
    type,
    ...(subtype === undefined ? {} : { subtype }),
    currency,
    balance: inMinorUnits(current, currency, isDebt(account)),
    ...(typeof balances.available === "string"
      ? { availableBalance: inMinorUnits(balances.available, currency, false) }
      : {}),
    ...(isDebt(account) && typeof balances.limit === "string"
      ? { creditLimit: inMinorUnits(balances.limit, currency, false) }
      : {}),
    ...(asOf === undefined ? {} : { balanceAsOf: asOf }),
    supports: supportsOf(account, productsOf(item))
  })
}

const accountKeys = { id: ["account_id"], name: ["name", "official_name"] } as const

/** The accounts of an answer that have the form of accounts. */
export const accountsIn = (rows: ReadonlyArray<unknown>): ReadonlyArray<PlaidAccount> =>
  readAccounts(rows, PlaidAccountForm, accountKeys).accounts

/** All accounts; one without a balance or a currency cannot be read. */
export const observedAccounts = (rows: ReadonlyArray<unknown>, item: PlaidItem): AccountsRead<ObservedAccount> => {
  const { accounts, unread } = readAccounts(rows, PlaidAccountForm, accountKeys, (account) => {
    const one = observe(account, item)
    return Result.map(one, (observed) => ({ observed, keys: keysOf(account, item) }))
  })
  const seen = new Map<string, number>()
  for (const key of accounts.flatMap(({ keys }) => keys)) seen.set(key, (seen.get(key) ?? 0) + 1)
  return {
    accounts: accounts.map(({ keys, observed }) => ({
      ...observed,
      // What two accounts have in common tells neither.
      stableKeys: keys.filter((key) => seen.get(key) === 1)
    })),
    unread
  }
}
