/**
 * What belongs after a transaction that somebody opened around a use case. The use case does not know of it: it says what
 * others may be told once its changes hold, and what is to be kept where they are undone.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StorageUnavailable } from "./StorageUnavailable.ts"
import { Transactor } from "./Transactor.ts"

interface TransactionEnd {
  readonly committed: Array<Effect.Effect<void>>
  readonly undone: Array<Effect.Effect<void>>
}

const CurrentEnd = Context.Reference<TransactionEnd | undefined>("@millrace/core/storage/TransactionEnd/CurrentEnd", {
  defaultValue: () => undefined
})

/** Runs it once what was done so far holds: now, or when the transaction around it has ended well. */
export const onceCommitted = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(CurrentEnd, (end) => (end === undefined ? effect : Effect.sync(() => void end.committed.push(effect))))

/** Runs it where the transaction around it is undone. */
export const onceUndone = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(CurrentEnd, (end) =>
    end === undefined ? Effect.void : Effect.sync(() => void end.undone.push(effect))
  )

/**
 * Runs a use case in a transaction together with more: `around` is given the use case, as calls that take effect together or
 * not at all, and what it does itself takes effect with them.
 */
export const makeTogether = Effect.map(
  Transactor,
  ({ atomically }) =>
    <A, E, R, B, E2, R2>(
      useCase: Effect.Effect<A, E, R>,
      around: (useCase: Effect.Effect<A, E | StorageUnavailable, R>) => Effect.Effect<B, E2, R2>
    ): Effect.Effect<B, E2 | StorageUnavailable, R2> =>
      Effect.suspend(() => {
        const end: TransactionEnd = { committed: [], undone: [] }
        let held = false
        const inner = Effect.onExit(atomically(Effect.provideService(useCase, CurrentEnd, end)), (exit) =>
          Effect.sync(() => {
            held = Exit.isSuccess(exit)
          })
        )
        return Effect.onExit(atomically(around(inner)), (exit) =>
          Effect.forEach(held && Exit.isSuccess(exit) ? end.committed : end.undone, (effect) => effect, {
            discard: true
          })
        )
      })
)
