/** The balance of an account as a record: one per account, replaced by each read (decisions 4.2). */
import { natureOf, type Bank } from "./Bank.ts"
import type { ObservedRecord } from "../provider/Provider.ts"
import type { Fields } from "../record/FieldValue.ts"
import type * as Timestamp from "../shared/Timestamp.ts"
import type { Account } from "./Account.ts"

/** Under one id per account, so that a new read is a new version of the same record. */
const balanceId = "balance"

const fieldsAt = (account: Account, at: Timestamp.Timestamp): Fields => ({
  date: account.balanceAsOf ?? at,
  amount: account.balance,
  availableBalance: account.availableBalance,
  ...(account.creditLimit === undefined ? {} : { limit: account.creditLimit }),
  currency: account.currency
})

/**
 * When the balance of an account was true; `undefined` where nobody has told a balance, as in statement files that
 * state none. A connection tells one with each look at its accounts.
 */
export const balanceAsOf = (bank: Bank, account: Account): Timestamp.Timestamp | undefined =>
  account.balanceAsOf ?? (natureOf(bank) === "connected" ? account.updatedAt : undefined)

/** The balance that the account itself remembers. */
export const storedBalance = (account: Account): Fields => fieldsAt(account, account.updatedAt)

/** Dated by the upstream where it says when it was true, else by `at`. */
export const balanceOf = (account: Account, at: Timestamp.Timestamp): ObservedRecord => ({
  providerAccountId: account.providerAccountId,
  providerId: balanceId,
  pending: false,
  fields: fieldsAt(account, at)
})
