/**
 * Time limits whose answer is in time. A plain timeout waits until what took too long has stopped, and a statement on
 * a connection that is cut off takes seconds for that.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

/** The effect, or `orElse` when it takes longer: then it is told to stop, and nobody waits until it has. */
export const within =
  <B, E2, R2>(duration: Duration.Input, orElse: () => Effect.Effect<B, E2, R2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | B, E | E2, R | R2> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkDetach(restore(effect))
        const exit = yield* Fiber.await(fiber).pipe(
          Effect.timeoutOption(duration),
          restore,
          Effect.onInterrupt(() => Fiber.interrupt(fiber))
        )
        if (Option.isSome(exit)) return yield* exit.value
        fiber.interruptUnsafe()
        return yield* restore(orElse())
      })
    )
