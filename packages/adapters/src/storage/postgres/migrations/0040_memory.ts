/** What memories have learnt (enrichments C4). */
import { createResourceTable } from "./resourceTable.ts"

export const memory = createResourceTable({
  name: "memory_pattern",
  columns: { enrichmentId: "text" },
  order: [],
  versioned: false,
  filters: ["enrichmentId"]
})
