/** Bank connections: listing, connecting, and what people say of them (decisions 5.2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { needScopes, permit, reach, shows } from "../access/Access.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import { readableIds, type Caller } from "../access/Caller.ts"
import type { EventStore } from "../event/EventStore.ts"
import { Conflict, NotFound, type Forbidden } from "../failure/Failure.ts"
import type { RefreshStarted } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Providers, ProviderNotAvailable } from "../provider/Providers.ts"
import type { SyncDataType } from "../record/DataType.ts"
import type { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { AccountLists } from "./AccountList.ts"
import { natureOf, type Bank, type BankId } from "./Bank.ts"
import { stateOf, unusableBank } from "./BankRemoval.ts"
import { BankRoom } from "./BankRoom.ts"
import { type BankDetails, BankStore } from "./BankStore.ts"
import { ConnectedBanks } from "./ConnectedBanks.ts"
import { Connecting } from "./Connecting.ts"
import { attemptAsOf, type ConnectionAttempt, type ConnectionAttemptId } from "./ConnectionAttempt.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import type { ConnectionSubjectStore } from "./ConnectionSubject.ts"
import { ConnectionChecks, type Refreshed } from "./ConnectionChecks.ts"
import { Sessions } from "./Sessions.ts"
import { ConnectionStart } from "./ConnectionStart.ts"
import { Subjects } from "./Subjects.ts"

export type { Refreshed }

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
    /** Its name, icon and place in the order, as people want them. */
    readonly update: (
      caller: Caller,
      id: BankId,
      change: BankDetails
    ) => Effect.Effect<Bank, NotFound | Conflict | Forbidden | StorageUnavailable>
    /** Begins a connection: an attempt, and the step that the person's browser goes on with. `ConnectionStart` says how. */
    readonly start: ConnectionStart["Service"]["start"]
    /** Starts to reconnect a bank. */
    readonly reauth: ConnectionStart["Service"]["reauth"]
    /** Completes a connection: once for each attempt, whatever fails on the way. `Connecting` says how. */
    readonly connect: Connecting["Service"]["complete"]
    /** How an attempt goes, for anyone who waits for it. Apps see those that they began. */
    readonly attempt: (
      caller: Caller,
      id: ConnectionAttemptId
    ) => Effect.Effect<ConnectionAttempt, NotFound | Forbidden | StorageUnavailable>
    /** Asks the provider to read from the bank now, where it can be asked. `Conflict` where a person has to mend the connection first. */
    readonly ask: (
      caller: Caller,
      id: BankId,
      /** Empty: all that it has. */
      dataTypes: ReadonlyArray<SyncDataType>
    ) => Effect.Effect<
      RefreshStarted,
      ProviderNotAvailable | ProviderError | NotFound | Conflict | Forbidden | StorageUnavailable
    >
    /**
     * Asks the provider how the connection is and, where it is connected, reads its accounts and balances again;
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
    Banks | Connecting | ConnectionStart | ConnectionChecks | Sessions,
    never,
    | BankStore
    | ConnectionAttemptStore
    | ConnectionSubjectStore
    | Leases
    | Providers
    | EventStore
    | Digest
    | Ids
    | Transactor
  > = Layer.effect(
    Banks,
    Effect.gen(function* () {
      const store = yield* BankStore
      const attempts = yield* ConnectionAttemptStore
      const sessions = yield* Sessions
      const connecting = yield* Connecting
      const starting = yield* ConnectionStart
      const checks = yield* ConnectionChecks
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

      /** A bank that is there to be used, for those who may change it. */
      const live = Effect.fnUntraced(function* (caller: Caller, operation: "updateBank" | "refreshBank", id: BankId) {
        const found = yield* store.get(caller.principal.workspace.id, id)
        const bank = yield* reach(caller, operation, "Bank", found)
        const refusal = unusableBank(bank)
        return refusal === undefined ? bank : yield* refusal
      })

      return Banks.of({
        list: Effect.fnUntraced(function* (caller, which) {
          yield* permit(caller, "listBanks")
          if (which === "deleted") yield* needScopes(caller, { anyOf: ["banks:write"] })
          const banks = yield* store.list(readableIds(caller), which)
          if (banks.every((bank) => natureOf(bank) !== "files")) return banks
          return yield* Effect.filter(banks, (bank) =>
            natureOf(bank) === "files"
              ? Effect.map(store.accounts(bank.id), (accounts) => accounts.some(({ state }) => state === "open"))
              : Effect.succeed(true)
          )
        }),
        get,
        update: Effect.fn("Banks.update")(function* (caller, id, change) {
          return yield* atomically(
            Effect.gen(function* () {
              const bank = yield* live(caller, "updateBank", id)
              yield* store.update(bank.workspaceId, id, change, yield* Timestamp.now)
              return Option.getOrElse(yield* store.get(bank.workspaceId, id), () => bank)
            })
          )
        }),
        start: starting.start,
        reauth: starting.reauth,
        connect: connecting.complete,
        attempt: Effect.fn("Banks.attempt")(function* (caller, id) {
          yield* permit(caller, "getConnectionAttempt")
          const found = Option.filter(yield* attempts.get(id), (attempt) =>
            shows(caller, "getConnectionAttempt", attempt)
          )
          if (Option.isNone(found)) return yield* new NotFound({ resource: "Attempt" })
          return attemptAsOf(found.value, yield* Timestamp.now)
        }),
        ask: Effect.fn("Banks.ask")(function* (caller, id, dataTypes) {
          const bank = yield* live(caller, "refreshBank", id)
          if (bank.connectionStatus === undefined) return { status: "not_supported" }
          if (!bank.connectionStatus.connected) {
            return yield* new Conflict({
              code: "INVALID_STATE",
              message: `Bank is ${bank.connectionStatus.status}. Reconnect it with reauthConnection first`,
              details: []
            })
          }
          const checking = { guard: Effect.void, cause: caller.cause }
          return yield* Effect.gen(function* () {
            const session = yield* sessions.open(bank)
            const can = session.driver.capabilities.refresh
            if (session.refresh === undefined || can === undefined) return { status: "not_supported" } as const
            const wanted = can.dataTypes.filter((type) => dataTypes.length === 0 || dataTypes.includes(type))
            return wanted.length === 0 ? ({ status: "not_supported" } as const) : yield* session.refresh(wanted)
          }).pipe(
            Effect.tapError((error) =>
              error._tag === "NotFound" || error._tag === "ProviderNotAvailable" || error._tag === "StorageUnavailable"
                ? Effect.void
                : Effect.ignore(checks.failed(bank, error, checking, { source: "user" }))
            )
          )
        }),
        refresh: (bank, guard, cause) => checks.refresh(bank, { guard, cause })
      })
    })
  ).pipe(
    Layer.provideMerge([Connecting.layer, ConnectionStart.layer]),
    Layer.provideMerge(ConnectionChecks.layer),
    Layer.provide(ConnectedBanks.layer),
    Layer.provide(AccountLists.layer),
    Layer.provide(BankRoom.layer),
    Layer.provideMerge(Sessions.layer),
    Layer.provide(Subjects.layer)
  )
}
