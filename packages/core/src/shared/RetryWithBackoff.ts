/** Tries again after waits that the other side asks for, as long as they are short enough. */
import * as Effect from "effect/Effect"

export interface Patience<E, E2, R2> {
  /** Further tries after the first one. */
  readonly retries: number
  /** Seconds beyond which nobody waits: the failure is returned at once. */
  readonly longestWait: number
  /** Seconds to wait before the next try; `undefined` where another try cannot help. `tried` counts from 1. */
  readonly waitAfter: (error: E, tried: number) => Effect.Effect<number | undefined>
  /** Waits; its own failure ends the tries. */
  readonly sleep: (seconds: number, error: E, tried: number) => Effect.Effect<void, E2, R2>
}

/** Runs an effect until it succeeds or patience ends. Fails with the last error of the effect. */
export const retryWithBackoff = <A, E, R, E2 = never, R2 = never>(
  effect: Effect.Effect<A, E, R>,
  patience: Patience<E, E2, R2>
): Effect.Effect<A, E | E2, R | R2> => {
  const attempt = (tried: number): Effect.Effect<A, E | E2, R | R2> =>
    Effect.catch(effect, (error) =>
      Effect.gen(function* () {
        const seconds = tried > patience.retries ? undefined : yield* patience.waitAfter(error, tried)
        if (seconds === undefined || seconds > patience.longestWait) return yield* Effect.fail(error)
        yield* patience.sleep(seconds, error, tried)
        return yield* attempt(tried + 1)
      })
    )
  return attempt(1)
}
