/** Enrichments (decisions 4.3 and 5.5): a collection with use cases of its own. */
import { enrichmentSurface } from "../../access/EnrichmentSurface.ts"
import { collectionOperations } from "../../operation/CollectionOperations.ts"
import { audits } from "../../operation/Definition.ts"
import { enrichmentContract } from "../EnrichmentContract.ts"
import { Enrichments } from "../Enrichments.ts"

export const enrichmentOperations = collectionOperations(enrichmentContract, enrichmentSurface, Enrichments, {
  create: audits(Enrichments, "create", { makes: true }),
  update: audits(Enrichments, "update", { read: "get", fields: { blocks: "config" } }),
  remove: audits(Enrichments, "remove")
})
