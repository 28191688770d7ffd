import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { Job, JobCounts, JobError, JobStatus } from "../Job.ts"

export const JobRecord = Schema.Struct({
  id: Id("job"),
  userId: Schema.String,
  feedId: Id("feed"),
  workspaceId: Id("workspace"),
  status: JobStatus,
  type: Job.fields.type,
  mode: Job.fields.mode,
  startDate: Schema.optionalKey(CalendarDate.CalendarDate),
  endDate: Schema.optionalKey(CalendarDate.CalendarDate),
  options: Schema.Struct({
    forceCancelActive: Schema.Boolean,
    resetCursors: Schema.Boolean,
    skipDedup: Schema.Boolean
  }),
  transactionsProcessed: Schema.Int,
  transactionsWritten: Schema.Int,
  counts: JobCounts,
  errors: Schema.Array(JobError),
  errorCategory: Job.fields.errorCategory,
  pauseReason: Job.fields.pauseReason,
  resumeAt: Schema.optionalKey(Timestamp.Timestamp),
  attempt: Schema.Int,
  retry: Job.fields.retry,
  startedBy: ActorRef,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  startedAt: Schema.optionalKey(Timestamp.Timestamp),
  completedAt: Schema.optionalKey(Timestamp.Timestamp)
}).annotate({ identifier: "Job" })

/** A job as it is sent. Names every field, so that nothing internal can slip through. */
export const jobToWire = (job: Job) => {
  const { startDate, endDate, ...options } = job.options
  return {
    id: job.id,
    userId: job.userId,
    feedId: job.feedId,
    workspaceId: job.workspaceId,
    status: job.status,
    type: job.type,
    mode: job.mode,
    ...(startDate === undefined ? {} : { startDate }),
    ...(endDate === undefined ? {} : { endDate }),
    options,
    transactionsProcessed: job.counts.read,
    transactionsWritten: job.counts.created + job.counts.updated + job.counts.removed,
    counts: job.counts,
    errors: job.errors,
    ...(job.errorCategory === undefined ? {} : { errorCategory: job.errorCategory }),
    ...(job.pauseReason === undefined ? {} : { pauseReason: job.pauseReason }),
    ...(job.resumeAt === undefined ? {} : { resumeAt: job.resumeAt }),
    attempt: job.attempt,
    ...(job.retry === undefined ? {} : { retry: job.retry }),
    startedBy: job.startedBy,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    ...(job.startedAt === undefined ? {} : { startedAt: job.startedAt }),
    ...(job.completedAt === undefined ? {} : { completedAt: job.completedAt })
  }
}

export const shown = (job: Job) => jobToWire(job)
