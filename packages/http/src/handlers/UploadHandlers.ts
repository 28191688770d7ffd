import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { Upload } from "@millrace/core/upload/Upload"
import { Uploads } from "@millrace/core/upload/Uploads"
import { Api } from "../api/Api.ts"
import { deleted, many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { file, principal, target, workspace } from "../middleware/CurrentRequest.ts"
import { identified } from "./Identified.ts"

/** An upload as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (upload: Upload) => ({
  id: upload.id,
  feedId: upload.feedId,
  fileName: upload.fileName,
  contentType: upload.contentType,
  size: upload.size,
  sha256: upload.sha256,
  status: upload.status,
  jobId: upload.jobId ?? null,
  error: upload.error ?? null,
  format: upload.format,
  statements: upload.statements.map((statement) => ({
    account: statement.account,
    accountId: statement.accountId ?? null,
    currency: statement.currency,
    from: statement.from ?? null,
    to: statement.to ?? null,
    openingBalance: statement.openingBalance ?? null,
    closingBalance: statement.closingBalance ?? null,
    rows: statement.rows,
    difference: statement.difference ?? null
  })),
  assumed: upload.assumed,
  warnings: upload.warnings,
  fileRemovedAt: upload.fileRemovedAt ?? null,
  createdAt: upload.createdAt
})

const ofUpload = Effect.fnUntraced(function* (params: { readonly feed_id: string; readonly upload_id: string }) {
  return [yield* identified("feed", params.feed_id), yield* identified("upload", params.upload_id)] as const
})

export const layer = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const uploads = yield* Uploads
    return handlers
      .handle("uploadFeedFile", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            const { upload } = yield* uploads.add(yield* principal, id, yield* file)
            return one(toWire(upload))
          })
        )
      )
      .handle("listFeedUploads", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            const page = yield* uploads.list(yield* workspace, id, query)
            return many(yield* target, page.rows.map(toWire), page)
          })
        )
      )
      .handle("deleteFeedUpload", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const [feed, id] = yield* ofUpload(params)
            yield* uploads.remove(yield* principal, feed, id)
            return deleted
          })
        )
      )
      .handle("readFeedUpload", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const [feed, id] = yield* ofUpload(params)
            return one(toWire(yield* uploads.read(yield* principal, feed, id)))
          })
        )
      )
  })
)
