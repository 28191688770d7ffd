/** Accounts and records for tests of transfers. */
import type { SetAccount, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import type { AccountType } from "../../../../src/provider/AccountType.ts"
import * as Currency from "../../../../src/shared/Currency.ts"

export const account = (n: number, accountName: string, accountType: AccountType, currency = "EUR"): SetAccount => ({
  accountId: `acct_0000000000000000000000000${n}` as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Northern Bank",
  accountName,
  accountNumber: `****111${n}`,
  accountType,
  currency: Currency.make(currency)
})

/** A booked record; `more` are further fields. */
export const leg = (
  recordId: string,
  { accountId, currency }: SetAccount,
  date: string,
  amount: string,
  description: string,
  more: SetRecord["fields"] = {}
): SetRecord => ({ recordId, accountId, fields: { date, amount, currency, description, ...more } })
