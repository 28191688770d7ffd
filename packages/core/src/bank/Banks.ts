/** Bank connections: listing and connecting (decisions 5.2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { needScopes, permit, reach } from "../access/Access.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import { readableIds, type Caller } from "../access/Caller.ts"
import { EventStore } from "../event/EventStore.ts"
import type { Forbidden, NotFound } from "../failure/Failure.ts"
import { statusAfter, type ConnectionStatus } from "../provider/ConnectionHealth.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Providers, ProviderNotAvailable } from "../provider/Providers.ts"
import type { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { AccountLists, type AccountList } from "./AccountList.ts"
import { natureOf, type Bank, type BankId } from "./Bank.ts"
import { stateOf } from "./BankRemoval.ts"
import { statusEvents } from "./BankEvents.ts"
import { BankStore } from "./BankStore.ts"
import { Connecting } from "./Connecting.ts"
import type { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import { Sessions, type BankSession } from "./Sessions.ts"

/** What a look at a connection found. */
export interface Refreshed {
  readonly status: ConnectionStatus
  /** What the rest of the run asks through. */
  readonly session: BankSession
  /** `undefined` where it is not connected. */
  readonly listed: AccountList | undefined
}

export class Banks extends Context.Service<
  Banks,
  {
    /**
     * Those that have an account: a bank of files has one only once a file names one. What was made for a feed is no
     * bank: neither this nor `get` shows it.
     */
    readonly list: (
      caller: Caller,
      /** Deleted ones are shown to those who may delete. */
      which?: "live" | "deleted"
    ) => Effect.Effect<ReadonlyArray<Bank>, Forbidden | StorageUnavailable>
    /** Deleted ones are not there; those that are being removed are, and say so. */
    readonly get: (caller: Caller, id: BankId) => Effect.Effect<Bank, NotFound | Forbidden | StorageUnavailable>
    /** Completes a connection: once for each attempt, whatever fails on the way. `Connecting` says how. */
    readonly connect: Connecting["Service"]["complete"]
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
  static readonly layer: Layer.Layer<
    Banks,
    never,
    BankStore | ConnectionAttemptStore | Leases | Providers | EventStore | Ids | Transactor
  > = Layer.effect(
    Banks,
    Effect.gen(function* () {
      const store = yield* BankStore
      const sessions = yield* Sessions
      const lists = yield* AccountLists
      const connecting = yield* Connecting
      const events = yield* EventStore
      const { atomically } = yield* Transactor

      const get = Effect.fn("Banks.get")(function* (caller: Caller, id: BankId) {
        const found = yield* store.get(caller.principal.workspace.id, id)
        return yield* reach(
          caller,
          "getBank",
          "Bank",
          Option.filter(found, (bank) => stateOf(bank) !== "deleted")
        )
      })

      const refresh = Effect.fn("Banks.refresh")(function* <E>(
        bank: Bank,
        guard: Effect.Effect<void, E>,
        cause: ActorRef
      ) {
        const session = yield* sessions.open(bank)
        const health = yield* session.inspect
        const now = yield* Timestamp.now
        const status = statusAfter(bank.connectionStatus, health, now)
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
          return { status, session, listed: undefined }
        }
        const listed = yield* Effect.result(lists.read(bank, session, keep, cause))
        if (Result.isSuccess(listed)) return { status, session, listed: listed.success }
        return yield* Effect.andThen(atomically(keep), Effect.fail(listed.failure))
      })

      return Banks.of({
        list: Effect.fn("Banks.list")(function* (caller, which) {
          yield* permit(caller, "listBanks")
          if (which === "deleted") yield* needScopes(caller, { anyOf: ["banks:write"] })
          return yield* Effect.filter(yield* store.list(readableIds(caller), which), (bank) =>
            natureOf(bank) === "files"
              ? Effect.map(store.accounts(bank.id), (accounts) => accounts.some(({ state }) => state === "open"))
              : Effect.succeed(true)
          )
        }),
        get,
        connect: connecting.complete,
        refresh
      })
    })
  ).pipe(Layer.provide(Connecting.layer), Layer.provide([AccountLists.layer, Sessions.layer]))
}
