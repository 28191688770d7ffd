/** Kinds of account (decisions 4.1). The list is open on the wire: clients accept others. */
import * as Schema from "effect/Schema"

export const accountTypes = [
  "checking",
  "savings",
  "money_market",
  "cd",
  "credit_card",
  "loan",
  "mortgage",
  "line_of_credit",
  "investment",
  "brokerage",
  "retirement",
  "crypto",
  "prepaid",
  "cash_management",
  "other",
  "unknown"
] as const

export const AccountType = Schema.Literals(accountTypes)
export type AccountType = typeof AccountType.Type

/** Accounts whose position is a debt: their balances are negative (decisions 1.3). */
export const isLiability = (type: AccountType): boolean =>
  type === "credit_card" || type === "loan" || type === "mortgage" || type === "line_of_credit"
