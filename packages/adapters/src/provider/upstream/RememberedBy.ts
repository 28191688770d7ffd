/** Asking an upstream once in a session for what several answers have in common, by a key such as the id of an account. */
import { remembered } from "@millrace/core/provider"
import type * as Effect from "effect/Effect"

/** The same answer for all who ask with one key, from the first that succeeds on. */
export const rememberedBy = <A, E>(
  asking: (key: string) => Effect.Effect<A, E>
): ((key: string) => Effect.Effect<A, E>) => {
  const byKey = new Map<string, Effect.Effect<A, E>>()
  return (key) => {
    const known = byKey.get(key)
    if (known !== undefined) return known
    const asked = remembered(asking(key))
    byKey.set(key, asked)
    return asked
  }
}
