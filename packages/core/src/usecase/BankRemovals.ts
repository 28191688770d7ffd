/** Deleting banks, bringing them back, and removing them permanently (decisions 6.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { needSession, permit, reach } from "../access/Access.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Caller } from "../access/Caller.ts"
import { natureOf, purgedUntil, type Bank, type BankId } from "../bank/Bank.ts"
import { bankDeleted, bankRestored } from "../bank/BankEvents.ts"
import { bankRefusal, nextBankState, stateOf, type BankChange, type BankRemoval } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import { EventStore } from "../event/EventStore.ts"
import { Conflict, NotFound, PlanLimitReached, type Forbidden } from "../failure/Failure.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Tasks } from "../task/Tasks.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { plans } from "../workspace/Plan.ts"
import { bankRemovalTask, connectionCheckTask } from "./BankRemovalTaskKind.ts"

/** Banks that one run of the monthly cleanup takes up at most. */
const purgeBatch = 100

const taskOf = ({ id, workspaceId }: Pick<Bank, "id" | "workspaceId">) => ({
  payload: { workspaceId, bankId: id },
  workspaceId,
  key: id
})

type RemoveError = NotFound | Conflict | Forbidden | StorageUnavailable

export class BankRemovals extends Context.Service<
  BankRemovals,
  {
    /**
     * Deletes a bank that no feed names: it can be restored until the cleanup of the month. `permanently` removes it permanently
     * with all that is known of it, in the background; asked again after that has failed, it goes on where it stopped.
     * Permanent removal needs a signed-in person.
     */
    readonly remove: (
      caller: Caller,
      id: BankId,
      options?: { readonly permanently?: boolean }
    ) => Effect.Effect<"deleted" | "removing", RemoveError>
    /**
     * A deleted bank is back, or one that could not be disconnected; its connection is looked at again. `Conflict` where its
     * removal is under way, or has destroyed something already.
     */
    readonly restore: (caller: Caller, id: BankId) => Effect.Effect<Bank, RemoveError | PlanLimitReached>
    /** The monthly cleanup, for anyone who runs recurring work: takes up what is due. Returns how much. */
    readonly purge: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/usecase/BankRemovals") {
  static readonly layer: Layer.Layer<
    BankRemovals,
    never,
    BankStore | FeedStore | EventStore | TaskStore | Transactor | Ids
  > = Layer.effect(
    BankRemovals,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const feeds = yield* FeedStore
      const events = yield* EventStore
      const tasks = yield* Tasks
      const { atomically } = yield* Transactor

      /** Fails where a feed names an account of it, paused or not, or has its files booked under it. */
      const checkUnused = Effect.fnUntraced(function* (bank: Bank) {
        const accounts = new Set((yield* banks.accounts(bank.id)).map(({ id }) => id))
        const users = (yield* feeds.list([bank.workspaceId], {})).filter(({ fileBankId, sourceConfig }) => {
          if (fileBankId === bank.id) return true
          if (sourceConfig?.type === "sync") return sourceConfig.accounts.some(({ bankId }) => bankId === bank.id)
          return (
            sourceConfig?.type === "upload" &&
            sourceConfig.accountId !== undefined &&
            accounts.has(sourceConfig.accountId)
          )
        })
        if (users.length === 0) return
        return yield* new Conflict({
          code: "BANK_IN_USE",
          message: `Bank is used by ${users.length} ${users.length === 1 ? "feed" : "feeds"}`,
          details: users.map(({ id }) => ({ field: "feedIds", message: id }))
        })
      })

      const begin = Effect.fnUntraced(function* (bank: Bank, cause: ActorRef, now: Timestamp.Timestamp) {
        // What has failed goes on with the stage in which it did.
        const stage = bank.removal?.stage ?? "provider"
        const removal: BankRemoval = { state: "removing", stage, tries: 0, cause }
        const { deletedAt } = bank
        yield* banks.setLife(bank.id, { ...(deletedAt === undefined ? {} : { deletedAt }), removal }, now)
        yield* tasks.enqueue(bankRemovalTask, taskOf(bank))
      })

      /** The bank, which stays as it is until the transaction ends, where the event may follow upon its state. */
      const held = Effect.fnUntraced(function* (
        caller: Caller,
        operation: "deleteBank" | "restoreBank",
        id: BankId,
        event: BankChange
      ) {
        const bank = yield* reach(caller, operation, "Bank", yield* banks.hold(caller.principal.workspace.id, id))
        const from = stateOf(bank)
        if (nextBankState(from, event) === undefined) return yield* bankRefusal(from, event)
        return { bank, from }
      })

      const remove: BankRemovals["Service"]["remove"] = Effect.fn("BankRemovals.remove")(function* (
        caller,
        id,
        { permanently = false } = {}
      ) {
        yield* permit(caller, "deleteBank")
        if (permanently) yield* needSession(caller)
        const now = yield* Timestamp.now
        return yield* atomically(
          Effect.gen(function* () {
            const { bank, from } = yield* held(caller, "deleteBank", id, permanently ? "deletePermanently" : "delete")
            if (from === "removing") return "removing" as const
            if (from === "live" || from === "deleted") yield* checkUnused(bank)
            if (permanently) {
              yield* begin(bank, caller.cause, now)
              return "removing" as const
            }
            yield* banks.setLife(id, { deletedAt: now }, now)
            const { workspaceId } = bank
            yield* events.append([
              bankDeleted.of({ workspaceId, subjectId: id, cause: caller.cause, data: { bankId: id } })
            ])
            return "deleted" as const
          })
        )
      })

      const restore: BankRemovals["Service"]["restore"] = Effect.fn("BankRemovals.restore")(function* (caller, id) {
        yield* permit(caller, "restoreBank")
        const { workspace } = caller.principal
        const now = yield* Timestamp.now
        return yield* atomically(
          Effect.gen(function* () {
            const { bank, from } = yield* held(caller, "restoreBank", id, "restore")
            const live = yield* banks.list([workspace.id])
            const limit = plans[workspace.plan].banks
            const connected = live.filter((one) => one.id !== id && natureOf(one) === "connected").length
            // One whose removal failed has never left its place.
            if (from === "deleted" && limit !== undefined && natureOf(bank) === "connected" && connected >= limit) {
              return yield* new PlanLimitReached({ what: "banks", limit })
            }
            const connection = yield* banks.connection(id)
            if (Option.isSome(connection)) {
              const { connection: reached, instanceId } = connection.value
              const other = yield* banks.byConnection(workspace.id, instanceId, reached.ref)
              if (Option.isSome(other) && other.value.id !== id) {
                return yield* new Conflict({
                  code: "ALREADY_EXISTS",
                  message: "The same connection is another bank by now",
                  details: [{ field: "bankId", message: other.value.id }]
                })
              }
              const { payload, ...of } = taskOf(bank)
              yield* tasks.enqueue(connectionCheckTask, { ...of, payload: { ...payload, source: "user" } })
            }
            yield* banks.setLife(id, {}, now)
            yield* tasks.withdraw(bankRemovalTask, id)
            yield* events.append([
              bankRestored.of({ workspaceId: workspace.id, subjectId: id, cause: caller.cause, data: { bankId: id } })
            ])
            const { deletedAt: _, removal: _r, ...rest } = bank
            return { ...rest, updatedAt: now } satisfies Bank
          })
        )
      })

      const cause: ActorRef = { kind: "system", reason: "cleanup" }

      const purge = Effect.gen(function* () {
        const now = yield* Timestamp.now
        const until = purgedUntil(now)
        const due = yield* banks.purgeable(until, purgeBatch)
        for (const { id, workspaceId } of due) {
          yield* atomically(
            Effect.gen(function* () {
              const bank = Option.getOrUndefined(yield* banks.hold(workspaceId, id))
              // A person may have brought it back, or have deleted it again, since it was found.
              if (bank?.deletedAt === undefined || stateOf(bank) !== "deleted" || bank.deletedAt > until) return
              yield* begin(bank, cause, now)
            })
          )
        }
        return due.length
      }).pipe(Effect.withSpan("BankRemovals.purge"))

      return BankRemovals.of({ remove, restore, purge })
    })
  ).pipe(Layer.provide(Tasks.layer))
}
