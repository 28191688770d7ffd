import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { Upload } from "@millrace/core/upload/Upload"
import { Uploads } from "@millrace/core/upload/Uploads"
import { Api } from "../api/Api.ts"
import { many, one } from "../api/Envelope.ts"
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
      .handle("listFeedUploads", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            const rows = yield* uploads.list(yield* workspace, id)
            return many(yield* target, rows.map(toWire))
          })
        )
      )
  })
)
