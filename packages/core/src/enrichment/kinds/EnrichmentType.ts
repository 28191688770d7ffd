/** The sixteen types of enrichment (specification 1). */
import * as Schema from "effect/Schema"

export const enrichmentTypes = [
  "rule",
  "lookup",
  "filter",
  "split",
  "transfer_match",
  "dedupe",
  "alert",
  "monitor",
  "budget",
  "recurring",
  "fees",
  "anomaly",
  "digest",
  "memory",
  "ai_categorize",
  "ai_merchant"
] as const
export const EnrichmentType = Schema.Literals(enrichmentTypes)
export type EnrichmentType = typeof EnrichmentType.Type
