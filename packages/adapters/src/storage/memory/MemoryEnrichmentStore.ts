/** Enrichments in memory. */
import type { Enrichment, EnrichmentId } from "@millrace/core/enrichment"
import { EnrichmentStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

export const layer: Layer.Layer<EnrichmentStore, never, Memory> = Layer.effect(
  EnrichmentStore,
  Effect.gen(function* () {
    const { call, set, remove } = yield* Memory
    const enrichments = new Map<EnrichmentId, Enrichment>()

    return EnrichmentStore.of({
      insert: (enrichment) => call(() => set(enrichments, enrichment.id, frozen(enrichment))),
      update: (enrichment) =>
        call(() => {
          if (enrichments.get(enrichment.id)?.version !== enrichment.version - 1) return false
          set(enrichments, enrichment.id, frozen(enrichment))
          return true
        }),
      get: (workspaceId, id) =>
        call(() =>
          Option.fromUndefinedOr(enrichments.get(id)).pipe(Option.filter((held) => held.workspaceId === workspaceId))
        ),
      list: (workspaceIds) =>
        call(() =>
          [...enrichments.values()]
            .filter((held) => workspaceIds.includes(held.workspaceId))
            .toSorted((a, b) => a.order - b.order || ascending(a.id, b.id))
        ),
      remove: (workspaceId, id) =>
        call(() => {
          if (enrichments.get(id)?.workspaceId !== workspaceId) return false
          remove(enrichments, id)
          return true
        })
    })
  })
)
