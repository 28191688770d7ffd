import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Uploads } from "../Uploads.ts"
import { uploadExample } from "./Examples.ts"
import { UploadRecord, uploadToWire } from "./UploadRecord.ts"

export const readFeedUpload = operation({
  noun: "uploads",
  id: "readFeedUpload",
  post: "/v1/feeds/:feed_id/uploads/:upload_id/read",
  summary: "Read an uploaded file again, with the options that its feed has now",
  description:
    "Reads a stored file again with the options that its feed has now. The new reading replaces what the file gave " +
    "before: rows that are still in it keep their ids.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  waits: true,
  command: "feeds uploads read",
  tool: { absent: "Files are not sent through tools." },
  success: record(UploadRecord),
  example: { data: { ...uploadExample, status: "stored", jobId: null } },
  audits: audits(Uploads, "read"),
  run: ({ caller, ids }) =>
    Uploads.use((uploads) => Effect.map(uploads.read(caller, ids.feed, ids.upload), (upload) => uploadToWire(upload)))
})
