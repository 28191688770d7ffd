import * as Effect from "effect/Effect"
import { enrichmentContract } from "@millrace/core/enrichment"
import { Enrichments } from "@millrace/core/kernel"
import { collectionHandlers } from "./CollectionHandlers.ts"
import { serveBundled } from "./Serve.ts"

export const layer = serveBundled(
  "enrichments",
  Effect.map(Enrichments, (enrichments) =>
    collectionHandlers(enrichmentContract, enrichments, ({ enrichment }) => enrichment)
  )
)
