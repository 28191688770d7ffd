import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { deleted } from "../../operation/Success.ts"
import { Uploads } from "../Uploads.ts"

export const deleteFeedUpload = operation({
  noun: "uploads",
  id: "deleteFeedUpload",
  delete: "/v1/feeds/:feed_id/uploads/:upload_id",
  summary: "Delete an uploaded file and what only it showed",
  description:
    "Deletes an uploaded file with the rows that only it showed. What another file or a connection shows stays, and so " +
    "does what a person wrote. A file that is being read now is left alone (409).",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "feeds uploads delete",
  tool: { absent: "Files are not sent through tools." },
  success: deleted,
  errors: ["Conflict"],
  example: {},
  audits: audits(Uploads, "remove"),
  run: ({ caller, ids }) => Uploads.use((uploads) => Effect.asVoid(uploads.remove(caller, ids.feed, ids.upload)))
})
