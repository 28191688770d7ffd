/** Files uploaded to a feed (decisions 4.3, 5.4 and 7.1). */
import * as Schema from "effect/Schema"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { DecimalNumber } from "../shared/Decimal.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { statementFormats } from "./Statement.ts"

export const uploadStatuses = ["stored", "processing", "processed", "failed"] as const

/** Of these somebody still has to make records: `processing` while a job does, or after that job was lost. */
export const waitingStatuses = ["stored", "processing"] as const

/** Nobody needs the content of these unless somebody asks for another reading. */
export const doneStatuses = ["processed", "failed"] as const

/** Minutes after which a job is tried again for files that so many jobs in a row have failed to take. */
export const uploadRetryMinutes = (failures: number): number => Math.min(2 ** failures, 1_440)

export const UploadStatement = Schema.Struct({
  /** Masked number of the account. */
  account: Schema.String,
  /** Where it was booked, once it was. */
  accountId: Schema.optionalKey(Id("account")),
  currency: Schema.String,
  from: Schema.optionalKey(CalendarDate),
  to: Schema.optionalKey(CalendarDate),
  openingBalance: Schema.optionalKey(DecimalNumber),
  closingBalance: Schema.optionalKey(DecimalNumber),
  availableBalance: Schema.optionalKey(DecimalNumber),
  balanceDate: Schema.optionalKey(CalendarDate),
  rows: Schema.Int,
  /** Days of the first and the last booked row, and the sum of all booked rows. */
  firstDay: Schema.optionalKey(CalendarDate),
  lastDay: Schema.optionalKey(CalendarDate),
  sum: Schema.optionalKey(DecimalNumber),
  /** opening + sum - closing where the file states balances; 0 ties out. */
  difference: Schema.optionalKey(DecimalNumber)
})

export type UploadStatement = typeof UploadStatement.Type

export const Upload = Schema.Struct({
  id: Id("upload"),
  feedId: Id("feed"),
  workspaceId: Id("workspace"),
  fileName: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  sha256: Schema.String,
  status: Schema.Literals(uploadStatuses),
  jobId: Schema.optionalKey(Id("job")),
  error: Schema.optionalKey(Schema.String),
  format: Schema.Literals(statementFormats),
  statements: Schema.Array(UploadStatement),
  /** What CSV detection decided. */
  assumed: Schema.Record(Schema.String, Schema.String),
  warnings: Schema.Array(Schema.String),
  /** Digest of what the file was read with (`Reading`); `""` before it was read. */
  reading: Schema.String,
  /** Since then only what it showed is kept. */
  fileRemovedAt: Schema.optionalKey(Timestamp),
  createdAt: Timestamp
})
export type Upload = typeof Upload.Type
