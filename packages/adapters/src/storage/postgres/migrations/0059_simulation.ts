/** Simulations that are played in the background (enrichments F2). */
import { createResourceTable } from "./resourceTable.ts"

export const simulation = createResourceTable({
  name: "simulation",
  columns: { status: "text", createdAt: "text" },
  order: [
    { field: "createdAt", direction: "descending", always: true },
    { field: "id", direction: "ascending" }
  ],
  versioned: true,
  filters: ["status"]
})
