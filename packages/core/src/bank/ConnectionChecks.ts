/** Checks of connections: how they are, what has changed since, and who is informed (decisions 6.2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import { EventStore } from "../event/EventStore.ts"
import type { NotFound } from "../failure/Failure.ts"
import {
  type ConnectionHealth,
  type KeptStatus,
  statusAfter,
  statusAfterFailure,
  statusAfterRead,
  statusBeforeRead,
  type StatusSource,
  stillUnread,
  withUnread
} from "../provider/ConnectionHealth.ts"
import { isProviderError, Misconfigured, type ProviderError } from "../provider/ProviderError.ts"
import type { UnreadAccount } from "../provider/ReadAccounts.ts"
import type { SyncDataType } from "../record/DataType.ts"
import type { ProviderNotAvailable } from "../provider/Providers.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { AccountLists, type AccountList } from "./AccountList.ts"
import { logAndIgnore } from "./LogAndIgnore.ts"
import type { Bank } from "./Bank.ts"
import { statusEvents } from "./BankEvents.ts"
import { BankStore } from "./BankStore.ts"
import { Sessions, type BankSession } from "./Sessions.ts"

/** What a check of a connection found. */
export interface Refreshed {
  readonly status: KeptStatus
  /** What the rest of the run asks through. */
  readonly session: BankSession
  /** `undefined` where it is not connected. */
  readonly listed: AccountList | undefined
}

/** Why nobody could check at all. */
type Unchecked = ProviderNotAvailable | NotFound | StorageUnavailable

/** Who checks, first of all in the transaction that writes: who has lost the right to write stops there. */
interface Checking<E> {
  readonly guard: Effect.Effect<void, E>
  readonly cause: ActorRef
}

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"

/** What a failed check says of the connection. A bank stays here when its provider leaves the configuration. */
const saidBy = (error: ProviderError | Unchecked): ProviderError | undefined => {
  if (error._tag !== "ProviderNotAvailable") return isProviderError(error) ? error : undefined
  const { instanceId } = error
  return new Misconfigured({
    message: `The provider ${instanceId} is not configured here: add it to MILLRACE_PROVIDERS, or to providers of the configuration file`
  })
}

export class ConnectionChecks extends Context.Service<
  ConnectionChecks,
  {
    /**
     * Asks the provider how the connection is and, where it is connected, reads its accounts and balances again;
     * accounts that are no longer listed become `missing`. How the connection is is kept even where the accounts cannot
     * be read. Events tell what has changed.
     */
    readonly refresh: <E>(
      bank: Bank,
      checking: Checking<E>
    ) => Effect.Effect<Refreshed, ProviderNotAvailable | ProviderError | NotFound | StorageUnavailable | E>
    /** Asks the provider how the connection is, and for nothing else. */
    readonly check: <E>(
      bank: Bank,
      checking: Checking<E>,
      source: StatusSource
    ) => Effect.Effect<KeptStatus, ProviderNotAvailable | ProviderError | NotFound | StorageUnavailable | E>
    /** Keeps what somebody else found out, such as a callback. */
    readonly observe: <E>(
      bank: Pick<Bank, "id" | "workspaceId">,
      health: ConnectionHealth,
      checking: Checking<E>,
      source: StatusSource
    ) => Effect.Effect<void, StorageUnavailable | E>
    /**
     * Keeps what a failure says of the connection: at once what only a person can mend, the rest after some time. With
     * `dataType` it was a read of that type, which had a good look before it: a read of it that succeeds mends it (`read`).
     */
    readonly failed: <E>(
      bank: Pick<Bank, "id" | "workspaceId">,
      error: ProviderError,
      checking: Checking<E>,
      how?: { readonly source?: StatusSource; readonly dataType?: SyncDataType }
    ) => Effect.Effect<void, StorageUnavailable | E>
    /** A type of data was read: what failed reads of it have said of the connection is over. */
    readonly read: <E>(
      bank: Pick<Bank, "id" | "workspaceId">,
      dataType: SyncDataType,
      checking: Checking<E>
    ) => Effect.Effect<void, StorageUnavailable | E>
  }
>()("@millrace/core/bank/ConnectionChecks") {
  static readonly layer: Layer.Layer<
    ConnectionChecks,
    never,
    BankStore | Sessions | AccountLists | EventStore | Transactor
  > = Layer.effect(
    ConnectionChecks,
    Effect.gen(function* () {
      const store = yield* BankStore
      const sessions = yield* Sessions
      const lists = yield* AccountLists
      const events = yield* EventStore
      const { atomically } = yield* Transactor

      /** Writes the status that follows from the one that is kept now, and tells what has changed. */
      const keeping = Effect.fnUntraced(function* <E>(
        { id, workspaceId }: Pick<Bank, "id" | "workspaceId">,
        { cause, guard }: Checking<E>,
        next: (before: KeptStatus | undefined, now: Timestamp.Timestamp) => KeptStatus | undefined
      ) {
        yield* guard
        const now = yield* Timestamp.now
        const found = yield* store.get(workspaceId, id)
        const before = Option.getOrUndefined(found)?.connectionStatus
        const status = next(before, now)
        if (status === undefined) return before
        yield* store.setStatus(id, status, now)
        if (before !== undefined) yield* events.append(statusEvents({ id, workspaceId }, before, status, cause))
        return status
      })

      const failed: ConnectionChecks["Service"]["failed"] = Effect.fn("ConnectionChecks.failed")(function* (
        bank,
        error,
        checking,
        { dataType, source } = {}
      ) {
        yield* atomically(
          keeping(bank, checking, (before, now) =>
            before === undefined ? undefined : statusAfterFailure(before, error, now, source, dataType)
          )
        )
      })

      /** What a failed look leaves behind. */
      const noted =
        <E>(bank: Bank, checking: Checking<E>, source?: StatusSource) =>
        <A, E2 extends Unchecked>(look: Effect.Effect<A, ProviderError | E2>) =>
          Effect.tapError(look, (error) => {
            const said = saidBy(error)
            return said === undefined
              ? Effect.void
              : logAndIgnore(bank, failed(bank, said, checking, source === undefined ? {} : { source }))
          })

      const refresh = Effect.fn("ConnectionChecks.refresh")(function* <E>(bank: Bank, checking: Checking<E>) {
        const noting = noted(bank, checking)
        const session = yield* noting(sessions.open(bank))
        const health = yield* noting(session.inspect)
        const { readable } = statusBeforeRead(bank.connectionStatus, health, yield* Timestamp.now)
        let status: KeptStatus | undefined
        const keep = (unread: ReadonlyArray<UnreadAccount>) =>
          Effect.map(
            keeping(bank, checking, (before, now) => statusBeforeRead(before, withUnread(health, unread), now).status),
            (kept) => void (status = kept)
          )
        const found = (listed: AccountList | undefined): Refreshed => ({ status: status!, session, listed })
        if (!readable) {
          yield* atomically(keep([]))
          return found(undefined)
        }
        return yield* lists.read(bank, session, keep, checking.cause).pipe(
          Effect.map(found),
          Effect.tapError((error) =>
            isTagged(error) && isProviderError(error)
              ? Effect.andThen(atomically(keep([])), logAndIgnore(bank, failed(bank, error, checking)))
              : Effect.void
          )
        )
      })

      const check = Effect.fn("ConnectionChecks.check")(function* <E>(
        bank: Bank,
        checking: Checking<E>,
        source: StatusSource
      ) {
        const noting = noted(bank, checking, source)
        const session = yield* noting(sessions.open(bank))
        const health = yield* noting(session.inspect)
        const kept = keeping(bank, checking, (before, now) =>
          statusAfter(before, stillUnread(before, health), now, source)
        )
        return (yield* atomically(kept))!
      })

      return ConnectionChecks.of({
        refresh,
        check,
        failed,
        read: Effect.fn("ConnectionChecks.read")(function* (bank, dataType, checking) {
          yield* atomically(
            keeping(bank, checking, (before, now) =>
              before === undefined ? undefined : statusAfterRead(before, dataType, now)
            )
          )
        }),
        observe: Effect.fn("ConnectionChecks.observe")(function* (bank, health, checking, source) {
          yield* atomically(
            keeping(bank, checking, (before, now) => statusAfter(before, stillUnread(before, health), now, source))
          )
        })
      })
    })
  )
}
