/** Storage that is away for a while, as the log tells it. */
import type { StorageUnavailable } from "@millrace/core/storage"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/**
 * Storage that is away is reported once, and that it is back; what breaks is reported and does not keep the rest from running. The
 * result is `undefined` then.
 */
export const logsOnce = (words: { readonly away: string; readonly broken: string }) => {
  let away = false
  return <A>(work: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A | undefined> =>
    work.pipe(
      Effect.tap(() => {
        if (!away) return Effect.void
        away = false
        return Effect.logInfo("Storage is back")
      }),
      Effect.catchTag("StorageUnavailable", (error) => {
        const known = away
        away = true
        return known ? Effect.undefined : Effect.as(Effect.logWarning(words.away, error), undefined)
      }),
      Effect.catchDefect((defect) => Effect.as(Effect.logError(words.broken, Cause.die(defect)), undefined))
    )
}
