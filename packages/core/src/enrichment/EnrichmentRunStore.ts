/** How runs went for enrichments, in storage. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resource } from "../resource/Resource.ts"
import { Resources, type ResourceStore } from "../resource/Resources.ts"
import { EnrichmentRun } from "./EnrichmentRun.ts"

/** By id. */
export const enrichmentRunResource = resource<EnrichmentRun>({
  name: "enrichment_run",
  schema: EnrichmentRun,
  columns: { enrichmentId: "text", feedId: "text" },
  order: [],
  versioned: false,
  filters: ["enrichmentId", "feedId"]
})

export class EnrichmentRunStore extends Context.Service<EnrichmentRunStore, ResourceStore<EnrichmentRun>>()(
  "@millrace/core/enrichment/EnrichmentRunStore"
) {
  static readonly layer: Layer.Layer<EnrichmentRunStore, never, Resources> = Layer.effect(
    EnrichmentRunStore,
    Effect.map(Resources, ({ open }) => EnrichmentRunStore.of(open(enrichmentRunResource)))
  )
}
