/**
 * Runs jobs in this process: never more than its slots at a time, each behind a claim.
 *
 * - offered: somebody says that a job is due; the row decides whether it is
 * - held: this process waits for a slot for the job, claims it, or runs it
 * - set aside: the claim was refused (a connection is busy, another worker has it), so asking again at once
 *   is useless
 * - backlog: there may be due jobs that this process was not given
 *
 * At every kind of death the row decides: a process that dies stops beating, and after `JobLease` seconds the
 * job is due again; a run that was shut out is refused by its fence (decisions 6.4).
 */
import type { BankId } from "@millrace/core/bank/Bank"
import { contactSupport } from "@millrace/core/failure/Recovery"
import type { FeedId } from "@millrace/core/feed/Feed"
import type { JobError, JobId } from "@millrace/core/job/Job"
import { JobLease } from "@millrace/core/job/JobLease"
import { type ClaimedJob, type Fence, type Fenced, JobStore } from "@millrace/core/job/JobStore"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import type { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import { SyncRun } from "@millrace/core/sync/SyncRun"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"

export interface JobRunnerOptions {
  /** Jobs that run at the same time in this process; 4 unless given. */
  readonly slots?: number | undefined
}

const defaultSlots = 4
/** Seconds that running jobs get to end by themselves when the process stops, and then to be given back. */
const drainSeconds = 4
/** Beats within one lease, so that losing one costs nothing. */
const beatsPerLease = 3

interface Held {
  readonly jobId: JobId
  readonly feedId: FeedId
  fiber: Fiber.Fiber<void> | undefined
  /** Set while the job is claimed. */
  fence: Fence | undefined
  banks: ReadonlyArray<BankId>
  /** The run was told to stop: its interruption is no fault of its own. */
  stopping: boolean
  /** Offered again while it ran: it was released or resumed meanwhile. */
  again: boolean
}

export class JobRunner extends Context.Service<
  JobRunner,
  {
    /**
     * Offers a due job. `false` when this process does not want it now: it drains, has jobs enough, or was
     * refused the job a moment ago. Returns at once.
     */
    readonly take: (feedId: FeedId, jobId: JobId) => Effect.Effect<boolean>
    /** Waits until this process no longer holds the job. */
    readonly settled: (jobId: JobId) => Effect.Effect<void>
    /** Stops the job if this process holds it. What it had claimed is given back. Returns at once. */
    readonly stop: (jobId: JobId) => Effect.Effect<void>
    /**
     * How many of the oldest due jobs are worth offering: those that it holds and those set aside may be due,
     * too, and so they count. A job that it runs is due as well after the process or the clock of the store
     * leapt ahead of its heartbeat.
     */
    readonly appetite: Effect.Effect<number>
    /** Whether storage has due jobs that were not offered. */
    readonly noteBacklog: (exists: boolean) => Effect.Effect<void>
    /** Makes `hungry` answer. */
    readonly wake: Effect.Effect<void>
    /** Waits until more jobs are wanted; answers once for every reason there was. */
    readonly hungry: Effect.Effect<void>
    /** Takes nothing more; returns when nothing is held, at the latest after 8 seconds. */
    readonly drain: Effect.Effect<void>
  }
>()("@millrace/jobs/JobRunner") {
  static readonly layer = (options?: JobRunnerOptions): Layer.Layer<JobRunner, never, JobStore | SyncRun> =>
    Layer.effect(JobRunner, make(options?.slots ?? defaultSlots))
}

const make = Effect.fnUntraced(function* (slots: number) {
  const jobs = yield* JobStore
  const runs = yield* SyncRun
  const lease = yield* JobLease
  const fork = Effect.runForkWith(yield* Effect.context())
  const permits = Semaphore.makeUnsafe(slots)
  const held = new Map<JobId, Held>()
  const aside = new Map<JobId, ReadonlyArray<BankId>>()
  const hunger = Latch.makeUnsafe(true)
  const idle = Latch.makeUnsafe(true)
  let claimed = 0
  let endings = 0
  let backlog = false
  let draining = false

  /** Asks for more only when somebody has more: a lone job costs no query when it ends. */
  const feel = (): void => {
    if (backlog && !draining && (held.size - claimed) * 2 < slots) hunger.openUnsafe()
  }

  const ended = (entry: Held): void => {
    held.delete(entry.jobId)
    if (entry.fence !== undefined) {
      claimed--
      endings++
      for (const [jobId, banks] of aside) {
        if (!banks.some((bank) => entry.banks.includes(bank))) continue
        aside.delete(jobId)
        backlog = true
      }
    }
    if (entry.again) backlog = true
    if (held.size === 0) idle.openUnsafe()
    feel()
  }

  const work = (entry: Held): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const before = endings
        const banks = yield* restore(runs.banksOf(entry.feedId))
        const answer = yield* jobs.claim(entry.jobId, banks)
        if (Option.isNone(answer)) {
          // A run that ended meanwhile may have been the reason.
          if (endings === before) aside.set(entry.jobId, banks)
          else backlog = true
          return
        }
        entry.fence = answer.value.fence
        entry.banks = banks
        claimed++
        const exit = yield* Effect.exit(restore(runClaimed(runs, answer.value)))
        yield* settle(jobs, answer.value, exit, entry.stopping)
      }).pipe(
        Effect.catchTag("StorageUnavailable", (error) =>
          Effect.logWarning("Storage is away: the job is taken up again later", error)
        ),
        Effect.catchDefect((defect) =>
          Effect.logError("The job could not be taken up", Cause.die(defect)).pipe(
            Effect.andThen(Effect.sync(() => aside.set(entry.jobId, entry.banks)))
          )
        )
      )
    ).pipe(permits.withPermit, Effect.annotateLogs({ jobId: entry.jobId, feedId: entry.feedId }))

  const take = (feedId: FeedId, jobId: JobId): boolean => {
    if (draining) return false
    const present = held.get(jobId)
    if (present !== undefined) {
      if (present.fence !== undefined) present.again = true
      return true
    }
    if (aside.has(jobId)) return false
    if (held.size >= 2 * slots) {
      backlog = true
      return false
    }
    const entry: Held = { jobId, feedId, fiber: undefined, fence: undefined, banks: [], stopping: false, again: false }
    held.set(jobId, entry)
    idle.closeUnsafe()
    entry.fiber = fork(work(entry))
    entry.fiber.addObserver(() => ended(entry))
    return true
  }

  const stop = (entry: Held): void => {
    entry.stopping = true
    entry.fiber?.interruptUnsafe()
  }

  /** Refreshes all claimed jobs in one call, and stops those that are no longer ours. */
  const beat = Effect.gen(function* () {
    if (aside.size > 0) {
      aside.clear()
      hunger.openUnsafe()
    }
    const asked = [...held.values()].filter((entry) => entry.fence !== undefined)
    if (asked.length === 0) return
    const kept = new Set(yield* jobs.beat(asked.map((entry) => entry.fence!)))
    for (const entry of asked) if (!kept.has(entry.jobId)) stop(entry)
  }).pipe(
    Effect.catchTag("StorageUnavailable", (error) => Effect.logWarning("Storage is away: no heartbeat", error)),
    Effect.catchDefect((defect) => Effect.logError("The heartbeat failed", Cause.die(defect)))
  )

  const emptied = idle.await.pipe(
    Effect.timeoutOption(drainSeconds * 1000),
    Effect.map(Option.isSome),
    // A finalizer cannot be interrupted, and a timeout works by interruption.
    Effect.interruptible
  )

  const drain = Effect.gen(function* () {
    if (draining) return
    draining = true
    for (const entry of held.values()) if (entry.fence === undefined) stop(entry)
    if (yield* emptied) return
    yield* Effect.logInfo("Giving back the jobs that still run", { jobs: held.size })
    for (const entry of held.values()) stop(entry)
    if (yield* emptied) return
    yield* Effect.logWarning("Some jobs did not stop in time; they are taken up when their lease has run out", {
      jobs: [...held.keys()]
    })
  })

  yield* Effect.sleep((lease * 1000) / beatsPerLease).pipe(Effect.andThen(beat), Effect.forever, Effect.forkScoped)
  // Added last, so that it runs first: the heart beats until nothing is held.
  yield* Effect.addFinalizer(() => drain)

  return JobRunner.of({
    take: (feedId, jobId) => Effect.sync(() => take(feedId, jobId)),
    settled: (jobId) =>
      Effect.suspend(() => {
        const fiber = held.get(jobId)?.fiber
        return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.await(fiber))
      }),
    stop: (jobId) =>
      Effect.sync(() => {
        const entry = held.get(jobId)
        if (entry !== undefined) stop(entry)
      }),
    appetite: Effect.sync(() => (draining ? 0 : 2 * slots + aside.size)),
    noteBacklog: (exists) =>
      Effect.sync(() => {
        backlog = exists
        feel()
      }),
    wake: Effect.sync(() => void hunger.openUnsafe()),
    hungry: Effect.tap(hunger.await, () => hunger.close),
    drain
  })
})

const runClaimed = Effect.fn("JobRunner.run")(function* (
  runs: SyncRun["Service"],
  job: ClaimedJob
): Effect.fn.Return<void, Fenced | StorageUnavailable> {
  yield* Effect.annotateCurrentSpan({ jobId: job.job.id, feedId: job.job.feedId, attempt: job.job.attempt })
  yield* runs.run(job)
})

/** What is left to do for a job whose run ended. */
const settle = (
  jobs: JobStore["Service"],
  { fence }: ClaimedJob,
  exit: Exit.Exit<void, Fenced | StorageUnavailable>,
  told: boolean
): Effect.Effect<void, StorageUnavailable> => {
  if (Exit.isSuccess(exit)) return Effect.void
  const cause = exit.cause
  // Nobody asked a run to stop that interrupts itself: that is as much a fault of ours as a defect.
  if (Cause.hasDies(cause) || (Cause.hasInterrupts(cause) && !told)) {
    return Effect.logError("The run broke", cause).pipe(Effect.andThen(failBroken(jobs, fence)))
  }
  if (Cause.hasInterrupts(cause)) return jobs.release(fence)
  return Effect.failCause(cause).pipe(Effect.catchTag("Fenced", () => Effect.logDebug("The run was shut out")))
}

const failBroken = Effect.fnUntraced(function* (jobs: JobStore["Service"], fence: Fence) {
  const error: JobError = {
    timestamp: yield* Timestamp.now,
    message: "The sync stopped because of a fault in Millrace.",
    category: "internal",
    severity: "fatal",
    code: "INTERNAL_ERROR",
    recovery: contactSupport
  }
  yield* Effect.catchTag(jobs.fail(fence, [error]), "Fenced", () => Effect.void)
})
