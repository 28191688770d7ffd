/** The balance of an account as a record: one per account, replaced by each read (decisions 4.2). */
import * as Effect from "effect/Effect"
import type { ObservedRecord } from "../provider/Provider.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Account } from "./Account.ts"

/** Under one id per account, so that a new read is a new version of the same record. */
const balanceId = "balance"

/** Dated by the upstream where it says when it was true, else by the clock. */
export const balanceOf = (account: Account): Effect.Effect<ObservedRecord> =>
  Effect.map(Timestamp.now, (now) => ({
    providerAccountId: account.providerAccountId,
    providerId: balanceId,
    pending: false,
    fields: {
      date: account.balanceAsOf ?? now,
      amount: account.balance,
      availableBalance: account.availableBalance,
      ...(account.creditLimit === undefined ? {} : { limit: account.creditLimit }),
      currency: account.currency
    }
  }))
