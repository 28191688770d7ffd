/** From Fiskil's accounts and balances to ours. Balances have our signs (CDR): negative where the person owes. */
import { Currency, Decimal } from "@millrace/core"
import type { AccountType, ObservedAccount } from "@millrace/core/provider"
import { shownText } from "../upstream/UpstreamForm.ts"
import type { FiskilAccount, FiskilBalance } from "./FiskilAnswers.ts"

/** Product categories of the Consumer Data Right; others are of no type that we know. */
const types: Readonly<Record<string, AccountType>> = {
  TRANS_AND_SAVINGS_ACCOUNTS: "checking",
  TERM_DEPOSITS: "cd",
  TRAVEL_CARDS: "prepaid",
  REGULATED_TRUST_ACCOUNTS: "other",
  RESIDENTIAL_MORTGAGES: "mortgage",
  CRED_AND_CHRG_CARDS: "credit_card",
  PERS_LOANS: "loan",
  MARGIN_LOANS: "loan",
  BUSINESS_LOANS: "loan",
  LEASES: "loan",
  TRADE_FINANCE: "loan",
  OVERDRAFTS: "line_of_credit",
  BUY_NOW_PAY_LATER: "line_of_credit"
}

const text = (value: string | null | undefined): string => shownText(value) ?? ""

/** Only the end of a number is kept: of what stands in for the rest nothing is needed. */
const endOf = (masked: string): string => masked.replace(/[^A-Za-z0-9]/gu, "").slice(-4)

const nameOf = (account: FiskilAccount, number: string): string =>
  [account.nickname, account.display_name, account.product_name].map(text).find((name) => name !== "") ??
  (number === "" ? "Account" : `Account ${number}`)

const accountCurrency = (balance: FiskilBalance | undefined): Currency.Currency =>
  Currency.parse(text(balance?.currency)) ?? Currency.make("AUD")

/** `canShowRows`: whether the person agreed to more than balances. */
export const observedAccount = (
  account: FiskilAccount,
  balance: FiskilBalance | undefined,
  institutionId: string,
  canShowRows: boolean
): ObservedAccount => {
  const currency = accountCurrency(balance)
  const money = (amount: Decimal.Decimal) => Currency.toMinorUnit(amount, currency)
  const category = text(account.product_category)
  const type = Object.hasOwn(types, category) ? types[category]! : "unknown"
  const number = endOf(text(account.masked_number))
  const { available_balance: available, credit_limit: limit, current_balance: current } = balance ?? {}
  return {
    providerAccountId: account.account_id,
    stableKeys: [
      account.account_id,
      ...(number === "" ? [] : [[institutionId, number, type, text(account.product_name)].join("|")])
    ],
    number,
    name: nameOf(account, number),
    type,
    ...(category === "" ? {} : { subtype: category.toLowerCase() }),
    currency,
    balance: money(current ?? available ?? Decimal.zero),
    ...(available === undefined || available === null ? {} : { availableBalance: money(available) }),
    // Zero stands for no limit.
    ...(limit === undefined || limit === null || limit === Decimal.zero
      ? {}
      : { creditLimit: money(Decimal.abs(limit)) }),
    supports: canShowRows ? ["balances", "transactions"] : ["balances"]
  }
}
