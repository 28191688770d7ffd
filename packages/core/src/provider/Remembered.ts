/** Answers that are asked for once in a session. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** The same answer for all who ask, from the first that succeeds on: anyone who asks meanwhile waits for it. A failure is not kept. */
export const remembered = <A, E, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const one = Semaphore.makeUnsafe(1)
  let kept: { readonly answer: A } | undefined
  const look = Effect.suspend(() =>
    kept === undefined
      ? Effect.tap(ask, (answer) =>
          Effect.sync(() => {
            kept = { answer }
          })
        )
      : Effect.succeed(kept.answer)
  )
  return Effect.suspend(() => (kept === undefined ? one.withPermits(1)(look) : Effect.succeed(kept.answer)))
}
