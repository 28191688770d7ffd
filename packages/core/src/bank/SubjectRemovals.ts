/**
 * Taking back, at each upstream, the customer whom the connections of a workspace belonged to, once nothing needs them there.
 *
 * A subject ends first, in one transaction with the look at what needs it: from then on anyone who connects begins another
 * one, so the upstream can be asked as often as it takes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ProviderError } from "../provider/ProviderError.ts"
import { Providers, type ProviderNotAvailable } from "../provider/Providers.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { BankId } from "./Bank.ts"
import { BankStore } from "./BankStore.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import { ConnectionSubjectStore } from "./ConnectionSubject.ts"

/** Whose subject may be of no more use, such as that of a bank that has given its connection back. */
export interface LeftBehind<E> {
  readonly workspaceId: WorkspaceId
  readonly instanceId: string
  /** The bank that goes; absent where none was ever made, or none is left. */
  readonly bankId?: BankId
  /** Fails where somebody else does it by now. */
  readonly guard: Effect.Effect<void, E>
}

export class SubjectRemovals extends Context.Service<
  SubjectRemovals,
  {
    /**
     * `done`: another bank has it, or the upstream has it no longer or keeps none. `awaited`: an attempt may still make a bank of it.
     * `pending`: the upstream goes on with it by itself. Asking again is harmless.
     */
    readonly removeUnused: <E>(
      left: LeftBehind<E>
    ) => Effect.Effect<"done" | "awaited" | "pending", E | ProviderNotAvailable | ProviderError | StorageUnavailable>
  }
>()("@millrace/core/bank/SubjectRemovals") {
  static readonly layer: Layer.Layer<
    SubjectRemovals,
    never,
    BankStore | ConnectionAttemptStore | ConnectionSubjectStore | Providers | Transactor
  > = Layer.effect(
    SubjectRemovals,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const attempts = yield* ConnectionAttemptStore
      const subjects = yield* ConnectionSubjectStore
      const providers = yield* Providers
      const { atomically } = yield* Transactor

      /** Ends it where nothing needs it; tells whether an attempt does. */
      const endUnused = <E>({ bankId, guard, instanceId, workspaceId }: LeftBehind<E>) =>
        atomically(
          Effect.gen(function* () {
            yield* guard
            if (Option.isNone(yield* subjects.hold(workspaceId, instanceId))) return false
            // In this order: an attempt that makes its bank between the two looks is seen by one of them.
            const isRunning = yield* attempts.anyRunning(workspaceId, instanceId, bankId)
            if (yield* banks.anyConnected(workspaceId, instanceId)) return false
            if (!isRunning) yield* subjects.end(workspaceId, instanceId, yield* Timestamp.now)
            return isRunning
          })
        )

      return SubjectRemovals.of({
        removeUnused: Effect.fn("SubjectRemovals.removeUnused")(function* (left) {
          const { instanceId, workspaceId } = left
          const isNeeded = yield* endUnused(left)
          const ended = yield* subjects.ended(workspaceId, instanceId)
          if (!isNeeded && ended.length === 0) return "done"
          const { removeSubject } = yield* providers.get(instanceId)
          // An upstream that keeps nothing but connections has nothing to give back later: no attempt is waited for.
          const isAwaited = isNeeded && removeSubject !== undefined
          let isPending = false
          for (const subject of ended) {
            const answer = removeSubject === undefined ? "done" : yield* removeSubject(subject)
            if (answer === "done") yield* subjects.forget(workspaceId, instanceId, subject.ref)
            else isPending = true
          }
          return isPending ? "pending" : isAwaited ? "awaited" : "done"
        })
      })
    })
  )
}
