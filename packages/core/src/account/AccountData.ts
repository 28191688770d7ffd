/**
 * Reading the data of accounts (decisions 5.3): what the provider said, without enrichment.
 *
 * Reads are read-through: data older than the provider's freshness is pulled first, within a time limit;
 * when that fails, stored rows answer and say that they are stale.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Bank, BankId } from "../bank/Bank.ts"
import type { CursorUnusable, InvalidInput, LiveDataUnavailable, NotFound } from "../failure/Failure.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { RecordFilter } from "../record/RecordStore.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Account, AccountId } from "./Account.ts"

/** The provider has no such data for any account (404 for loans; lists are empty instead). */
export class UnsupportedByProvider extends Schema.TaggedError<UnsupportedByProvider>()("UnsupportedByProvider", {
  providerInstanceId: Schema.String,
  what: Schema.String
}) {}

export interface AccountRef {
  readonly workspace: Workspace
  readonly bankId: BankId
  readonly accountId: AccountId
}

export interface Freshness {
  /** When the answer was true upstream; absent before the first pull. */
  readonly asOf?: Timestamp
  readonly stale: boolean
}

/** `cached` never calls upstream. */
export interface ReadOptions {
  readonly cached?: boolean
}

export interface TransactionsQuery extends ReadOptions {
  /** With a cursor, the window and the filters are the cursor's. */
  readonly filter: RecordFilter
  readonly cursor?: string
  readonly limit?: number
}

export interface TransactionsPage extends Freshness {
  readonly rows: ReadonlyArray<Fields>
  readonly hasMore: boolean
  /** Always present: the next page, or on the last page a watermark for what changes later. */
  readonly cursor: string
  readonly window: { readonly from?: CalendarDate; readonly to?: CalendarDate }
  /** Watermark answers only: ids that vanished or no longer match. */
  readonly removed?: ReadonlyArray<string>
}

export interface TradesQuery {
  readonly from?: CalendarDate
  readonly to?: CalendarDate
  readonly cursor?: string
  readonly limit?: number
}

export type ReadError = NotFound | StorageUnavailable
export type LiveError = ReadError | LiveDataUnavailable

export class AccountData extends Context.Service<
  AccountData,
  {
    readonly accounts: (
      workspace: Workspace,
      bankId: BankId
    ) => Effect.Effect<{ readonly bank: Bank; readonly rows: ReadonlyArray<Account> } & Freshness, ReadError>
    readonly account: (ref: AccountRef) => Effect.Effect<{ readonly row: Account } & Freshness, ReadError>
    readonly transactions: (
      ref: AccountRef,
      query: TransactionsQuery
    ) => Effect.Effect<TransactionsPage, ReadError | LiveDataUnavailable | CursorUnusable | InvalidInput>
    readonly balance: (
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly row: Fields } & Freshness, LiveError>
    readonly trades: (
      ref: AccountRef,
      query: TradesQuery & ReadOptions
    ) => Effect.Effect<
      {
        readonly rows: ReadonlyArray<Fields>
        readonly hasMore: boolean
        readonly cursor?: string
        readonly window: { readonly from: CalendarDate; readonly to: CalendarDate }
      } & Freshness,
      LiveError | CursorUnusable | InvalidInput
    >
    readonly holdings: (
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<Fields> } & Freshness, LiveError>
    readonly orders: (
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<Fields> } & Freshness, LiveError>
    /** NotFound when the account has no loan data. */
    readonly loan: (
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly row: Fields } & Freshness, LiveError | UnsupportedByProvider>
  }
>()("@millrace/core/account/AccountData") {}
