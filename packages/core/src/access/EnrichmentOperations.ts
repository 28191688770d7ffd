/** Enrichments (specification 3). */
import { collectionSurface } from "./CollectionOperations.ts"
import { entriesOf, reads, sets } from "./Operation.ts"

export const enrichmentSurface = collectionSurface({
  one: "Enrichment",
  many: "Enrichments",
  about: "Rules and other kinds that change records on their way to a destination.",
  scopes: { read: "enrichments:read", write: "enrichments:write" }
})

export const enrichmentOperations = enrichmentSurface.entries

export const findingOperations = entriesOf("findings", {
  listFindings: {
    summary: "List what an enrichment found, newest first",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    tool: reads("list_findings"),
    command: "enrichments findings list"
  },
  updateFinding: {
    summary: "Decide about a finding",
    scopes: { anyOf: ["enrichments:write"] },
    role: "editor",
    app: "own",
    idempotency: "inherent",
    body: "required",
    tool: sets("update_finding"),
    command: "enrichments findings update"
  }
})
