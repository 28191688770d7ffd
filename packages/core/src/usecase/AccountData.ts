/**
 * Reading the data of accounts (decisions 5.3): what the provider said, without enrichment.
 *
 * Reads are read-through: data older than the provider's freshness is pulled first, within a time limit;
 * when that fails, stored rows answer and say that they are stale.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { permit, reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { natureOf, type Bank, type BankId } from "../bank/Bank.ts"
import { AccountLooks } from "../bank/AccountLooks.ts"
import { unusableBank } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import {
  InvalidInput,
  NotFound,
  type Conflict,
  type CursorUnusable,
  type Forbidden,
  type LiveDataUnavailable
} from "../failure/Failure.ts"
import { Providers } from "../provider/Providers.ts"
import type { SyncDataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { ShownRecord } from "../record/LedgerRecord.ts"
import { lastShownAt } from "../record/Shown.ts"
import { type PageQuery, RecordStore, type RecordFilter, type RecordScope } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Cursors } from "../cursor/Cursors.ts"
import * as Decimal from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf } from "../shared/Page.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { ReadThrough, unusableConnection, type ReadThroughOptions } from "../sync/ReadThrough.ts"
import { type Account, type AccountRef, isOwnAccount } from "../bank/Account.ts"
import { balanceAsOf, storedBalance } from "../bank/Balance.ts"
import { ownerOf as publicOwner, toPublic } from "../bank/PublicRecord.ts"
import { Position, TransactionPages } from "./TransactionPages.ts"

const TradesCursor = Schema.Struct({
  from: CalendarDate.CalendarDate,
  to: CalendarDate.CalendarDate,
  before: Schema.optionalKey(Position)
})

const tradesWindow = (
  from: CalendarDate.CalendarDate | undefined,
  to: CalendarDate.CalendarDate | undefined,
  today: CalendarDate.CalendarDate
) => {
  const end = to ?? today
  const start = from ?? CalendarDate.addDays(end, -limits.tradesFirstDays)
  return { from: CalendarDate.max(start, CalendarDate.addDays(end, -limits.tradesRangeDays)), to: end }
}

const invalidRange = new InvalidInput({
  code: "INVALID_DATE_RANGE",
  message: "from must not be after to",
  details: [{ field: "from", message: "must not be after to" }]
})

/** The provider has no such data for any account (404 for loans; lists are empty instead). */
export class UnsupportedByProvider extends Schema.TaggedError<UnsupportedByProvider>()("UnsupportedByProvider", {
  providerInstanceId: Schema.String,
  what: Schema.String
}) {}

export interface Freshness {
  /** When the answer was true upstream; absent before the first pull. */
  readonly asOf?: Timestamp
  readonly stale: boolean
  /** Why stored data answers where live data was asked for. */
  readonly problem?: LiveDataUnavailable
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

/** The days a page is about, as asked for. */
export interface Window {
  readonly from?: CalendarDate.CalendarDate
  readonly to?: CalendarDate.CalendarDate
}

export interface TransactionsPage extends Freshness {
  readonly rows: ReadonlyArray<Fields>
  readonly hasMore: boolean
  /** Always present: the next page, or on the last page a watermark for what changes later. */
  readonly cursor: string
  readonly window: Window
  /** Watermark answers only: ids that vanished or no longer match. */
  readonly removed?: ReadonlyArray<string>
}

export interface TradesQuery {
  readonly from?: CalendarDate.CalendarDate
  readonly to?: CalendarDate.CalendarDate
  readonly cursor?: string
  readonly limit?: number
}

export type ReadError = NotFound | Conflict | Forbidden | StorageUnavailable
export type LiveError = ReadError | LiveDataUnavailable

const freshness = (fresh: {
  readonly asOf: Timestamp | undefined
  readonly stale: boolean
  readonly problem: LiveDataUnavailable | undefined
}): Freshness => ({
  stale: fresh.stale,
  ...(fresh.asOf === undefined ? {} : { asOf: fresh.asOf }),
  ...(fresh.problem === undefined ? {} : { problem: fresh.problem })
})

/** Accounts are as the last look at their bank found them; each look writes all that are listed. */
const freshnessOf = (bank: Bank, accounts: ReadonlyArray<Account>): Freshness => {
  const looked = accounts.map(({ updatedAt }) => updatedAt).toSorted()
  const problem = unusableConnection(bank.connectionStatus)?.problem
  return freshness({ asOf: looked.at(-1), stale: problem !== undefined, problem })
}

/** Worth most first, then by ticker and security (decisions 1.7). */
const byValue = (a: Fields, b: Fields): number => {
  const [x, y] = [a["currentValue"], b["currentValue"]]
  if (typeof x === "string" && typeof y === "string" && x !== y) {
    return Decimal.compare(y as Decimal.Decimal, x as Decimal.Decimal)
  }
  const [s, t] = [
    JSON.stringify([a["ticker"] ?? "", a["securityId"] ?? ""]),
    JSON.stringify([b["ticker"] ?? "", b["securityId"] ?? ""])
  ]
  return s === t ? 0 : s < t ? -1 : 1
}

/** A deleted bank is not there; of one that is being removed nothing is read. */
const usable = (bank: Bank): Effect.Effect<Bank, NotFound | Conflict> => {
  const refusal = unusableBank(bank)
  return refusal === undefined ? Effect.succeed(bank) : Effect.fail(refusal)
}

const wholePage = { filter: {}, limit: limits.page.max } as const satisfies PageQuery

const cachedOf = ({ cached }: ReadOptions): ReadThroughOptions => (cached === undefined ? {} : { cached })

export class AccountData extends Context.Service<
  AccountData,
  {
    readonly accounts: (
      caller: Caller,
      bankId: BankId
    ) => Effect.Effect<{ readonly bank: Bank; readonly rows: ReadonlyArray<Account> } & Freshness, ReadError>
    readonly account: (
      caller: Caller,
      ref: AccountRef
    ) => Effect.Effect<{ readonly bank: Bank; readonly row: Account } & Freshness, ReadError>
    readonly transactions: (
      caller: Caller,
      ref: AccountRef,
      query: TransactionsQuery
    ) => Effect.Effect<TransactionsPage, ReadError | LiveDataUnavailable | CursorUnusable | InvalidInput>
    /** NotFound when nobody has told a balance: the account is one of statement files that state none. */
    /** When a read last showed a record; no instant where that is not known, as of one that is pending or gone. */
    readonly lastShown: (
      caller: Caller,
      ref: AccountRef,
      dataType: SyncDataType,
      recordId: string
    ) => Effect.Effect<{ readonly at?: Timestamp }, ReadError>
    readonly balance: (
      caller: Caller,
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly row: Fields } & Freshness, LiveError>
    readonly trades: (
      caller: Caller,
      ref: AccountRef,
      query: TradesQuery & ReadOptions
    ) => Effect.Effect<
      {
        readonly rows: ReadonlyArray<Fields>
        readonly hasMore: boolean
        readonly cursor?: string
        readonly window: { readonly from: CalendarDate.CalendarDate; readonly to: CalendarDate.CalendarDate }
      } & Freshness,
      LiveError | CursorUnusable | InvalidInput
    >
    readonly holdings: (
      caller: Caller,
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<Fields> } & Freshness, LiveError>
    readonly orders: (
      caller: Caller,
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<Fields> } & Freshness, LiveError>
    /** NotFound when the account has no loan data. */
    readonly loan: (
      caller: Caller,
      ref: AccountRef,
      options: ReadOptions
    ) => Effect.Effect<{ readonly row: Fields } & Freshness, LiveError | UnsupportedByProvider>
  }
>()("@millrace/core/usecase/AccountData") {
  static readonly layer: Layer.Layer<
    AccountData,
    never,
    AccountLooks | BankStore | Cursors | Providers | ReadThrough | RecordStore
  > = Layer.effect(
    AccountData,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const { look } = yield* AccountLooks
      const records = yield* RecordStore
      const readThrough = yield* ReadThrough
      const cursors = yield* Cursors
      const providers = yield* Providers
      const pages = yield* TransactionPages

      const bankOf = Effect.fnUntraced(function* (caller: Caller, id: OperationId, bankId: BankId) {
        return yield* usable(yield* reach(caller, id, "Bank", yield* banks.get(caller.principal.workspace.id, bankId)))
      })

      const ownerOf = Effect.fnUntraced(function* (caller: Caller, id: OperationId, { accountId, bankId }: AccountRef) {
        const bank = yield* bankOf(caller, id, bankId)
        const found = yield* banks.account(bank.workspaceId, bankId, accountId)
        return { bank, account: yield* reach(caller, id, "Account", found) }
      })

      /**
       * Reads one type live. Where that fails, what is stored answers and says why; with nothing stored the failure is
       * the answer, since an empty list would say that the bank has nothing. What is only ever true now is not
       * answered from storage where a person must mend the connection: `readsOn` is about the rest.
       */
      const live = Effect.fnUntraced(function* (
        caller: Caller,
        id: OperationId,
        ref: AccountRef,
        dataType: SyncDataType,
        options: ReadThroughOptions,
        readsOn = false,
        /** Read with the look, where that is all that is needed. */
        page?: PageQuery
      ) {
        const { workspace } = caller.principal
        const before = yield* look(workspace.id, ref, dataType, page)
        const bank = yield* usable(yield* reach(caller, id, "Bank", before.bank))
        const account = yield* reach(caller, id, "Account", before.account)
        const fresh = yield* readThrough.freshen(workspace, bank, account, dataType, { ...options, known: before })
        const scope = { workspaceId: workspace.id, accountId: account.id, dataType }
        if (fresh.problem !== undefined && options.cached !== true) {
          if (fresh.blocked && !readsOn) return yield* fresh.problem
          // The account itself knows a balance, from when it was connected.
          const stored =
            dataType === "balances" || (yield* records.shownPage(scope, { filter: {}, limit: 1 })).length > 0
          if (!stored) return yield* fresh.problem
        }
        // The answer shows the account as it is after the read.
        const after = fresh.asked ? yield* look(workspace.id, ref, dataType) : before
        const now = Option.getOrElse(after.account, () => account)
        const owner = publicOwner(bank, now)
        const { lastChange, page: read } = after
        return { bank, account: now, scope, owner, fresh: freshness(fresh), lastChange, page: read }
      })

      /** All records. `begun`: the first page, where it has been read. */
      const all = Effect.fnUntraced(function* (scope: RecordScope, owner: Fields, begun?: ReadonlyArray<ShownRecord>) {
        let page = begun ?? (yield* records.shownPage(scope, wholePage))
        const found = [...page]
        while (page.length === wholePage.limit) {
          page = yield* records.shownPage(scope, { ...wholePage, before: page[page.length - 1]! })
          found.push(...page)
        }
        return found.map((record) => toPublic(scope.dataType, record, owner))
      })

      const transactions: AccountData["Service"]["transactions"] = Effect.fnUntraced(function* (caller, ref, query) {
        const options = cachedOf(query)
        const first = pages.first(query)
        const read = live(caller, "listTransactions", ref, "transactions", options, true, first)
        const { account, bank, fresh, lastChange, owner, page: found, scope } = yield* read
        const page = yield* pages.read(scope, `${bank.id}/${account.id}`, owner, query, { lastChange, found })
        return { ...page, ...fresh }
      })

      const trades: AccountData["Service"]["trades"] = Effect.fn("AccountData.trades")(function* (caller, ref, query) {
        yield* permit(caller, "listTrades")
        const { workspace } = caller.principal
        const bound = { workspaceId: workspace.id, list: `trades/${ref.accountId}` }
        const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
        const start =
          query.cursor === undefined
            ? tradesWindow(query.from, query.to, today)
            : yield* cursors.decode(bound, TradesCursor, query.cursor)
        if (start.from > start.to) return yield* invalidRange
        // A sync reads the last days alone: who asks for earlier ones has them read. The first page is enough.
        const isEarlier = start.from < CalendarDate.addDays(today, -limits.tradesFirstDays)
        const deep = query.cursor === undefined && isEarlier ? { reachingTo: start.from } : {}
        const limit = sizeOf(limits.tradesPage, query.limit)
        const wanted: PageQuery = {
          filter: { from: start.from, to: start.to },
          limit: limit + 1,
          ...("before" in start && start.before !== undefined ? { before: start.before } : {})
        }
        const options = { ...cachedOf(query), ...deep }
        const looked = yield* live(caller, "listTrades", ref, "trades", options, false, wanted)
        const { fresh, owner, scope } = looked
        const found = looked.page ?? (yield* records.shownPage(scope, wanted))
        const window = { from: start.from, to: start.to }
        const rows = found.slice(0, limit).map((record) => toPublic("trades", record, owner))
        if (found.length <= limit) return { rows, hasMore: false, window, ...fresh }
        const last = found[limit - 1]!
        const cursor = yield* cursors.encode(bound, "page", { ...window, before: { date: last.date, id: last.id } })
        return { rows, hasMore: true, cursor, window, ...fresh }
      })

      const loan: AccountData["Service"]["loan"] = Effect.fn("AccountData.loan")(function* (caller, ref, options) {
        const { bank, fresh, owner, scope } = yield* live(caller, "getLoan", ref, "loans", options)
        const row = (yield* all(scope, owner))[0]
        if (row !== undefined) return { row, ...fresh }
        const { providerInstanceId } = bank
        const driver = providers.all.find(({ instanceId }) => instanceId === providerInstanceId)
        if (driver !== undefined && driver.capabilities.dataTypes.loans === undefined) {
          return yield* new UnsupportedByProvider({ providerInstanceId: driver.instanceId, what: "loans" })
        }
        return yield* new NotFound({ resource: "Loan" })
      })

      return AccountData.of({
        accounts: Effect.fn("AccountData.accounts")(function* (caller, bankId) {
          const bank = yield* bankOf(caller, "listAccounts", bankId)
          const held = (yield* banks.accounts(bankId)).filter(isOwnAccount)
          // One that no file shows any more is nobody's.
          const rows = natureOf(bank) === "files" ? held.filter(({ state }) => state !== "missing") : held
          return { bank, rows, ...freshnessOf(bank, rows) }
        }),
        account: Effect.fn("AccountData.account")(function* (caller, ref) {
          const { account, bank } = yield* ownerOf(caller, "getAccount", ref)
          return { row: account, bank, ...freshnessOf(bank, [account]) }
        }),
        transactions,
        lastShown: Effect.fn("AccountData.lastShown")(function* (caller, ref, dataType, recordId) {
          const { account } = yield* ownerOf(caller, "listTransactions", ref)
          const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType }
          const [record] = yield* records.held(scope, [recordId])
          if (record === undefined) return yield* new NotFound({ resource: "Record" })
          const shown = yield* records.shown(dataType, [account.id])
          const at = lastShownAt(shown.get(account.id) ?? [], record)
          return at === undefined ? {} : { at }
        }),
        balance: Effect.fn("AccountData.balance")(function* (caller, ref, options) {
          const { account, bank, fresh, owner, scope } = yield* live(caller, "getBalance", ref, "balances", options)
          const stored = (yield* all(scope, owner))[0]
          if (stored !== undefined) return { row: stored, ...fresh }
          // A file that states no balance says nothing of it: 0 would be a lie.
          if (balanceAsOf(bank, account) === undefined) return yield* new NotFound({ resource: "Balance" })
          // Before the first read of balances the account itself knows one, from when it was connected.
          return { row: toPublic("balances", { id: "", fields: storedBalance(account) }, owner), ...fresh }
        }),
        trades,
        holdings: Effect.fn("AccountData.holdings")(function* (caller, ref, options) {
          const read = live(caller, "listHoldings", ref, "holdings", cachedOf(options), false, wholePage)
          const { fresh, owner, page, scope } = yield* read
          return { rows: (yield* all(scope, owner, page)).toSorted(byValue), ...fresh }
        }),
        orders: Effect.fn("AccountData.orders")(function* (caller, ref, options) {
          const read = live(caller, "listOrders", ref, "orders", cachedOf(options), false, wholePage)
          const { fresh, owner, page, scope } = yield* read
          return { rows: yield* all(scope, owner, page), ...fresh }
        }),
        loan
      })
    })
  ).pipe(Layer.provide(TransactionPages.layer))
}
