/** For how long a filter holds a row back, and when somebody should know (enrichments C15). */
import type { CompiledPipeline } from "../enrichment/Pipeline.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { limits } from "../shared/Limits.ts"
import type { Timestamp } from "../shared/Timestamp.ts"

/** Since when neither the record nor an enrichment of the feed has changed: what is said of the row is said for at least so long. */
export const unchangedSince = (
  { updatedAt }: Pick<LedgerRecord, "updatedAt">,
  { steps }: Pick<CompiledPipeline, "steps">
): Timestamp =>
  steps.reduce((last, { enrichment }) => (enrichment.updatedAt > last ? enrichment.updatedAt : last), updatedAt)

/** Whether more than `limits.holdDays` have passed since then. */
export const isLong = (since: Timestamp, today: CalendarDate.CalendarDate): boolean =>
  CalendarDate.daysBetween(CalendarDate.make(since.slice(0, 10)), today) > limits.holdDays
