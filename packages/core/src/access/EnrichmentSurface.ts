/** The names of the operations on enrichments, and who may do what (specification 3). */
import { collectionSurface } from "./CollectionOperations.ts"

export const enrichmentSurface = collectionSurface({
  one: "Enrichment",
  many: "Enrichments",
  about: "Rules and other kinds that change records on their way to a destination.",
  scopes: { read: "enrichments:read", write: "enrichments:write" }
})
