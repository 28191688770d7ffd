/** Addresses of pages on which people upload files. Those that have expired are removed when the workspace makes the next one. */
import { createResourceTable } from "./resourceTable.ts"

export const uploadPages = createResourceTable({
  name: "upload_page",
  columns: { stateHash: "text", expiresAt: "text" },
  unique: [{ fields: ["stateHash"], within: "installation" }],
  order: [],
  versioned: false
})
