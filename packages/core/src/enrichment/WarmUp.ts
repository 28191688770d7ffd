/**
 * Loads ahead, in the background and in small steps, what the first use of an enrichment would wait for: a classifier takes
 * seconds on a small machine. Nothing fails by it, and what was not loaded in time is loaded by its first use.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { decode } from "../shared/StrictDecoding.ts"
import { acrossTenants } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { Enrichment } from "./Enrichment.ts"
import { EnrichmentsOn } from "./EnrichmentsOn.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"
import { type AnyKind, Kinds } from "./Kinds.ts"

/** Enrichments that are loaded for at the start: as many as a kind keeps. */
const mostAtStart = 8

/** Workspaces whose enrichments are read at a time. */
const workspacesAtOnce = 100

type Warmed = Pick<Enrichment, "config" | "enabled" | "type">

/** What is to be loaded; `undefined` where there is nothing, or where the enrichment does not run. */
const loadingOf = (kind: AnyKind | undefined, { config, enabled }: Warmed): Effect.Effect<void> | undefined => {
  if (!enabled || kind?.warm === undefined) return undefined
  const decoded = decode(kind.Config, config)
  return Result.isSuccess(decoded) ? kind.warm(decoded.success) : undefined
}

export class WarmUp extends Context.Service<
  WarmUp,
  {
    /** Begins to load for an enrichment, and goes on. */
    readonly begin: (enrichment: Warmed) => Effect.Effect<void>
    /** Begins to load for the enrichments that there are. */
    readonly beginAll: Effect.Effect<void>
  }
>()("@millrace/core/enrichment/WarmUp") {
  static readonly layer: Layer.Layer<WarmUp, never, Kinds | EnrichmentStore | WorkspaceStore> = Layer.effect(
    WarmUp,
    Effect.gen(function* () {
      const kinds = yield* Kinds
      const enrichments = yield* EnrichmentStore
      const workspaces = yield* WorkspaceStore
      const isOn = yield* EnrichmentsOn
      const lifetime = yield* Effect.scope
      const turn = yield* Semaphore.make(1)

      const inBackground = (work: Effect.Effect<void>) =>
        Effect.asVoid(Effect.forkIn(turn.withPermits(1)(Effect.ignoreCause(work)), lifetime))

      const all = Effect.gen(function* () {
        const ids = (yield* workspaces.all).map(({ id }) => id)
        let left = mostAtStart
        for (let at = 0; at < ids.length && left > 0; at += workspacesAtOnce) {
          for (const enrichment of yield* enrichments.list(ids.slice(at, at + workspacesAtOnce))) {
            const loading = loadingOf(kinds.get(enrichment.type), enrichment)
            if (loading === undefined || left === 0) continue
            left--
            yield* loading
          }
        }
      }).pipe(acrossTenants("warm up"), Effect.ignore)

      return WarmUp.of({
        begin: (enrichment) =>
          Effect.suspend(() => {
            const loading = isOn ? loadingOf(kinds.get(enrichment.type), enrichment) : undefined
            return loading === undefined ? Effect.void : inBackground(loading)
          }),
        beginAll: Effect.suspend(() => (isOn ? inBackground(all) : Effect.void))
      })
    })
  )
}
