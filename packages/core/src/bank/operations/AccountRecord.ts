import * as Schema from "effect/Schema"
import { Links } from "../../operation/Success.ts"
import { Amount } from "../../operation/Amount.ts"
import { Flag } from "../../operation/Parameters.ts"
import { AccountType } from "../../provider/AccountType.ts"
import { SyncDataType, isSyncType } from "../../record/DataType.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { Account, AccountRef } from "../Account.ts"
import { balanceAsOf } from "../Balance.ts"
import type { Bank } from "../Bank.ts"

export const AccountRecord = Schema.Struct({
  id: Id("account"),
  bankId: Id("bank"),
  /** Masked: `****1234`, `****` when unknown. */
  accountNumber: Schema.String,
  accountName: Schema.String.annotate({ description: "The name that a person gave, or else the bank's." }),
  accountType: AccountType,
  accountSubtype: Schema.optionalKey(Schema.String),
  /** Negative for a debt. */
  balance: Amount,
  availableBalance: Amount,
  currency: Schema.String,
  creditLimit: Schema.NullOr(Amount),
  balanceAsOf: Schema.NullOr(Timestamp.Timestamp).annotate({
    description:
      "When the balance was true. Null where nobody has told a balance, as in files that state none: it is 0 then."
  }),
  historyFrom: Schema.NullOr(CalendarDate.CalendarDate).annotate({
    description:
      "First day for which the bank has lately shown all posted transactions. Older ones are kept as they were. Null before the first read, and for files."
  }),
  supports: Schema.Array(SyncDataType),
  state: Schema.Literals(["open", "closed", "missing"]),
  signOverride: Schema.Boolean.annotate({
    description: "Whether amounts of transactions and trades are flipped as they are read from the connection."
  }),
  signChange: Schema.NullOr(
    Schema.Struct({ signOverride: Schema.Boolean, requestedAt: Timestamp.Timestamp }).annotate({
      identifier: "SignChange"
    })
  ).annotate({
    description:
      "What signOverride will be, where the account has too many rows to flip them within the request. Until then all of them are as they were. Null: nothing is under way."
  }),
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  links: Links
}).annotate({ identifier: "Account" })

export const cached = Schema.optionalKey(Flag)

/** An account as it is sent, for those of its bank. Names every field, so that nothing internal can slip through. */
export const accountToWire = (bank: Bank) => (account: Account) => {
  const self = `/v1/banks/${account.bankId}/accounts/${account.id}`
  return {
    id: account.id,
    bankId: account.bankId,
    accountNumber: account.accountNumber,
    accountName: account.accountName,
    accountType: account.accountType,
    ...(account.accountSubtype === undefined ? {} : { accountSubtype: account.accountSubtype }),
    balance: account.balance,
    availableBalance: account.availableBalance,
    currency: account.currency,
    creditLimit: account.creditLimit ?? null,
    balanceAsOf: balanceAsOf(bank, account) ?? null,
    historyFrom: account.historyFrom ?? null,
    supports: account.supports.filter(isSyncType),
    state: account.state,
    signOverride: account.signOverride ?? false,
    signChange:
      account.signAskedAt === undefined
        ? null
        : { signOverride: account.signOverride !== true, requestedAt: account.signAskedAt },
    createdAt: account.createdAt,
    updatedAt: account.updatedAt,
    links: {
      self,
      transactions: `${self}/transactions`,
      balances: `${self}/balances`,
      trades: `${self}/trades`,
      holdings: `${self}/holdings`,
      orders: `${self}/orders`,
      loan: `${self}/loan`
    }
  }
}

export const refOf = (ids: {
  readonly bank: AccountRef["bankId"]
  readonly account: AccountRef["accountId"]
}): AccountRef => ({
  bankId: ids.bank,
  accountId: ids.account
})
