/** Wakes the dispatcher of this process where jobs may be due before its next tick. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class WakeSignal extends Context.Service<
  WakeSignal,
  {
    /** A job became due. */
    readonly arrived: Effect.Effect<void>
    /** There is room for another job here. */
    readonly ended: Effect.Effect<void>
    /** Forgets what was told so far. */
    readonly reset: Effect.Effect<void>
    /** Waits until one of them is reported, or was told since the last `reset`. */
    readonly wait: (which: { readonly arrivals: boolean; readonly endings: boolean }) => Effect.Effect<void>
  }
>()("@millrace/jobs/WakeSignal") {
  static readonly layer: Layer.Layer<WakeSignal> = Layer.sync(WakeSignal, () => {
    const arrivals = Latch.makeUnsafe(false)
    const endings = Latch.makeUnsafe(false)
    return WakeSignal.of({
      arrived: Effect.sync(() => void arrivals.openUnsafe()),
      ended: Effect.sync(() => void endings.openUnsafe()),
      reset: Effect.sync(() => {
        arrivals.closeUnsafe()
        endings.closeUnsafe()
      }),
      wait: (which) => {
        if (!which.endings) return which.arrivals ? arrivals.await : Effect.never
        return which.arrivals ? Effect.raceFirst(arrivals.await, endings.await) : endings.await
      }
    })
  })
}
