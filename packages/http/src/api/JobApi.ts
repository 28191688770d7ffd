/** Sync jobs (specification 3.2, decisions 4.3, 5.4 and 7.5). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access"
import { Job, JobCounts, JobError, JobStatus, jobStatuses } from "@millrace/core/job"
import { CalendarDate, Id, Timestamp } from "@millrace/core"
import { ofBody, ofKey, ofPath, StateConflict } from "./ApiError.ts"
import { Many, One } from "./Envelope.ts"
import { Day, paging } from "./Parameters.ts"

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

export const TriggerSyncBody = Schema.Struct({
  startDate: Schema.optionalKey(Day),
  endDate: Schema.optionalKey(Day),
  forceCancelActive: Schema.optionalKey(Schema.Boolean),
  resetCursors: Schema.optionalKey(Schema.Boolean),
  skipDedup: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "TriggerSyncBody" })

/** A job that waits for its turn is `created`; other services call it queued. */
const StatusParameter = Schema.Literals([...jobStatuses, "queued"]).annotate({
  description: "queued is another name of created."
})

const path = "/v1/feeds/:feed_id/jobs"
const ofJob = { feed_id: Schema.String, job_id: Schema.String }

export const JobApi = HttpApiGroup.make("jobs", { topLevel: true }).add(
  HttpApiEndpoint.post("triggerSync", "/v1/feeds/:feed_id/sync", {
    params: { feed_id: Schema.String },
    payload: TriggerSyncBody,
    success: One(JobRecord).pipe(HttpApiSchema.status(201)),
    error: [...ofPath, ...ofBody, ...ofKey]
  }),
  HttpApiEndpoint.get("listJobs", path, {
    params: { feed_id: Schema.String },
    query: { status: Schema.optionalKey(StatusParameter), ...paging },
    success: Many(JobRecord),
    error: ofPath
  }),
  HttpApiEndpoint.get("getJob", `${path}/:job_id`, {
    params: ofJob,
    success: One(JobRecord),
    error: ofPath
  }),
  HttpApiEndpoint.delete("cancelJob", `${path}/:job_id`, {
    params: ofJob,
    success: One(JobRecord),
    error: [...ofPath, StateConflict]
  }),
  HttpApiEndpoint.post("pauseJob", `${path}/:job_id/pause`, {
    params: ofJob,
    success: One(JobRecord),
    error: [...ofPath, ...ofKey]
  }),
  HttpApiEndpoint.post("resumeJob", `${path}/:job_id/resume`, {
    params: ofJob,
    success: One(JobRecord),
    error: [...ofPath, ...ofKey]
  })
)
