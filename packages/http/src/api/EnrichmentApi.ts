/** Enrichments (decisions 4.3 and 5.5). */
import { enrichmentSurface } from "@millrace/core/access"
import { enrichmentContract } from "@millrace/core/enrichment"
import { collectionApi } from "./CollectionApi.ts"

export const EnrichmentApi = collectionApi("enrichments", enrichmentContract, enrichmentSurface)
