/** Kinds of institution (decisions 4.1). */
import * as Schema from "effect/Schema"

export const bankTypes = ["bank", "brokerage", "credit_card", "lender", "wallet", "other"] as const
export const BankType = Schema.Literals(bankTypes)
export type BankType = typeof BankType.Type
