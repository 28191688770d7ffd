import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { deleted } from "../../operation/Success.ts"
import { UploadPages } from "../UploadPages.ts"

export const endFeedUpload = operation({
  noun: "uploads",
  id: "endFeedUpload",
  delete: "/v1/feeds/:feed_id/uploads/pages/:page_id",
  summary: "End the address of an upload page",
  description: "Ends the address of an upload page before its hour is over. Files that came by it stay.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "feeds uploads end",
  tool: { absent: "Files are not sent through tools." },
  success: deleted,
  example: {},
  audits: audits(UploadPages, "end"),
  run: ({ caller, ids }) => UploadPages.use((pages) => Effect.asVoid(pages.end(caller, ids.feed, ids.page)))
})
