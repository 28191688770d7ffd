/**
 * Who plans, and for how long: requests are answered by the same thread, so planning stops after so much work (`limits.turnWork`),
 * and only one of those that wait goes on each time that everybody else has had their turn.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { RunWork } from "./RunWork.ts"

/** Waits until it is its turn again; it learns how much was done since the last one. One for all kernels of a process, as the thread is. */
export const PlanningTurns = Context.Reference<(done: number) => Effect.Effect<void>>(
  "@millrace/core/enrichment/PlanningTurns",
  {
    defaultValue: () => {
      const turns = Semaphore.makeUnsafe(1)
      return () => turns.withPermit(Effect.yieldNow)
    }
  }
)

/** Lets others have their turn where enough was done. */
export const nextTurn = (work: RunWork): Effect.Effect<void> =>
  Effect.suspend(() =>
    work.isTurnOver ? Effect.flatMap(PlanningTurns, (pause) => pause(work.beginTurn())) : Effect.void
  )
