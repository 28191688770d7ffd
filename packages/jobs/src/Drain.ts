/** Stopping the engine of this process while the rest of it still stands. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Drain extends Context.Service<
  Drain,
  {
    /**
     * Takes no more jobs, gives back those that run, at their next page or after a few seconds, and leaves the
     * cluster; returns when that is done. Happens once, also when the engine's layer ends.
     */
    readonly drain: Effect.Effect<void>
  }
>()("@millrace/jobs/Drain") {}
