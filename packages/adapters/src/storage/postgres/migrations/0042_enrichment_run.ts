/** How runs went for enrichments (enrichments A11). */
import { createResourceTable } from "./resourceTable.ts"

export const enrichmentRun = createResourceTable({
  name: "enrichment_run",
  columns: { enrichmentId: "text", feedId: "text" },
  order: [],
  versioned: false,
  filters: ["enrichmentId", "feedId"]
})
