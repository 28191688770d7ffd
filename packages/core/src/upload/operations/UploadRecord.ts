import * as Schema from "effect/Schema"
import { Amount } from "../../operation/Amount.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { statementFormats } from "../Statement.ts"
import { type Upload, uploadStatuses } from "../Upload.ts"

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

/** An upload as it is sent. Names every field, so that nothing internal can slip through. */
export const uploadToWire = (upload: Upload) => ({
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
