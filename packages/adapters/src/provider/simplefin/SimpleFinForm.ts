/** Answers of SimpleFIN (version 1.0.7 of its protocol, with the extensions of the Bridge): what we read of them. */
import type { UnreadAccount } from "@millrace/core/provider"
import * as Schema from "effect/Schema"
import { Amount, looseText, maybe, UpstreamId } from "../upstream/UpstreamForm.ts"

/** Seconds since 1970; 0 where it has not happened. */
const Instant = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 7_000_000_000 }))

export const SimpleFinTransaction = Schema.Struct({
  id: UpstreamId,
  posted: Instant,
  transacted_at: maybe(Instant),
  pending: maybe(Schema.Boolean),
  amount: Amount,
  description: looseText,
  payee: looseText,
  memo: looseText
})
export type SimpleFinTransaction = typeof SimpleFinTransaction.Type

export const SimpleFinHolding = Schema.Struct({
  id: UpstreamId,
  symbol: maybe(Schema.String),
  description: maybe(Schema.String),
  currency: maybe(Schema.String),
  shares: Amount,
  cost_basis: maybe(Amount),
  market_value: maybe(Amount)
})
export type SimpleFinHolding = typeof SimpleFinHolding.Type

const Organisation = Schema.Struct({
  name: maybe(Schema.String),
  domain: maybe(Schema.String),
  id: maybe(Schema.String)
})

export const SimpleFinAccount = Schema.Struct({
  id: UpstreamId,
  org: maybe(Organisation),
  name: Schema.String,
  currency: Schema.String,
  balance: Amount,
  "available-balance": maybe(Amount),
  "balance-date": maybe(Instant),
  // Rows are read one by one: one that cannot be read keeps no other from being read.
  transactions: maybe(Schema.Array(Schema.Unknown)),
  holdings: maybe(Schema.Array(Schema.Unknown))
})
export type SimpleFinAccount = typeof SimpleFinAccount.Type

export const AccountsAnswer = Schema.Struct({
  errors: maybe(Schema.Array(Schema.Unknown)),
  errlist: maybe(Schema.Array(Schema.Struct({ msg: maybe(Schema.String) }))),
  // Accounts are read one by one as well.
  accounts: Schema.Array(Schema.Unknown)
})

/** An answer with the accounts of it that can be read, and those that cannot. */
export interface AccountsShown extends Omit<typeof AccountsAnswer.Type, "accounts"> {
  readonly accounts: ReadonlyArray<SimpleFinAccount>
  readonly unread: ReadonlyArray<UnreadAccount>
}
