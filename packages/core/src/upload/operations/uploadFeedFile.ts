import * as Effect from "effect/Effect"
import { audits, file, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Uploads } from "../Uploads.ts"
import { uploadExample } from "./Examples.ts"
import { UploadRecord, uploadToWire } from "./UploadRecord.ts"

export const uploadFeedFile = operation({
  noun: "uploads",
  id: "uploadFeedFile",
  post: "/v1/feeds/:feed_id/uploads",
  summary: "Upload a statement file",
  description:
    "Stores a statement file for a feed of source `upload` and starts a sync unless the feed has a schedule. OFX, QFX, " +
    "QIF, CAMT.052/053/054, MT940, MT942 and CSV are read; the content tells which it is. A file that cannot " +
    "be read is refused with the line (422), and nothing of it is kept. The same file answers with the upload that is " +
    "there.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "key",
  waits: true,
  command: "feeds upload",
  tool: { absent: "Files are not sent through tools." },
  body: file,
  success: record(UploadRecord, { status: 201 }),
  example: { data: { ...uploadExample, status: "stored", jobId: null } },
  audits: audits(Uploads, "add", { makes: true }),
  run: ({ caller, ids, file: sent }) =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { upload } = yield* uploads.add(caller, ids.feed, sent)
      return uploadToWire(upload)
    })
})
