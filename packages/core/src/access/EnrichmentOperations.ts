/** Enrichments (specification 3). */
import { entriesOf, reads, writes } from "./Operation.ts"

export const enrichmentOperations = entriesOf("enrichments", {
  listEnrichments: {
    summary: "List enrichments",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    served: false,
    tool: reads("list_enrichments"),
    command: "enrichments list"
  },
  createEnrichment: {
    summary: "Create an enrichment",
    scopes: { anyOf: ["enrichments:write"] },
    role: "editor",
    app: "own",
    idempotency: "key",
    body: "required",
    served: false,
    tool: writes("create_enrichment"),
    command: "enrichments create"
  }
})
