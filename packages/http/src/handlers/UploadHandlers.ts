import * as Effect from "effect/Effect"
import type { Upload } from "@millrace/core/upload"
import { UploadPages, Uploads } from "@millrace/core/kernel"
import { deleted, many, one } from "../api/Envelope.ts"
import { file } from "../request/CurrentRequest.ts"
import { serve } from "./Serve.ts"

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

export const layer = serve(
  "uploads",
  Effect.gen(function* () {
    const uploads = yield* Uploads
    const pages = yield* UploadPages
    return {
      uploadFeedFile: Effect.fnUntraced(function* ({ caller, ids }) {
        const { upload } = yield* uploads.add(caller, ids.feed, yield* file)
        return one(toWire(upload))
      }),
      startFeedUpload: ({ caller, ids, payload }) => Effect.map(pages.start(caller, ids.feed, payload), one),
      endFeedUpload: ({ caller, ids }) => Effect.as(pages.end(caller, ids.feed, ids.page), deleted),
      listFeedUploads: ({ caller, ids, query, self }) =>
        Effect.map(uploads.list(caller, ids.feed, query), (page) => many(self, page.rows.map(toWire), page)),
      deleteFeedUpload: ({ caller, ids }) => Effect.as(uploads.remove(caller, ids.feed, ids.upload), deleted),
      readFeedUpload: ({ caller, ids }) =>
        Effect.map(uploads.read(caller, ids.feed, ids.upload), (upload) => one(toWire(upload)))
    }
  })
)
