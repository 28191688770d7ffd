/** Statement files of a feed (decisions 4.3, 5.4 and 7.1). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CalendarDate, Id, Timestamp } from "@millrace/core"
import { statementFormats, uploadStatuses } from "@millrace/core/upload"
import { Amount } from "../wire/Amount.ts"
import { ofBody, ofPath, StateConflict, Unprocessable } from "./ApiError.ts"
import { Deleted, Many, One } from "./Envelope.ts"
import { paging } from "./Parameters.ts"
import { redirectUri } from "./RedirectUri.ts"

export const UploadRecord = Schema.Struct({
  id: Id("upload"),
  feedId: Id("feed"),
  fileName: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  sha256: Schema.String,
  status: Schema.Literals(uploadStatuses),
  jobId: Schema.NullOr(Id("job")),
  error: Schema.NullOr(Schema.String),
  format: Schema.Literals(statementFormats),
  statements: Schema.Array(
    Schema.Struct({
      account: Schema.String,
      /** Where it was booked; null until it is. */
      accountId: Schema.NullOr(Id("account")),
      currency: Schema.String,
      from: Schema.NullOr(CalendarDate.CalendarDate),
      to: Schema.NullOr(CalendarDate.CalendarDate),
      openingBalance: Schema.NullOr(Amount),
      closingBalance: Schema.NullOr(Amount),
      rows: Schema.Int,
      difference: Schema.NullOr(Amount)
    })
  ),
  assumed: Schema.Record(Schema.String, Schema.String),
  warnings: Schema.Array(Schema.String),
  /** Since then only what the file showed is kept. */
  fileRemovedAt: Schema.NullOr(Timestamp.Timestamp),
  createdAt: Timestamp.Timestamp
}).annotate({ identifier: "Upload" })

/** Read by the checks before the handler, which hand on the one part `file`. */
const FileBody = Schema.Struct({ file: Schema.String.annotate({ format: "binary" }) })
  .annotate({ identifier: "UploadFile" })
  .pipe(HttpApiSchema.asMultipartStream())

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

const path = "/v1/feeds/:feed_id/uploads"
const params = { feed_id: Schema.String }
const ofUpload = { ...params, upload_id: Schema.String }

export const UploadApi = HttpApiGroup.make("uploads", { topLevel: true }).add(
  HttpApiEndpoint.post("uploadFeedFile", path, {
    params,
    payload: FileBody,
    success: One(UploadRecord).pipe(HttpApiSchema.status(201)),
    error: [...ofPath, ...ofBody, StateConflict, Unprocessable]
  }),
  HttpApiEndpoint.post("startFeedUpload", `${path}/start`, {
    params,
    payload: StartUpload,
    success: One(UploadPageRecord),
    error: [...ofPath, ...ofBody, Unprocessable]
  }),
  HttpApiEndpoint.delete("endFeedUpload", `${path}/pages/:page_id`, {
    params: { ...params, page_id: Schema.String },
    success: Deleted,
    error: ofPath
  }),
  HttpApiEndpoint.get("listFeedUploads", path, {
    params,
    query: { status: Schema.optionalKey(Schema.Literals(uploadStatuses)), ...paging },
    success: Many(UploadRecord),
    error: ofPath
  }),
  HttpApiEndpoint.delete("deleteFeedUpload", `${path}/:upload_id`, {
    params: ofUpload,
    success: Deleted,
    error: [...ofPath, StateConflict]
  }),
  HttpApiEndpoint.post("readFeedUpload", `${path}/:upload_id/read`, {
    params: ofUpload,
    success: One(UploadRecord),
    error: [...ofPath, StateConflict, Unprocessable]
  })
)
