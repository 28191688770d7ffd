/** How long a kind plans, without what it waits for storage: told, and nothing more (enrichments A11, decision 40). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { limits } from "../shared/Limits.ts"

/** The same each time, so that a run that is as slow as the one before says nothing new. */
export const slowMessage = `limit: planning took more than ${limits.partitionMillis / 1_000} s a partition; what it says stands`

export class PlanningTime {
  private waited = 0
  private slow = false

  /** Whether anything was planned for longer than it may. */
  get isSlow(): boolean {
    return this.slow
  }

  /** What the kind waits for while it plans. */
  reading<A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.timed(read, (millis) => {
      this.waited += millis
    })
  }

  /** So many partitions, planned in one go. */
  planning<A, E, R>(partitions: number, plan: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.waited = 0
      return this.timed(plan, (millis) => {
        if (millis - this.waited > limits.partitionMillis * partitions) this.slow = true
      })
    })
  }

  private timed<A, E, R>(work: Effect.Effect<A, E, R>, took: (millis: number) => void): Effect.Effect<A, E, R> {
    return Effect.flatMap(Clock.currentTimeMillis, (from) =>
      Effect.ensuring(
        work,
        Effect.map(Clock.currentTimeMillis, (to) => took(to - from))
      )
    )
  }
}
