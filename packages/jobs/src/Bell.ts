/** Tells the dispatcher of this process that looking for due jobs is worth while now, not with the next tick. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class Bell extends Context.Service<
  Bell,
  {
    /** A job became due. */
    readonly arrived: Effect.Effect<void>
    /** There is room for another job here. */
    readonly ended: Effect.Effect<void>
    /** Forgets what was told so far. */
    readonly hush: Effect.Effect<void>
    /** Waits until one of them is told, or was told since the last `hush`. */
    readonly heard: (which: { readonly arrivals: boolean; readonly endings: boolean }) => Effect.Effect<void>
  }
>()("@millrace/jobs/Bell") {
  static readonly layer: Layer.Layer<Bell> = Layer.sync(Bell, () => {
    const arrivals = Latch.makeUnsafe(false)
    const endings = Latch.makeUnsafe(false)
    return Bell.of({
      arrived: Effect.sync(() => void arrivals.openUnsafe()),
      ended: Effect.sync(() => void endings.openUnsafe()),
      hush: Effect.sync(() => {
        arrivals.closeUnsafe()
        endings.closeUnsafe()
      }),
      heard: (which) => {
        if (!which.endings) return which.arrivals ? arrivals.await : Effect.never
        return which.arrivals ? Effect.raceFirst(arrivals.await, endings.await) : endings.await
      }
    })
  })
}
