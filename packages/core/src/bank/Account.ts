/** Accounts under banks (decisions 4.1). */
import * as Schema from "effect/Schema"
import { DataType } from "../record/DataType.ts"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { Currency } from "../shared/Currency.ts"
import { DecimalNumber } from "../shared/Decimal.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { BankId } from "./Bank.ts"
import { AccountType } from "../provider/AccountType.ts"

export type AccountId = Id<"account">

/** One account of a bank. */
export interface AccountRef {
  readonly bankId: BankId
  readonly accountId: AccountId
}

export const Account = Schema.Struct({
  id: Id("account"),
  workspaceId: Id("workspace"),
  bankId: Id("bank"),
  /** The upstream's id of the account; another one after some reconnects. */
  providerAccountId: Schema.String,
  /** Keys by which the account is known again, strongest first. */
  stableKeys: Schema.Array(Schema.String),
  /** Masked: `****1234`, `****` when unknown. The full number is never kept. */
  accountNumber: Schema.String,
  /** What people call it: the name that a person gave, or else the upstream's. */
  accountName: Schema.String,
  /** The upstream's name, where a person gave another one. */
  upstreamName: Schema.optionalKey(Schema.String),
  /** The connection shows which way money moved the wrong way round: amounts of movements are turned as they are read. */
  signOverride: Schema.optionalKey(Schema.Boolean),
  /** Since when it is asked for that `signOverride` be the other one: so many rows are turned behind the request. */
  signAskedAt: Schema.optionalKey(Timestamp),
  accountType: AccountType,
  accountSubtype: Schema.optionalKey(Schema.String),
  /** Signed net position: negative for a debt. */
  balance: DecimalNumber,
  availableBalance: DecimalNumber,
  currency: Currency,
  creditLimit: Schema.optionalKey(DecimalNumber),
  balanceAsOf: Schema.optionalKey(Timestamp),
  /** First day for which reads have lately shown all posted transactions: what is older is kept, and no longer compared. */
  historyFrom: Schema.optionalKey(CalendarDate),
  /** First day up to which a type was read back, where a feed that begins later kept earlier days from being read. */
  readFrom: Schema.optionalKey(Schema.Record(Schema.String, CalendarDate)),
  supports: Schema.Array(DataType),
  state: Schema.Literals(["open", "closed", "missing"]),
  /** The account that this one turned out to be: it is set aside, and nobody is shown it. */
  joinedInto: Schema.optionalKey(Id("account")),
  /** How many accounts are part of this one; absent without any. */
  joins: Schema.optionalKey(Schema.Int),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type Account = typeof Account.Type

/** Whether it is an account of its own, to be shown and named. */
export const isOwnAccount = ({ joinedInto }: Pick<Account, "joinedInto">): boolean => joinedInto === undefined

/**
 * `****` and the last four letters or digits of a number. Sources that give at most four characters have
 * masked it already; a whole number that short keeps only its last two, so that it is never shown whole.
 */
export const maskNumber = (number: string, known: "whole" | "masked" = "masked"): string => {
  const plain = number.replace(/[^\p{L}\p{N}]/gu, "")
  const shown = known === "whole" && plain.length <= 4 ? Math.floor(plain.length / 2) : 4
  return `****${plain.slice(Math.max(0, plain.length - shown))}`
}
