import * as Effect from "effect/Effect"
import { retryWithBackoff } from "../shared/RetryWithBackoff.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

/** Storage that is away for a moment must not cost what the upstream gives once. */
export const saveWithRetry = <A>(keep: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A, StorageUnavailable> =>
  retryWithBackoff(keep, {
    retries: 7,
    longestWait: 10,
    waitAfter: (_, tried) => Effect.succeed(0.1 * 2 ** (tried - 1)),
    sleep: (seconds) => Effect.sleep(seconds * 1000)
  })
