/** Sync jobs: triggering, looking up, cancelling, pausing (decisions 5.4, 6.4 and 7.5). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isNarrowed, permit, reach } from "../access/Access.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { userOf } from "../access/Principal.ts"
import { isLive } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import {
  Conflict,
  NotFound,
  Unprocessable,
  type CursorUnusable,
  type Forbidden,
  type InvalidInput
} from "../failure/Failure.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { nextRun } from "../feed/NextRun.ts"
import type { DueWake } from "../feed/Wake.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { Id, Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf, type Page, type PageRequest } from "../shared/Page.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { onceCommitted } from "../storage/TransactionEnd.ts"
import { Transactor } from "../storage/Transactor.ts"
import { toJobErrors } from "./Finding.ts"
import { JobStatus, type Job, type JobId } from "./Job.ts"
import { JobEngine } from "./JobEngine.ts"
import { JobStore, type JobStateConflict } from "./JobStore.ts"
import { catchUp, expectedBanks, makeNewJob } from "./NewJob.ts"
import { planSync } from "./SyncPlan.ts"

const JobsCursor = Schema.Struct({ before: Id("job"), status: Schema.optionalKey(JobStatus) })

const scheduler: ActorRef = { kind: "system", reason: "schedule" }

/** Due schedules taken up in one go; the rest follows at once on the next tick. */
const scheduleBatch = 500

/** TriggerSyncBody (specification 2.3). */
export interface TriggerSync {
  readonly startDate?: CalendarDate.CalendarDate
  readonly endDate?: CalendarDate.CalendarDate
  readonly forceCancelActive?: boolean
  readonly resetCursors?: boolean
  readonly skipDedup?: boolean
}

const refused = ({ event, status }: JobStateConflict) => {
  const [code, message] =
    status === "completed" || status === "failed" || status === "cancelled"
      ? (["JOB_ALREADY_FINISHED", `Job is already ${status}`] as const)
      : event === "resume"
        ? (["JOB_NOT_PAUSED", "Job is not paused"] as const)
        : event === "cancel"
          ? (["JOB_PAUSED", "Resume the job first"] as const)
          : (["INVALID_STATE", `Job is ${status}`] as const)
  return Effect.fail(new Conflict({ code, message, details: [] }))
}

export class Jobs extends Context.Service<
  Jobs,
  {
    /** Creates a job and takes the feed lock with it. */
    readonly trigger: (
      caller: Caller,
      feedId: FeedId,
      options: TriggerSync
    ) => Effect.Effect<Job, NotFound | InvalidInput | Unprocessable | Conflict | Forbidden | StorageUnavailable>
    readonly get: (
      caller: Caller,
      feedId: FeedId,
      id: JobId
    ) => Effect.Effect<Job, NotFound | Forbidden | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      caller: Caller,
      feedId: FeedId,
      query: PageRequest & { readonly status?: JobStatus }
    ) => Effect.Effect<Page<Job>, NotFound | CursorUnusable | Forbidden | StorageUnavailable>
    /** Releases the feed lock at once. */
    readonly cancel: (
      caller: Caller,
      feedId: FeedId,
      id: JobId
    ) => Effect.Effect<Job, NotFound | Conflict | Forbidden | StorageUnavailable>
    /**
     * Asks a job in progress to pause: it does so at the end of the page it is at, keeps the feed locked, and
     * fails after `limits.userPauseHours` unless somebody resumes it.
     */
    readonly pause: (
      caller: Caller,
      feedId: FeedId,
      id: JobId
    ) => Effect.Effect<Job, NotFound | Conflict | Forbidden | StorageUnavailable>
    /** A paused job goes on; one that was asked to pause and has not yet does not. */
    readonly resume: (
      caller: Caller,
      feedId: FeedId,
      id: JobId
    ) => Effect.Effect<Job, NotFound | Conflict | Forbidden | StorageUnavailable>
    /** For the scheduler: jobs of all feeds whose schedule or wake is due. Returns how many were made. */
    readonly scheduleDue: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/job/Jobs") {
  static readonly layer: Layer.Layer<
    Jobs,
    never,
    JobStore | FeedStore | BankStore | JobEngine | Cursors | Ids | Transactor
  > = Layer.effect(
    Jobs,
    Effect.gen(function* () {
      const store = yield* JobStore
      const feeds = yield* FeedStore
      const banks = yield* BankStore
      const engine = yield* JobEngine
      const { atomically } = yield* Transactor
      const cursors = yield* Cursors
      const newJob = yield* makeNewJob

      const feedOf = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: FeedId) {
        return yield* reach(caller, operation, "Feed", yield* feeds.get(caller.principal.workspace.id, id))
      })

      /** A removed bank cannot be read: better to say so now than on the job (decisions 7.5). */
      const checkBanks = Effect.fnUntraced(function* (feed: Feed) {
        if (feed.sourceConfig?.type !== "sync") return
        for (const { bankId } of feed.sourceConfig.accounts) {
          const bank = yield* banks.get(feed.workspaceId, bankId)
          if (Option.isNone(bank) || !isLive(bank.value)) {
            return yield* new Conflict({
              code: "BANK_REMOVING",
              message: "A bank of this feed was removed",
              details: [{ field: "bankId", message: bankId }]
            })
          }
        }
      })

      const trigger: Jobs["Service"]["trigger"] = Effect.fn("Jobs.trigger")(function* (caller, feedId, request) {
        const { workspace } = caller.principal
        const feed = yield* feedOf(caller, "triggerSync", feedId)
        if (feed.sourceConfig === undefined || feed.destinationConfig === undefined) {
          const missing = feed.sourceConfig === undefined ? "source" : "destination"
          return yield* new Unprocessable({
            code: "FEED_NOT_READY",
            message: `Feed has no ${missing}`,
            details: [{ field: `${missing}Config`, message: "is required before a sync" }]
          })
        }
        const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
        const { clamped, mode, options } = yield* planSync(feed, workspace, request, today)
        yield* checkBanks(feed)
        const warnings = clamped === undefined ? [] : yield* toJobErrors([clamped])
        const job = yield* newJob(feed, {
          userId: userOf(caller.principal),
          startedBy: caller.cause,
          type: "manual",
          mode,
          options,
          errors: warnings
        })
        const { cancelled } = yield* store
          .create(job, { replacing: options.forceCancelActive, banks: expectedBanks(feed) })
          .pipe(
            Effect.catchTag("FeedLocked", (locked) =>
              Effect.fail(
                new Conflict({
                  code: "SYNC_ALREADY_RUNNING",
                  message: "A sync job is already running for this feed",
                  details: [{ field: "jobId", message: locked.jobId }]
                })
              )
            )
          )
        if (Option.isSome(cancelled)) yield* onceCommitted(engine.interrupt(feedId, cancelled.value))
        yield* onceCommitted(engine.poke(feedId, job.id))
        return job
      })

      const load = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, feedId: FeedId, id: JobId) {
        const { workspace } = caller.principal
        yield* permit(caller, operation)
        // A job is whose its feed is.
        if (isNarrowed(caller, operation))
          yield* reach(caller, operation, "Job", yield* feeds.get(workspace.id, feedId))
        const job = yield* store.get(workspace.id, feedId, id)
        if (Option.isNone(job)) return yield* new NotFound({ resource: "Job" })
        return job.value
      })

      const list: Jobs["Service"]["list"] = Effect.fn("Jobs.list")(function* (caller, feedId, query) {
        const { workspace } = caller.principal
        yield* feedOf(caller, "listJobs", feedId)
        const bound = { workspaceId: workspace.id, list: `jobs/${feedId}` }
        const start =
          query.cursor === undefined ? { status: query.status } : yield* cursors.decode(bound, JobsCursor, query.cursor)
        const limit = sizeOf(limits.jobsPage, query.limit)
        const rows = yield* store.list(workspace.id, feedId, {
          limit: limit + 1,
          ...(start.status === undefined ? {} : { status: start.status }),
          ...("before" in start && start.before !== undefined ? { before: start.before } : {})
        })
        const page = rows.slice(0, limit)
        const hasMore = rows.length > limit
        if (!hasMore) return { rows: page, hasMore }
        const before = page[page.length - 1]!.id
        const cursor = yield* cursors.encode(bound, "page", {
          before,
          ...(start.status === undefined ? {} : { status: start.status })
        })
        return { rows: page, hasMore, cursor }
      })

      const cancel: Jobs["Service"]["cancel"] = Effect.fn("Jobs.cancel")(function* (caller, feedId, id) {
        yield* load(caller, "cancelJob", feedId, id)
        const job = yield* Effect.catchTag(store.cancel(id, "cancel", caller.cause), "JobStateConflict", refused)
        yield* onceCommitted(engine.interrupt(feedId, id))
        return job
      })

      const pause: Jobs["Service"]["pause"] = Effect.fn("Jobs.pause")(function* (caller, feedId, id) {
        yield* load(caller, "pauseJob", feedId, id)
        // Nobody interrupts the run: what it is sending is better ended than sent again.
        return yield* Effect.catchTag(store.askPause(id, caller.cause), "JobStateConflict", refused)
      })

      const resume: Jobs["Service"]["resume"] = Effect.fn("Jobs.resume")(function* (caller, feedId, id) {
        yield* load(caller, "resumeJob", feedId, id)
        const job = yield* Effect.catchTag(store.resume(id, caller.cause), "JobStateConflict", refused)
        yield* onceCommitted(engine.poke(feedId, id))
        return job
      })

      /** The due time moves on with the job that it makes, or not at all: no run is skipped by a crash. */
      const scheduleOne = Effect.fnUntraced(function* (feed: Feed, now: Timestamp.Timestamp) {
        if (feed.schedule === undefined || feed.nextRunAt === undefined) return false
        const due = feed.nextRunAt
        // What the clock that found it due takes for the future must be after what was due.
        const after = Math.max(Timestamp.toMillis(now), Timestamp.toMillis(due))
        const next = feed.schedule.enabled ? nextRun(feed.schedule, after) : undefined
        const by = { userId: feed.createdByUser, startedBy: scheduler, type: "scheduled" as const }
        const job = yield* newJob(feed, { ...by, ...catchUp })
        const made = yield* atomically(
          Effect.gen(function* () {
            if (!(yield* feeds.advanceSchedule(feed.id, due, next))) return false
            if (feed.sourceConfig === undefined || feed.destinationConfig === undefined) return false
            return yield* store.create(job, { replacing: false, banks: expectedBanks(feed) }).pipe(
              Effect.as(true),
              // A manual run came first: it does the same work.
              Effect.catchTag("FeedLocked", () => Effect.succeed(false))
            )
          })
        )
        if (made) yield* engine.poke(feed.id, job.id)
        return made
      })

      /** The wake goes with the job that it makes, or not at all. */
      const wakeOne = Effect.fnUntraced(function* ({ dueAt, feedId, reason, retry, type }: DueWake) {
        const made = yield* atomically(
          Effect.gen(function* () {
            const found = yield* feeds.byId(feedId)
            if (!(yield* feeds.takeWake(feedId, dueAt)) || Option.isNone(found)) return undefined
            const feed = found.value
            if (feed.sourceConfig === undefined || feed.destinationConfig === undefined) return undefined
            const startedBy: ActorRef = { kind: "system", reason }
            const by = { userId: feed.createdByUser, startedBy, type, ...(retry === 0 ? {} : { retry }) }
            const job = yield* newJob(feed, { ...by, ...catchUp })
            return yield* store.create(job, { replacing: false }).pipe(
              Effect.as(job),
              Effect.catchTag("FeedLocked", () => Effect.undefined)
            )
          })
        )
        if (made !== undefined) yield* engine.poke(feedId, made.id)
        return made !== undefined
      })

      const scheduleDue = Effect.gen(function* () {
        let made = 0
        const due = yield* feeds.scheduleDue(scheduleBatch)
        if (due.length > 0) {
          // What is due is told by the store's clock, and so is what comes next: those of machines may jump.
          const now = yield* store.now
          for (const feed of due) if (yield* scheduleOne(feed, now)) made++
        }
        for (const wake of yield* feeds.dueWakes(scheduleBatch)) if (yield* wakeOne(wake)) made++
        return made
      }).pipe(Effect.withSpan("Jobs.scheduleDue"))

      const get = Effect.fn("Jobs.get")((caller: Caller, feedId: FeedId, id: JobId) =>
        load(caller, "getJob", feedId, id)
      )

      return Jobs.of({ trigger, get, list, cancel, pause, resume, scheduleDue })
    })
  )
}
