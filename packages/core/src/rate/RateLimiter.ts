/** Port: the request budget of a workspace, shared by all its keys and apps (specification 8). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Decision } from "./RollingWindow.ts"

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /**
     * Counts one request under `key` (a workspace or, for sessions, a user) and decides it. Of the requests
     * before it the last `limit` (of the call before) are known: a raised limit lets more through for a
     * minute, a lowered one counts at once.
     */
    readonly arrive: (key: string, limit: number) => Effect.Effect<Decision, StorageUnavailable>
  }
>()("@millrace/core/rate/RateLimiter") {}
