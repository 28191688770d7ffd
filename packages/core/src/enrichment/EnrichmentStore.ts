/** Enrichments in storage. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resource } from "../resource/Resource.ts"
import { Resources, type ResourceStore } from "../resource/Resources.ts"
import { Enrichment } from "./Enrichment.ts"

/** By order, then id. */
export const enrichmentResource = resource<Enrichment>({
  name: "enrichment",
  schema: Enrichment,
  columns: { order: "integer" },
  order: [{ field: "order", direction: "ascending" }],
  versioned: true
})

export class EnrichmentStore extends Context.Service<EnrichmentStore, ResourceStore<Enrichment>>()(
  "@millrace/core/enrichment/EnrichmentStore"
) {
  static readonly layer: Layer.Layer<EnrichmentStore, never, Resources> = Layer.effect(
    EnrichmentStore,
    Effect.map(Resources, ({ open }) => EnrichmentStore.of(open(enrichmentResource)))
  )
}
