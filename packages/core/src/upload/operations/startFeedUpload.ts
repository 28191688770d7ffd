import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { redirectUri } from "../../operation/RedirectUri.ts"
import { record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { UploadPages } from "../UploadPages.ts"

const StartUpload = Schema.Struct({
  redirectUri: Schema.optionalKey(redirectUri("`status`, uploaded or cancelled"))
}).annotate({
  identifier: "StartUpload"
})

const UploadPageRecord = Schema.Struct({
  id: Id("uploadPage").annotate({ description: "Names the address, to end it before its hour is over." }),
  url: Schema.String.annotate({
    description:
      "The page of this installation on which a person uploads files to the feed. Whoever has the address may."
  }),
  expiresAt: Timestamp.Timestamp
}).annotate({ identifier: "UploadPage" })

export const startFeedUpload = operation({
  noun: "uploads",
  id: "startFeedUpload",
  post: "/v1/feeds/:feed_id/uploads/start",
  summary: "Get the address of a page on which a person uploads files to a feed",
  description:
    "Makes the address of a page on which a person uploads statement files to a feed, for one hour and without a key. It " +
    "ends with the key that asked for it. The page shows the name of the feed and what was read from each file.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "feeds upload",
  tool: "start_feed_upload",
  hints: { readOnlyHint: true },
  body: StartUpload,
  bodyOptional: true,
  success: record(UploadPageRecord),
  errors: ["Unprocessable"],
  example: {
    body: { redirectUri: "https://app.example/done" },
    data: {
      id: exampleIds.uploadPage,
      url: "https://money.example/connect/upload?state=q7Yw2mX0bT4kVn8sLr1cZd6fHg3jPa9e",
      expiresAt: "2026-03-14T10:30:00.000Z"
    }
  },
  audits: audits(UploadPages, "start"),
  run: ({ caller, ids, body }) =>
    UploadPages.use((pages) => Effect.map(pages.start(caller, ids.feed, body), (data) => data))
})
