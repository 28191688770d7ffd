/**
 * Runs jobs in this process: never more than its slots at a time, each behind a claim.
 *
 * - offered: somebody says that a job is due; the row decides whether it is
 * - held: this process waits for a slot for the job, claims it, or runs it
 *
 * At every kind of death the row decides: a process that dies stops beating, and after `JobLease` seconds the
 * job is due again; a run that was shut out is refused by its fence (decisions 6.4).
 */
import { limits } from "@millrace/core"
import type { FeedId } from "@millrace/core/feed"
import { capacityOf, type JobId, lookAgainSeconds, RunLease, runnerSilence, tryAgainSeconds } from "@millrace/core/job"
import { type Fence, JobLease, JobStore, pokeLease, StorageRoom, type StorageUnavailable } from "@millrace/core/storage"
import { UpstreamPatience } from "@millrace/core/provider"
import { SyncRun } from "@millrace/core/kernel"
import { acrossTenants } from "@millrace/core/workspace"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import { isFull, makeRunClaimed, makeSettle } from "./ClaimedRun.ts"
import { JobEnded } from "./JobEnded.ts"
import { WakeSignal } from "./WakeSignal.ts"

export interface JobRunnerOptions {
  /** Jobs that run at the same time in this process; 4 unless given. */
  readonly slots?: number | undefined
  /** How the process is called among those that share the store; made up unless given. */
  readonly name?: string | undefined
}

const engine = acrossTenants("job engine")

const defaultSlots = 4
/**
 * Jobs held for each slot. Feeds live where their hash says, so one machine may be given most of what was handed
 * out, and what it turns away comes back to it, only later.
 */
const heldPerSlot = 4
/** Seconds that running jobs get to come to the end of a page when the process stops. */
const drainSeconds = 4
/** Seconds that runs get to stop when they are interrupted, and storage then to take their jobs back without them. */
const stopSeconds = 1
const giveBackSeconds = 2
/** Seconds between tries to write down that a job waits for room, where not even that can be written. */
const noteAgainSeconds = 5
/** Beats within one lease, so that losing one costs nothing. */
const beatsPerLease = 3

/**
 * A beat in which nothing runs says only that the slots are there, and every second one may be left out. Not after the
 * process stood still for a while: until it beats, nobody believes in its slots.
 */
const idleBeats = 2

interface Held {
  readonly jobId: JobId
  readonly feedId: FeedId
  readonly mayStay: () => boolean
  /** When it was last offered, in milliseconds. */
  offeredAt: number
  fiber: Fiber.Fiber<void> | undefined
  /** Set while the job is claimed. */
  fence: Fence | undefined
  /** It was asked to leave at the next page. */
  leaving: boolean
  /** The run was told to stop: its interruption is no fault of its own. */
  stopping: boolean
  /** It left because storage has too little room for it to go on. */
  crowdedOut: boolean
  /** Offered again while it ran: it was released or resumed meanwhile. */
  again: boolean
}

const always = () => true

export class JobRunner extends Context.Service<
  JobRunner,
  {
    /**
     * Offers a due job. `false` when this process does not want it now: it drains, or more jobs wait for a slot
     * here than chance explains, all of them offered within the last `pokeLease` seconds. Returns at once. A run
     * whose feed `mayStay` no longer gives its job back at the next page.
     */
    readonly take: (feedId: FeedId, jobId: JobId, mayStay?: () => boolean) => Effect.Effect<boolean>
    /** Waits until this process no longer holds the job. */
    readonly settled: (jobId: JobId) => Effect.Effect<void>
    /** Stops the job if this process holds it. What it had claimed is given back. Returns at once. */
    readonly stop: (jobId: JobId) => Effect.Effect<void>
    /** Releases the job: at the next page, or else after some seconds. Returns when it is not held. */
    readonly release: (jobId: JobId) => Effect.Effect<void>
    /** How many more jobs this process would take. */
    readonly freeCapacity: Effect.Effect<number>
    readonly isDraining: Effect.Effect<boolean>
    /** Takes nothing more, and asks what runs to leave. Returns at once. */
    readonly beginDrain: Effect.Effect<void>
    /** Takes nothing more; returns when everything is given back, at the latest after 7 seconds. */
    readonly drain: Effect.Effect<void>
  }
>()("@millrace/jobs/JobRunner") {
  static readonly layer = (
    options?: JobRunnerOptions
  ): Layer.Layer<JobRunner, never, JobStore | SyncRun | WakeSignal> =>
    Layer.effect(JobRunner, make(options?.slots ?? defaultSlots, options?.name))
}

const make = Effect.fnUntraced(function* (slots: number, named: string | undefined) {
  const jobs = yield* JobStore
  const runClaimed = yield* makeRunClaimed
  const settle = yield* makeSettle
  const runs = yield* SyncRun
  const wakeSignal = yield* WakeSignal
  const clock = yield* Clock.Clock
  const lease = yield* JobLease
  const room = yield* StorageRoom
  const jobEnded = yield* JobEnded
  const name = named ?? `runner-${(yield* Random.nextIntBetween(0, 2 ** 48)).toString(36)}`
  const fork = Effect.runForkWith(yield* Effect.context())
  /**
   * Whether it happened within so many seconds. Waited for in a fiber of its own: the one that stops may have been
   * interrupted, and a timeout works by interruption.
   */
  const inTime = (wait: Effect.Effect<void>, seconds = drainSeconds): Effect.Effect<boolean> =>
    Effect.suspend(() => Fiber.join(fork(Effect.timeoutOption(wait, seconds * 1000)))).pipe(Effect.map(Option.isSome))
  const permits = Semaphore.makeUnsafe(slots)
  const capacity = capacityOf(slots)
  const held = new Map<JobId, Held>()
  const idle = Latch.makeUnsafe(true)
  let draining = false
  /** Storage had too little room for syncs when it was looked at last. */
  let crowded = false
  // However long leases are: slots count for `runnerSilence` seconds, and one idle beat may be lost.
  const beatEvery = Math.min((lease * 1000) / beatsPerLease, (runnerSilence * 1000) / (2 * idleBeats))
  /** Milliseconds that no change of the clock moves. */
  const monotonic = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  /** When storage last heard of this process. */
  let beaten = -Infinity

  const ended = (entry: Held): void => {
    held.delete(entry.jobId)
    if (held.size === 0) idle.openUnsafe()
    if (entry.again && take(entry.feedId, entry.jobId, entry.mayStay)) return
    // Asked for again when the reserve is used up, not for each job that ends.
    if (held.size <= slots) fork(wakeSignal.ended)
  }

  const runLeaseOf = (entry: Held): RunLease => ({
    isRevoked: () => entry.leaving || crowded || !entry.mayStay(),
    release: Effect.suspend(() => {
      entry.stopping = true
      entry.crowdedOut = crowded
      return Effect.interrupt
    })
  })

  const lookForRoom = room.forSyncs.pipe(
    Effect.onExit((exit) => Effect.sync(() => void (crowded = Exit.isFailure(exit))))
  )

  /** The job is looked at again by itself: nothing of it is lost, and no attempt is used up. */
  const waitForRoom = (
    fence: Fence,
    seconds: number,
    restore: <A, E>(effect: Effect.Effect<A, E>) => typeof effect
  ) => {
    const note: Effect.Effect<void, StorageUnavailable> = jobs.pause(fence, "storage_full", seconds).pipe(
      Effect.catchTag("Fenced", () => Effect.logDebug("The run was shut out")),
      Effect.catchIf(isFull, () => Effect.andThen(restore(Effect.sleep(noteAgainSeconds * 1000)), note))
    )
    return Effect.andThen(
      Effect.logWarning("Storage is full: the job waits until there is room, and goes on by itself", {
        afterSeconds: seconds
      }),
      note
    )
  }

  const work = (entry: Held): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const banks = yield* restore(runs.banksOf(entry.feedId))
        const answer = yield* jobs.claim(entry.jobId, banks)
        if (Option.isNone(answer)) {
          // What it waits for may have become free meanwhile.
          return yield* wakeSignal.arrived
        }
        entry.fence = answer.value.fence
        const run = Effect.andThen(lookForRoom, runClaimed(answer.value)).pipe(
          Effect.provideService(RunLease, runLeaseOf(entry)),
          Effect.provideService(UpstreamPatience, limits.pauseOverSeconds)
        )
        const exit = yield* Effect.exit(restore(run))
        if (entry.crowdedOut) return yield* waitForRoom(entry.fence, lookAgainSeconds, restore)
        if (Exit.isFailure(exit) && isFull(Option.getOrUndefined(Cause.findErrorOption(exit.cause)))) {
          const seconds = Exit.isFailure(yield* Effect.exit(lookForRoom)) ? lookAgainSeconds : tryAgainSeconds
          return yield* waitForRoom(entry.fence, seconds, restore)
        }
        if (yield* settle(answer.value, exit, entry.stopping)) yield* jobEnded(answer.value)
      }).pipe(
        Effect.catchTag("StorageUnavailable", (error) =>
          Effect.logWarning("Database unavailable: the job is taken up again later", error)
        ),
        Effect.catchDefect((defect) => Effect.logError("The job could not be taken up", Cause.die(defect)))
      )
    ).pipe(engine, permits.withPermit, Effect.annotateLogs({ jobId: entry.jobId, feedId: entry.feedId }))

  const stop = (entry: Held): void => {
    entry.stopping = true
    entry.fiber?.interruptUnsafe()
  }

  /** Releases a job that waits for a slot and was not offered again in time: others have their turn now. */
  const makeRoom = (now: number): boolean => {
    for (const entry of held.values()) {
      if (entry.fence !== undefined || entry.stopping || now - entry.offeredAt < pokeLease * 1000) continue
      stop(entry)
      return true
    }
    return false
  }

  const take = (feedId: FeedId, jobId: JobId, mayStay: () => boolean): boolean => {
    if (draining) return false
    const now = clock.currentTimeMillisUnsafe()
    const present = held.get(jobId)
    if (present !== undefined) {
      present.offeredAt = now
      if (present.fence !== undefined) present.again = true
      return true
    }
    if (held.size >= heldPerSlot * slots && !makeRoom(now)) return false
    const entry: Held = {
      jobId,
      feedId,
      mayStay,
      offeredAt: now,
      fiber: undefined,
      fence: undefined,
      leaving: false,
      stopping: false,
      crowdedOut: false,
      again: false
    }
    held.set(jobId, entry)
    idle.closeUnsafe()
    entry.fiber = fork(work(entry))
    entry.fiber.addObserver(() => ended(entry))
    return true
  }

  /** Refreshes all claimed jobs and the slots in one call, and stops the jobs that are no longer ours. */
  const beat = Effect.gen(function* () {
    yield* Effect.ignore(lookForRoom)
    const now = monotonic()
    const asked = [...held.values()].filter((entry) => entry.fence !== undefined)
    const kept = new Set(
      yield* jobs.beat(
        asked.map((entry) => entry.fence!),
        draining ? undefined : { name, slots }
      )
    )
    beaten = now
    for (const entry of asked) if (!kept.has(entry.jobId)) stop(entry)
  }).pipe(
    engine,
    Effect.catchTag("StorageUnavailable", (error) => Effect.logWarning("Database unavailable: no heartbeat", error)),
    Effect.catchDefect((defect) => Effect.logError("The heartbeat failed", Cause.die(defect)))
  )

  const settled = (jobId: JobId): Effect.Effect<void> =>
    Effect.suspend(() => {
      const fiber = held.get(jobId)?.fiber
      return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.await(fiber))
    })

  /** What has no claim yet has nothing to finish. */
  const dismiss = (entry: Held): void => {
    entry.leaving = true
    if (entry.fence === undefined) stop(entry)
  }

  /**
   * Gives back what these entries claimed, without waiting for their runs: on a machine that is busy a run may take
   * long to stop, and its fence shuts it out from then on. Whether storage knows of all.
   */
  const giveBack = (entries: ReadonlyArray<Held>): Effect.Effect<boolean> =>
    inTime(
      Effect.forEach(entries, ({ fence }) => (fence === undefined ? Effect.void : engine(jobs.release(fence))), {
        concurrency: "unbounded",
        discard: true
      }).pipe(
        Effect.catchCause((cause) => Effect.andThen(Effect.logWarning("Jobs were not given back", cause), Effect.never))
      ),
      giveBackSeconds
    )

  const letGo = Effect.fnUntraced(function* (jobId: JobId) {
    const entry = held.get(jobId)
    if (entry === undefined) return
    dismiss(entry)
    if (yield* inTime(settled(jobId))) return
    stop(entry)
    if (yield* inTime(settled(jobId), stopSeconds)) return
    if (!(yield* giveBack([entry]))) yield* settled(jobId)
  })

  const beginDrain = Effect.gen(function* () {
    if (draining) return
    draining = true
    for (const entry of held.values()) dismiss(entry)
    yield* Effect.catchCause(engine(jobs.leave(name)), (cause) =>
      Effect.logDebug("The slots are given up by time", cause)
    )
  })

  const drain = Effect.gen(function* () {
    yield* beginDrain
    if (yield* inTime(idle.await)) return
    yield* Effect.logInfo("Giving back the jobs that still run", { jobs: held.size })
    for (const entry of held.values()) stop(entry)
    if (yield* inTime(idle.await, stopSeconds)) return
    const left = [...held.values()]
    if (yield* giveBack(left)) return
    yield* Effect.logWarning("Some jobs were not given back in time; they are taken up when their lease has run out", {
      jobs: left.map(({ jobId }) => jobId)
    })
  })

  // Without it there would be no room for the first job.
  yield* beat
  const isEarly = () => monotonic() - beaten < beatEvery * (idleBeats - 0.5)
  yield* Effect.sleep(beatEvery).pipe(
    Effect.andThen(Effect.suspend(() => (held.size === 0 && isEarly() ? Effect.void : beat))),
    Effect.forever,
    Effect.forkScoped
  )
  // Added last, so that it runs first: the heart beats until nothing is held.
  yield* Effect.addFinalizer(() => drain)

  return JobRunner.of({
    take: (feedId, jobId, mayStay = always) => Effect.sync(() => take(feedId, jobId, mayStay)),
    settled,
    stop: (jobId) =>
      Effect.sync(() => {
        const entry = held.get(jobId)
        if (entry !== undefined) stop(entry)
      }),
    // Who asks may itself have been interrupted, and could not wait with a limit of time.
    release: (jobId) => Effect.suspend(() => Fiber.await(fork(letGo(jobId)))).pipe(Effect.asVoid),
    freeCapacity: Effect.sync(() => (draining ? 0 : Math.max(0, capacity - held.size))),
    isDraining: Effect.sync(() => draining),
    beginDrain,
    drain
  })
})
