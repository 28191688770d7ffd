/** Sync jobs (specification 3.2, decisions 4.3, 6.4 and 7.6). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { ErrorCategory, ErrorCode } from "../failure/ErrorCode.ts"
import { Recovery } from "../failure/Recovery.ts"
import { RunTrigger } from "../feed/RunTrigger.ts"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"

export type JobId = Id<"job">

export const jobStatuses = ["created", "in_progress", "paused", "completed", "failed", "cancelled"] as const
export const JobStatus = Schema.Literals(jobStatuses)
export type JobStatus = typeof JobStatus.Type

/** The statuses that hold the lock of the feed. */
export const activeStatuses = ["created", "in_progress", "paused"] as const

export const isActive = (status: JobStatus): boolean => (activeStatuses as ReadonlyArray<string>).includes(status)

export const JobError = Schema.Struct({
  timestamp: Timestamp,
  message: Schema.String,
  category: ErrorCategory,
  severity: Schema.Literals(["warning", "error", "fatal"]),
  code: ErrorCode,
  recovery: Schema.optionalKey(Recovery)
})
export type JobError = typeof JobError.Type

/**
 * Counters: `read + vanished + carried = created + updated + removed + unchanged + filtered + failed`;
 * `carried` are deliveries that an earlier job of the feed, or an earlier attempt of this one, left open;
 * quarantined rows are counted apart. It holds once the job has settled its deliveries: until then the right
 * side lacks those that are still open. A row that a job looks at again after it was taken up again counts again.
 * `differs`: rows among the unchanged that are older than 45 days and that changed enrichments would fill otherwise.
 */
export const JobCounts = Schema.Struct({
  read: Schema.Int,
  vanished: Schema.Int,
  carried: Schema.Int,
  created: Schema.Int,
  updated: Schema.Int,
  removed: Schema.Int,
  unchanged: Schema.Int,
  filtered: Schema.Int,
  failed: Schema.Int,
  quarantined: Schema.Int,
  differs: Schema.Int
})
export type JobCounts = typeof JobCounts.Type

export const noCounts: JobCounts = {
  read: 0,
  vanished: 0,
  carried: 0,
  created: 0,
  updated: 0,
  removed: 0,
  unchanged: 0,
  filtered: 0,
  failed: 0,
  quarantined: 0,
  differs: 0
}

/**
 * `user`: a person paused it. `provider_wait`: the provider asks to wait. `storage_full`: there is no room to store what
 * it reads. All but the first go on by themselves.
 */
const pauseReasons = ["user", "provider_wait", "storage_full"] as const

/** Options of one run (specification 2.3 TriggerSyncBody). */
export const SyncOptions = Schema.Struct({
  startDate: Schema.optionalKey(CalendarDate),
  endDate: Schema.optionalKey(CalendarDate),
  forceCancelActive: Schema.Boolean,
  resetCursors: Schema.Boolean,
  skipDedup: Schema.Boolean
})
export type SyncOptions = typeof SyncOptions.Type

export const Job = Schema.Struct({
  id: Id("job"),
  feedId: Id("feed"),
  workspaceId: Id("workspace"),
  /** The person behind the trigger. */
  userId: Schema.String,
  startedBy: ActorRef,
  status: JobStatus,
  type: RunTrigger,
  mode: Schema.Literals(["incremental", "range", "full"]),
  options: SyncOptions,
  counts: JobCounts,
  errors: Schema.Array(JobError),
  errorCategory: Schema.optionalKey(ErrorCategory),
  pauseReason: Schema.optionalKey(Schema.Literals(pauseReasons)),
  resumeAt: Schema.optionalKey(Timestamp),
  /** 0 until it is taken up, then 1 and one more for every worker that was lost (not for release or pause). */
  attempt: Schema.Int,
  /** The job has reset the cursors of its feed (resetCursors, skipDedup), and must not do so again. */
  cursorsReset: Schema.optionalKey(Schema.Boolean),
  /** The try it is of a run that failed, from 1; absent for runs that repeat none. */
  retry: Schema.optionalKey(Schema.Int),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  startedAt: Schema.optionalKey(Timestamp),
  completedAt: Schema.optionalKey(Timestamp)
})
export type Job = typeof Job.Type
