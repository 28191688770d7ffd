/** Asking an upstream once in a session for what several answers have in common. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** The same effect, which is run until it succeeded once: from then on its answer is kept. One run at a time. */
export const once = <A, E>(asking: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const turn = Semaphore.makeUnsafe(1)
  let kept: { readonly answer: A } | undefined
  return turn.withPermit(
    Effect.suspend(() =>
      kept === undefined
        ? Effect.tap(asking, (answer) =>
            Effect.sync(() => {
              kept = { answer }
            })
          )
        : Effect.succeed(kept.answer)
    )
  )
}

/** The same by a key, such as the id of an account. */
export const onceBy = <A, E>(
  asking: (key: string) => Effect.Effect<A, E>
): ((key: string) => Effect.Effect<A, E>) => {
  const byKey = new Map<string, Effect.Effect<A, E>>()
  return (key) => {
    const known = byKey.get(key)
    if (known !== undefined) return known
    const asked = once(asking(key))
    byKey.set(key, asked)
    return asked
  }
}
