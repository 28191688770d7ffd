/** Port: a request that comes with an API key is looked up and counted in one step. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { RateLimiter } from "../rate/RateLimiter.ts"
import type { Decision } from "../rate/RollingWindow.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { PlanName } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isActive, type ApiKey } from "./ApiKey.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

/** Requests a minute by plan. */
export type RequestLimits = Readonly<Record<PlanName, number>>

export interface CountedKey {
  readonly key: ApiKey
  readonly workspace: Workspace
  /** About this request, which is counted under its workspace. */
  readonly decision: Decision
}

export class KeyLookup extends Context.Service<
  KeyLookup,
  {
    /**
     * The key of that hash with its workspace, as they are at this moment, and what `RateLimiter` decides under the
     * workspace. None where no key has the hash, or the key is revoked or has expired by `now`: then nothing is counted.
     */
    readonly lookup: (
      hash: string,
      now: Timestamp,
      limits: RequestLimits
    ) => Effect.Effect<Option.Option<CountedKey>, StorageUnavailable>
  }
>()("@millrace/core/access/KeyLookup") {
  /** Of storage that does it in several steps. */
  static readonly layer: Layer.Layer<KeyLookup, never, ApiKeyStore | WorkspaceStore | RateLimiter> = Layer.effect(
    KeyLookup,
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const workspaces = yield* WorkspaceStore
      const limiter = yield* RateLimiter
      return KeyLookup.of({
        lookup: Effect.fnUntraced(function* (hash, now, limits) {
          const key = yield* keys.byHash(hash)
          if (Option.isNone(key) || !isActive(key.value, now)) return Option.none()
          const workspace = yield* workspaces.get(key.value.workspaceId)
          if (Option.isNone(workspace)) return Option.none()
          const { id, plan } = workspace.value
          const decision = yield* limiter.arrive(id, limits[plan])
          return Option.some({ key: key.value, workspace: workspace.value, decision })
        })
      })
    })
  )
}
