/** Accounts and their data (decisions 4.1, 4.2 and 5.3). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { AccountType } from "@millrace/core/provider"
import { recordStates, SyncDataType } from "@millrace/core/record"
import { CalendarDate, Id, Name, Timestamp } from "@millrace/core"
import { Amount } from "../wire/Amount.ts"
import { ofBody, ofPath, StateConflict } from "./ApiError.ts"
import { Balance, Holding, Loan, Order, Trade, Transaction } from "./DataRecords.ts"
import { FreshMany, freshness, Links, One, OneWith } from "./Envelope.ts"
import { AmountParameter, Day, Flag, paging, SearchText, Text } from "./Parameters.ts"

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
      "First day of which the bank has lately shown all posted transactions. Older ones are kept as they were. Null before the first read, and for files."
  }),
  supports: Schema.Array(SyncDataType),
  state: Schema.Literals(["open", "closed", "missing"]),
  signOverride: Schema.Boolean.annotate({
    description: "Whether amounts of transactions and trades are turned round as they are read from the connection."
  }),
  signChange: Schema.NullOr(
    Schema.Struct({ signOverride: Schema.Boolean, requestedAt: Timestamp.Timestamp }).annotate({
      identifier: "SignChange"
    })
  ).annotate({
    description:
      "What signOverride will be, where the account has too many rows to turn them round within the request. Until then all of them are as they were. Null: nothing is under way."
  }),
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  links: Links
}).annotate({ identifier: "Account" })

const UpdateAccount = Schema.Struct({
  accountName: Schema.optionalKey(
    Schema.NullOr(Name).annotate({ description: "What you call it. null: what the bank calls it." })
  ),
  signOverride: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "true where the connection shows money that comes in as negative: amounts are turned round, those of before as well. An account with many rows is turned after the answer: signChange tells it. What it is at present takes a change back that is under way."
    })
  )
}).annotate({ identifier: "UpdateAccount" })

const Freshness = Schema.Struct(freshness)
const path = "/v1/banks/:bank_id/accounts"
const ofAccount = { bank_id: Schema.String, account_id: Schema.String }
const cached = Schema.optionalKey(Flag)
const error = [...ofPath, StateConflict] as const
const range = { from: Schema.optionalKey(Day), to: Schema.optionalKey(Day) }

export const AccountApi = HttpApiGroup.make("accounts", { topLevel: true }).add(
  HttpApiEndpoint.get("listAccounts", path, {
    params: { bank_id: Schema.String },
    success: FreshMany(AccountRecord),
    error
  }),
  HttpApiEndpoint.get("getAccount", `${path}/:account_id`, {
    params: ofAccount,
    success: OneWith(AccountRecord, Freshness),
    error
  }),
  HttpApiEndpoint.put("updateAccount", `${path}/:account_id`, {
    params: ofAccount,
    payload: UpdateAccount,
    success: One(AccountRecord),
    error: [...ofPath, ...ofBody, StateConflict]
  }),
  HttpApiEndpoint.get("listTransactions", `${path}/:account_id/transactions`, {
    params: ofAccount,
    query: {
      ...range,
      ...paging,
      pending: Schema.optionalKey(Flag),
      type: Schema.optionalKey(Text),
      category: Schema.optionalKey(Text),
      /** Text in description or merchant. */
      q: Schema.optionalKey(SearchText),
      minAmount: Schema.optionalKey(AmountParameter),
      maxAmount: Schema.optionalKey(AmountParameter),
      state: Schema.optionalKey(
        Schema.Literals(recordStates).annotate({
          description: "removed: those that the bank no longer shows; deleted: those that a person deleted."
        })
      ),
      cached
    },
    success: FreshMany(Transaction),
    error
  }),
  HttpApiEndpoint.get("getBalance", `${path}/:account_id/balances`, {
    params: ofAccount,
    query: { cached },
    success: OneWith(Balance, Freshness),
    error
  }),
  HttpApiEndpoint.get("listTrades", `${path}/:account_id/trades`, {
    params: ofAccount,
    query: { ...range, ...paging, cached },
    success: FreshMany(Trade),
    error
  }),
  HttpApiEndpoint.get("listHoldings", `${path}/:account_id/holdings`, {
    params: ofAccount,
    query: { cached },
    success: FreshMany(Holding),
    error
  }),
  HttpApiEndpoint.get("listOrders", `${path}/:account_id/orders`, {
    params: ofAccount,
    query: { cached },
    success: FreshMany(Order),
    error
  }),
  HttpApiEndpoint.get("getLoan", `${path}/:account_id/loan`, {
    params: ofAccount,
    query: { cached },
    success: OneWith(Loan, Freshness),
    error
  })
)
