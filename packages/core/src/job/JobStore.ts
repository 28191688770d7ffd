/**
 * Port: jobs and the feed lock. A job that is claimed has the leases of its banks (`bankLease`).
 *
 * The job row is the truth; an engine's own records are hints. Every change of status is one guarded
 * statement that follows `job/JobLifecycle`. Heartbeats, leases and due times use the store's own clock
 * only, so that machines with different clocks agree. Every change of status, and every new job, is reported by an event of
 * `job/JobEvents` in the same statement. `cause` is who makes the change: other changes are made by the run of the job,
 * or by the system where no run does.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { ActorRef } from "../access/ActorRef.ts"
import type { BankId } from "../bank/Bank.ts"
import type { FeedId } from "../feed/Feed.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { LeaseLost } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Dispatched, RunnerSlots } from "./Dispatch.ts"
import type { Job, JobCounts, JobError, JobId, JobStatus } from "./Job.ts"

/** The feed has an active job already (409). */
export class FeedLocked extends Schema.TaggedError<FeedLocked>()("FeedLocked", { jobId: Schema.String }) {}

/** The event is not possible in the status the job has (409). */
export class JobStateConflict extends Schema.TaggedError<JobStateConflict>()("JobStateConflict", {
  jobId: Schema.String,
  status: Schema.String,
  event: Schema.String
}) {}

/** The run was shut out: cancelled, paused, or taken over by another worker. It must stop without a trace. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", { jobId: Schema.String }) {}

/** The right to write for a job. Every write of a run names it. */
export interface Fence {
  readonly jobId: JobId
  readonly epoch: number
}

export interface ClaimedJob {
  readonly job: Job
  readonly fence: Fence
  /** What the run before this one left for it, when it left in good order (`saveResumeSnapshot`). */
  readonly resumeSnapshot?: string
}

/** Change of counters: numbers are added, then `atLeast` ones raised to that value; errors are appended. */
export interface Progress {
  readonly add?: Partial<JobCounts>
  readonly atLeast?: Partial<JobCounts>
  readonly errors?: ReadonlyArray<JobError>
  /** Notes it on the job (`Job.cursorsReset`). */
  readonly cursorsReset?: true
}

export class JobStore extends Context.Service<
  JobStore,
  {
    /**
     * Takes the feed lock by the same insert. `replacing` cancels the active job first, in one transaction.
     * `banks` are the connections that the job is expected to need, as far as they are known.
     */
    readonly create: (
      job: Job,
      options: { readonly replacing: boolean; readonly banks?: ReadonlyArray<BankId> }
    ) => Effect.Effect<{ readonly cancelled: Option.Option<JobId> }, FeedLocked | StorageUnavailable>
    readonly get: (
      workspaceId: WorkspaceId,
      feedId: FeedId,
      id: JobId
    ) => Effect.Effect<Option.Option<Job>, StorageUnavailable>
    readonly active: (feedId: FeedId) => Effect.Effect<Option.Option<Job>, StorageUnavailable>
    /** Newest first. `before` is the last id of the page before. */
    readonly list: (
      workspaceId: WorkspaceId,
      feedId: FeedId,
      query: { readonly status?: JobStatus; readonly limit: number; readonly before?: JobId }
    ) => Effect.Effect<ReadonlyArray<Job>, StorageUnavailable>

    /**
     * Hands out due jobs, at most `limit` and at most what the slots of the runners leave room for
     * (`capacityOf`). A job is due that is created or in progress, that nobody asked to pause, without a heartbeat
     * or with one older than `JobLease`, and not handed out within the last `pokeLease` seconds. One that needs a
     * connection which is busy, or a provider which must not be called now, is passed over, and of those that need
     * the same connection one is handed out at a time. Workspaces take turns: first comes the one who has the least
     * under way, then the oldest job.
     */
    readonly dispatch: (limit: number) => Effect.Effect<Dispatched, StorageUnavailable>
    /** Takes back what `dispatch` did with a job that nobody claimed: it is due at once. */
    readonly decline: (jobId: JobId) => Effect.Effect<void, StorageUnavailable>
    /**
     * An element for jobs that became due: made, given back, resumed. The first one says that it listens from
     * now on. Elements may be lost or say too much; it fails when it can listen no longer.
     */
    readonly arrivals: Stream.Stream<void, StorageUnavailable>
    /**
     * Takes a job that has no fresh heartbeat, handed out or not: new epoch, heartbeat, and the leases of its
     * connections. `None` when another worker has it or a connection is busy; then nothing has changed, but
     * that a job whose connection is busy is due again once that is free. A job in progress whose heartbeat has
     * run out was lost: `attempt` grows by one, and above `limits.jobAttempts` the claim fails the job as
     * WORKER_LOST (and returns `None`). One without a heartbeat was released or resumed: it was not lost.
     */
    readonly claim: (
      jobId: JobId,
      banks: ReadonlyArray<BankId>
    ) => Effect.Effect<Option.Option<ClaimedJob>, StorageUnavailable>
    /**
     * Refreshes heartbeat and leases of all these; returns those that are still held: in progress in that
     * epoch. Late, but before anybody else took the job, is in time. Reports the slots of the runner with it,
     * which count for `runnerSilence` seconds.
     */
    readonly beat: (
      fences: ReadonlyArray<Fence>,
      runner?: RunnerSlots
    ) => Effect.Effect<ReadonlyArray<JobId>, StorageUnavailable>
    /** Leaves a text for anyone who claims the job next; that claim takes it away. */
    readonly saveResumeSnapshot: (fence: Fence, text: string) => Effect.Effect<void, Fenced | StorageUnavailable>
    /** The runner takes no more jobs. */
    readonly leave: (runner: string) => Effect.Effect<void, StorageUnavailable>
    /**
     * Gives back a job that was claimed, so that another worker takes it at once. It stays in progress,
     * without heartbeat and leases and with a new epoch: who gave it back can write no more. One that was asked
     * to pause is paused by it. Does nothing when the fence does not hold.
     */
    readonly release: (fence: Fence) => Effect.Effect<void, StorageUnavailable>
    /**
     * First call of every writing transaction of a run: stops it when it no longer has the right to write.
     * Refreshes the heartbeat and applies `progress`. Until the transaction ends nobody can cancel or take
     * over the job. Returns whether a person asked it to pause: the run then ends what it is at, and calls
     * `pauseAsked`.
     */
    readonly fence: (fence: Fence, progress: Progress) => Effect.Effect<boolean, Fenced | StorageUnavailable>
    /**
     * The same where what is written is of a bank: the job must have its lease as well (`bankLease`). Several transactions of
     * the run may do so at once, and none waits for another. The heartbeat is refreshed where a third of `JobLease` is over.
     */
    readonly fenceBank: (fence: Fence, bank: BankId) => Effect.Effect<boolean, Fenced | LeaseLost | StorageUnavailable>

    readonly complete: (fence: Fence, progress: Progress) => Effect.Effect<void, Fenced | StorageUnavailable>
    /** `errorCategory` becomes that of the first fatal error (of the first error when none is fatal). */
    readonly fail: (fence: Fence, errors: ReadonlyArray<JobError>) => Effect.Effect<void, Fenced | StorageUnavailable>
    /** A person who asked for a pause comes first: then the reason is `user`, and nothing resumes it but a person. */
    readonly pause: (
      fence: Fence,
      reason: NonNullable<Job["pauseReason"]>,
      /** Seconds from now by the store's clock; `undefined` waits for a person. */
      resumeAfter: number | undefined
    ) => Effect.Effect<void, Fenced | StorageUnavailable>
    /** A job that does not exist is a conflict with status `missing`. */
    readonly cancel: (
      jobId: JobId,
      event: "cancel" | "forceCancel",
      cause: ActorRef
    ) => Effect.Effect<Job, JobStateConflict | StorageUnavailable>
    /**
     * Paused jobs whose `resumeAt` has passed go on (in progress without heartbeat, new epoch); those without
     * one that are paused for more than `limits.userPauseHours` fail as PAUSE_EXPIRED; those created more than
     * `limits.queueMinutes` ago and never started fail as QUEUE_TIMEOUT, while runners have slots free and
     * nothing that the job needs is busy. Jobs that were asked to pause and have no worker that could do it
     * (without a heartbeat, or with one older than `JobLease`) are paused.
     */
    readonly sweep: Effect.Effect<void, StorageUnavailable>

    /**
     * Asks a job in progress to pause. It stays in progress, with `pauseReason` user, until its run reaches the
     * end of a page; asking again changes nothing. A job that does not exist is a conflict with status `missing`.
     */
    readonly askPause: (jobId: JobId, cause: ActorRef) => Effect.Effect<Job, JobStateConflict | StorageUnavailable>
    /** Pauses the job if it is still asked to; `false` when the person thought better of it. */
    readonly pauseAsked: (fence: Fence) => Effect.Effect<boolean, Fenced | StorageUnavailable>
    /**
     * A paused job, whatever the reason, goes on: in progress without heartbeat, new epoch. One that was asked to
     * pause and has not yet is asked no more.
     */
    readonly resume: (jobId: JobId, cause: ActorRef) => Effect.Effect<Job, JobStateConflict | StorageUnavailable>
    /**
     * Forgets at most `limit` jobs that have ended: those that did more than `limits.jobHistoryDays` ago, and those of a
     * feed that has more than `limits.jobHistory`, oldest first. The newest job of a feed, and the newest that
     * completed, are kept whatever their age. Returns how many.
     */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
    /** The present instant by the store's clock. */
    readonly now: Effect.Effect<Timestamp, StorageUnavailable>
  }
>()("@millrace/core/job/JobStore") {}

/** Holder of the leases of a claimed job. */
export const holderOf = (fence: Fence): string => `${fence.jobId}:${fence.epoch}`
