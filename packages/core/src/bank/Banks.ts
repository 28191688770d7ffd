/** Bank connections: listing and connecting (decisions 5.2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { maskNumber, type Account } from "./Account.ts"
import { accountEvents, statusEvents } from "./BankEvents.ts"
import { needScopes, permit, reach } from "../access/Access.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import { readableIds, type Caller } from "../access/Caller.ts"
import { EventStore } from "../event/EventStore.ts"
import { NotFound, PlanLimitReached, type Forbidden } from "../failure/Failure.ts"
import type { ConnectPayload, ObservedAccount } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import { Providers, type ProviderNotAvailable } from "../provider/Providers.ts"
import { Ids } from "../shared/Ids.ts"
import { nextOrder } from "../shared/Order.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { plans } from "../workspace/Plan.ts"
import { matchAccounts } from "./AccountLineage.ts"
import type { Bank, BankId } from "./Bank.ts"
import { BankStore, type BankConnection } from "./BankStore.ts"
import { isUsable, nextStatus, type ConnectionHealth, type ConnectionStatus } from "../provider/ConnectionHealth.ts"

export interface Connected {
  readonly bank: Bank
  /** False when the connection was known already. */
  readonly created: boolean
  readonly accounts: ReadonlyArray<Account>
}

export interface AccountList {
  readonly accounts: ReadonlyArray<Account>
  /** Whether the read before listed the same accounts: else neither read can be trusted to be complete. */
  readonly agrees: boolean
}

const statusOf = (
  before: ConnectionStatus | undefined,
  health: ConnectionHealth,
  at: Timestamp.Timestamp
): ConnectionStatus => {
  const status = before === undefined ? health.status : nextStatus(before.status, health.status)
  const { status: _, ...found } = health
  return { ...found, connected: isUsable(status), status, lastCheckedAt: at, source: "provider_call" }
}

/** What a look at a connection found. */
export interface Refreshed {
  readonly status: ConnectionStatus
  readonly connection: BankConnection
  /** `undefined` where it is not connected. */
  readonly listed: AccountList | undefined
}

export class Banks extends Context.Service<
  Banks,
  {
    /** Those that have an account: a bank of files has one only once a file names one. */
    readonly list: (
      caller: Caller,
      /** Deleted ones are shown to those who may delete. */
      which?: "live" | "deleted"
    ) => Effect.Effect<ReadonlyArray<Bank>, Forbidden | StorageUnavailable>
    readonly get: (caller: Caller, id: BankId) => Effect.Effect<Bank, NotFound | Forbidden | StorageUnavailable>
    /** Completes a connection: verified upstream, stored with its secrets, accounts read. */
    readonly connect: (
      caller: Caller,
      request: { readonly instanceId: string; readonly attemptId: string; readonly payload: ConnectPayload }
    ) => Effect.Effect<
      Connected,
      ProviderNotAvailable | ProviderError | PlanLimitReached | Forbidden | StorageUnavailable
    >
    /**
     * Asks the provider how the connection is and, where it is connected, reads its accounts and balances anew;
     * accounts that are no longer listed become `missing`. How the connection is is kept even where the accounts cannot
     * be read. `guard` runs first in the transaction that writes: who has lost the right to write stops there. Events
     * tell what has changed, with `cause` as who looked.
     */
    readonly refresh: <E>(
      bank: Bank,
      guard: Effect.Effect<void, E>,
      cause: ActorRef
    ) => Effect.Effect<Refreshed, ProviderNotAvailable | ProviderError | NotFound | StorageUnavailable | E>
  }
>()("@millrace/core/bank/Banks") {
  static readonly layer: Layer.Layer<Banks, never, BankStore | Providers | EventStore | Ids | Transactor> =
    Layer.effect(
      Banks,
      Effect.gen(function* () {
        const store = yield* BankStore
        const providers = yield* Providers
        const ids = yield* Ids
        const events = yield* EventStore
        const { atomically } = yield* Transactor

        const get = Effect.fn("Banks.get")(function* (caller: Caller, id: BankId) {
          return yield* reach(caller, "getBank", "Bank", yield* store.get(caller.principal.workspace.id, id))
        })

        const connectionOf = Effect.fnUntraced(function* (bank: Bank) {
          const connection = yield* store.connection(bank.id)
          if (Option.isNone(connection)) return yield* new NotFound({ resource: "Connection" })
          return connection.value
        })

        const accountOf = Effect.fnUntraced(function* (
          bank: Bank,
          held: Account | undefined,
          observed: ObservedAccount
        ) {
          const now = yield* Timestamp.now
          const { balanceAsOf, creditLimit, subtype } = observed
          const next: Account = {
            id: held?.id ?? (yield* ids.next("account")),
            workspaceId: bank.workspaceId,
            bankId: bank.id,
            providerAccountId: observed.providerAccountId,
            stableKeys: [...new Set([...observed.stableKeys, ...(held?.stableKeys ?? [])])],
            accountNumber: maskNumber(observed.number),
            // A name that a person gave is never overwritten.
            accountName: held?.accountName ?? observed.name,
            accountType: observed.type,
            ...(subtype === undefined ? {} : { accountSubtype: subtype }),
            balance: observed.balance,
            availableBalance: observed.availableBalance ?? observed.balance,
            currency: observed.currency,
            ...(creditLimit === undefined ? {} : { creditLimit }),
            ...(balanceAsOf === undefined ? {} : { balanceAsOf }),
            supports: observed.supports,
            state: "open",
            createdAt: held?.createdAt ?? now,
            updatedAt: now
          }
          return next
        })

        /** `first` is the beginning of the transaction that writes them. */
        const putAccounts = Effect.fnUntraced(function* <E>(
          bank: Bank,
          connection: BankConnection,
          first: Effect.Effect<void, E>,
          cause: ActorRef
        ) {
          const driver = yield* providers.get(connection.instanceId)
          const observed = yield* driver.listAccounts(connection.connection)
          const held = yield* store.accounts(bank.id)
          const now = yield* Timestamp.now
          const known = matchAccounts(held, observed)
          const listed: Array<Account> = []
          for (const one of observed) listed.push(yield* accountOf(bank, known.get(one), one))
          const listedIds = new Set(listed.map((account) => account.id))
          const missing = held
            .filter((account) => !listedIds.has(account.id) && account.state === "open")
            .map((account): Account => ({ ...account, state: "missing", updatedAt: now }))
          const all = [...listed, ...missing]
          yield* atomically(
            Effect.gen(function* () {
              yield* first
              yield* store.putAccounts(all)
              yield* events.append(accountEvents(held, all, cause))
            })
          )
          const before = new Set(held.filter(({ state }) => state === "open").map(({ id }) => id))
          const agrees = missing.length === 0 && listed.every(({ id }) => before.has(id))
          return { accounts: all, agrees } satisfies AccountList
        })

        const connect: Banks["Service"]["connect"] = Effect.fn("Banks.connect")(function* (caller, request) {
          yield* permit(caller, "completeConnection")
          const { workspace } = caller.principal
          const { cause } = caller
          const driver = yield* providers.get(request.instanceId)
          const completed = yield* driver.completeConnect({ attemptId: request.attemptId, payload: request.payload })
          const connection: BankConnection = { instanceId: request.instanceId, connection: completed.connection }
          const known = yield* store.byConnection(workspace.id, request.instanceId, completed.connection.ref)
          if (Option.isSome(known)) {
            const { accounts } = yield* putAccounts(known.value, connection, Effect.void, cause)
            return { bank: known.value, created: false, accounts }
          }
          const banks = yield* store.list([workspace.id])
          const limit = plans[workspace.plan].banks
          if (limit !== undefined && banks.filter((bank) => bank.source !== "file").length >= limit) {
            return yield* new PlanLimitReached({ what: "banks", limit })
          }
          const health = yield* driver.inspect(completed.connection)
          const now = yield* Timestamp.now
          const bank: Bank = {
            id: yield* ids.next("bank"),
            workspaceId: workspace.id,
            name: completed.institution.name,
            source: driver.kind,
            type: completed.bankType,
            order: nextOrder(banks),
            connectionStatus: statusOf(undefined, health, now),
            institutionId: completed.institution.id,
            providerInstanceId: driver.instanceId,
            createdAt: now,
            updatedAt: now
          }
          // Secrets are on disk before anybody hears that it worked.
          yield* store.insert(bank, connection)
          const { accounts } = yield* putAccounts(bank, connection, Effect.void, cause)
          return { bank, created: true, accounts }
        })

        const refresh = Effect.fn("Banks.refresh")(function* <E>(
          bank: Bank,
          guard: Effect.Effect<void, E>,
          cause: ActorRef
        ) {
          const connection = yield* connectionOf(bank)
          const driver = yield* providers.get(connection.instanceId)
          const now = yield* Timestamp.now
          const status = statusOf(bank.connectionStatus, yield* driver.inspect(connection.connection), now)
          const keep = Effect.gen(function* () {
            yield* guard
            const before = Option.flatMap(yield* store.get(bank.workspaceId, bank.id), ({ connectionStatus }) =>
              Option.fromUndefinedOr(connectionStatus)
            )
            yield* store.setStatus(bank.id, status, now)
            if (Option.isSome(before)) yield* events.append(statusEvents(bank, before.value, status, cause))
          })
          if (!status.connected) {
            yield* atomically(keep)
            return { status, connection, listed: undefined }
          }
          const listed = yield* Effect.result(putAccounts(bank, connection, keep, cause))
          if (Result.isSuccess(listed)) return { status, connection, listed: listed.success }
          return yield* Effect.andThen(atomically(keep), Effect.fail(listed.failure))
        })

        return Banks.of({
          list: Effect.fn("Banks.list")(function* (caller, which) {
            yield* permit(caller, "listBanks")
            if (which === "deleted") yield* needScopes(caller, { anyOf: ["banks:write"] })
            return yield* Effect.filter(yield* store.list(readableIds(caller), which), ({ id, source }) =>
              source === "file"
                ? Effect.map(store.accounts(id), (accounts) => accounts.some(({ state }) => state === "open"))
                : Effect.succeed(true)
            )
          }),
          get,
          connect,
          refresh
        })
      })
    )
}
