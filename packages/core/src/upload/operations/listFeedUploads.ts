import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { uploadStatuses } from "../Upload.ts"
import { Uploads } from "../Uploads.ts"
import { uploadExample } from "./Examples.ts"
import { UploadRecord, uploadToWire } from "./UploadRecord.ts"

export const listFeedUploads = operation({
  noun: "uploads",
  id: "listFeedUploads",
  get: "/v1/feeds/:feed_id/uploads",
  summary: "List the uploaded files of a feed, newest first",
  description: "Lists the files of a feed with what was read from each, newest first.",
  access: { anyOf: ["jobs:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "feeds uploads list",
  tool: { absent: "Files are not sent through tools." },
  query: { status: Schema.optionalKey(Schema.Literals(uploadStatuses)), ...paging },
  success: list(UploadRecord),
  example: { data: uploadExample },
  run: ({ caller, ids, query }) =>
    Uploads.use((uploads) =>
      Effect.map(uploads.list(caller, ids.feed, query), (page) => ({ ...page, rows: page.rows.map(uploadToWire) }))
    )
})
