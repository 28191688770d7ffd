/** The balance of an account as a record: one per account, replaced by each read (decisions 4.2). */
import * as Effect from "effect/Effect"
import type { ObservedRecord } from "../provider/Provider.ts"
import type { Fields } from "../record/FieldValue.ts"
import * as Timestamp from "../shared/Timestamp.ts"
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

/** The balance that the account itself remembers. */
export const storedBalance = (account: Account): Fields => fieldsAt(account, account.updatedAt)

/** Dated by the upstream where it says when it was true, else by the clock. */
export const balanceOf = (account: Account): Effect.Effect<ObservedRecord> =>
  Effect.map(Timestamp.now, (now) => ({
    providerAccountId: account.providerAccountId,
    providerId: balanceId,
    pending: false,
    fields: fieldsAt(account, now)
  }))
