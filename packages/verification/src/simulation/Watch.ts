/**
 * ConnectionChecks over the shoulder of storage: every change of a job, every write of a run and every checkpoint is
 * checked at the moment it is made.
 *
 * It stands between the stores and everything that calls them, so that it sees what tests do, too.
 */
import type { Feed } from "@millrace/core/feed"
import {
  type Checkpoint,
  DeliveryStore,
  FeedStore,
  type Fence,
  IdentityStore,
  JobStore,
  RecordStore,
  StageStore,
  TableStore,
  Transactor
} from "@millrace/core/storage"
import { isActive, type Job, type JobId, type JobStatus, jobTransitions } from "@millrace/core/job"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { mapCalls } from "@millrace/testing/fault"
import { BrokenInvariant, type Invariant } from "./Invariant.ts"
import { checkEnded } from "./JobChecks.ts"
import { Sometimes } from "./Sometimes.ts"

/** The claim that the calls of a fiber belong to. */
export const CurrentRun = Context.Reference<Fence | undefined>("@millrace/verification/simulation/CurrentRun", {
  defaultValue: () => undefined
})

/** Writes of a shut out run in the open transaction: none of them may take effect. */
const Trespasses = Context.Reference<Array<unknown> | undefined>("@millrace/verification/simulation/Trespasses", {
  defaultValue: () => undefined
})

/** How to take back what was noted in the open transaction, should that be rolled back. */
const Undos = Context.Reference<Array<() => void> | undefined>("@millrace/verification/simulation/Undos", {
  defaultValue: () => undefined
})

interface Seen {
  readonly feedId: Feed["id"]
  readonly workspaceId: Feed["workspaceId"]
  status: JobStatus
  /** Of the newest claim. */
  epoch: number
  /** Whether a run of it has begun. */
  ran: boolean
}

const legal = new Set(jobTransitions.map(({ from, to }) => `${from} ${to}`))

/** Everything that a run writes, besides its own job. */
export const writing: ReadonlySet<string> = new Set([
  "RecordStore.write",
  "RecordStore.setMissed",
  "RecordStore.rename",
  "RecordStore.merge",
  "RecordStore.keepDayHashes",
  "IdentityStore.setTrust",
  "IdentityStore.addAliases",
  "IdentityStore.moveAliases",
  "IdentityStore.logMatches",
  "IdentityStore.suggest",
  "RecordStore.saveCheckpoint",
  "RecordStore.setPulled",
  "BankStore.setHistoryFrom",
  "DeliveryStore.intend",
  "DeliveryStore.intendSettled",
  "DeliveryStore.markSending",
  "DeliveryStore.settle",
  "DeliveryStore.settleNext",
  "FeedStore.setMarks",
  "FeedStore.clearMarks",
  "TableStore.putFeedRows",
  "TableStore.makeFeedRows",
  "TableStore.removeFeedRows"
])

export class Watch {
  readonly sometimes = new Sometimes()
  readonly jobs = new Map<JobId, Seen>()
  readonly #active = new Map<Feed["id"], JobId>()
  /** Calls that wrote, by name. */
  writes = new Map<string, number>()
  /** Runs that began. */
  runs = 0
  /** What happened to jobs, in order, without ids: two plays of one scenario must agree on it. */
  readonly trace: Array<string> = []
  readonly #ordinals = new Map<string, number>()
  /** Asked when a checkpoint has been saved, in the same transaction. */
  onCheckpoint: (key: Checkpoint, value: string) => Effect.Effect<void, never, RecordStore> = () => Effect.void

  /** The first thing that did not hold: the kernel may catch what is thrown at it. */
  broken: BrokenInvariant | undefined = undefined

  #must(invariant: Invariant, holds: boolean, detail: unknown): void {
    if (holds) return
    this.broken ??= new BrokenInvariant(invariant, detail)
    throw this.broken
  }

  /** A short name that does not differ between two plays. */
  ordinal(id: string): number {
    let ordinal = this.#ordinals.get(id)
    if (ordinal === undefined) this.#ordinals.set(id, (ordinal = this.#ordinals.size + 1))
    return ordinal
  }

  /** The active job of a feed, if it has one. */
  activeOf(id: Feed["id"]): JobId | undefined {
    return this.#active.get(id)
  }

  /** Feeds with an active job, and its status. */
  get active(): ReadonlyArray<readonly [Feed["id"], JobStatus]> {
    return [...this.#active].map(([feedId, id]) => [feedId, this.jobs.get(id)!.status])
  }

  /** The feed was deleted with its jobs. */
  forget(feedId: Feed["id"]): void {
    this.#active.delete(feedId)
  }

  /** Whether no job of any feed is active. */
  get idle(): boolean {
    return this.#active.size === 0
  }

  /** Jobs that a run was begun for and that are over: what counts as a sync. */
  get syncs(): number {
    let syncs = 0
    for (const { ran, status } of this.jobs.values()) if (ran && !isActive(status)) syncs++
    return syncs
  }

  began(fence: Fence): void {
    this.runs++
    const seen = this.jobs.get(fence.jobId)
    if (seen !== undefined) seen.ran = true
  }

  wrote(call: string): void {
    this.writes.set(call, (this.writes.get(call) ?? 0) + 1)
  }

  #setStatus(id: JobId, feedId: Feed["id"], status: JobStatus): void {
    this.jobs.get(id)!.status = status
    if (isActive(status)) this.#active.set(feedId, id)
    else if (this.#active.get(feedId) === id) this.#active.delete(feedId)
  }

  #moved(id: JobId, job: Job, undos: Array<() => void> | undefined): void {
    const seen = this.jobs.get(id)!
    const before = seen.status
    undos?.push(() => this.#setStatus(id, job.feedId, before))
    const step = `${seen.status} ${job.status}`
    this.#must("a job follows its life cycle", legal.has(step), step)
    this.trace.push(`${this.ordinal(job.feedId)} ${job.status} ${Object.values(job.counts).join(",")}`)
    if (job.status === "paused") {
      if (job.pauseReason !== "storage_full")
        this.sometimes.happened(job.pauseReason === "user" ? "job paused by a person" : "job paused for the provider")
    }
    if (seen.status === "paused" && job.status === "in_progress") this.sometimes.happened("job resumed")
    for (const { code } of isActive(job.status) ? [] : job.errors) {
      if (code === "CHECKPOINT_LOST") this.sometimes.happened("checkpoint lost")
      else if (code === "ROW_QUARANTINED") this.sometimes.happened("row quarantined")
      else if (code === "QUEUE_TIMEOUT") this.sometimes.happened("job waited too long in the queue")
      else if (code === "WORKER_LOST") this.sometimes.happened("job given up after lost workers")
      else if (code === "PAGINATION_UNSTABLE") {
        this.sometimes.happened(
          job.errors.some((error) => error.code === code && error.severity === "warning")
            ? "coverage suspect"
            : "pagination given up"
        )
      }
    }
    if (job.counts.carried > 0 && !isActive(job.status)) this.sometimes.happened("delivery carried over")
    this.#setStatus(id, job.feedId, job.status)
  }

  /** Notes what breaks in a check, no matter who catches it. */
  #checked<A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.tapDefect(check, (defect) =>
      Effect.sync(() => {
        if (defect instanceof BrokenInvariant) this.broken ??= defect
      })
    )
  }

  #wrapJobs(store: JobStore["Service"], deliveries: DeliveryStore["Service"]): JobStore["Service"] {
    const look = Effect.fnUntraced(function* (this: Watch, id: JobId) {
      const seen = this.jobs.get(id)
      if (seen === undefined) return
      const job = yield* store.get(seen.workspaceId, seen.feedId, id)
      if (Option.isNone(job) || job.value.status === seen.status) return
      this.#moved(id, job.value, yield* Undos)
      if (isActive(job.value.status)) return
      yield* this.#checked(Effect.provideService(checkEnded(job.value), DeliveryStore, deliveries))
    }).bind(this)
    const refusals = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.tapError(effect, (error) =>
        Effect.sync(() => {
          if (error._tag === "Fenced") this.sometimes.happened("write of a shut out run refused")
        })
      )
    return JobStore.of({
      ...store,
      create: (job, options) =>
        store.create(job, options).pipe(
          Effect.tap(({ cancelled }) =>
            Effect.gen({ self: this }, function* () {
              if (Option.isSome(cancelled)) yield* look(cancelled.value)
              const jobs = yield* store.list(job.workspaceId, job.feedId, { limit: 1_000 })
              const active = jobs.filter(({ status }) => isActive(status))
              this.#must("at most one active job for a feed", active.length === 1, active)
              this.jobs.set(job.id, {
                feedId: job.feedId,
                workspaceId: job.workspaceId,
                status: job.status,
                epoch: 0,
                ran: false
              })
              this.#active.set(job.feedId, job.id)
              const undos = yield* Undos
              undos?.push(() => {
                if (this.#active.get(job.feedId) === job.id) this.#active.delete(job.feedId)
                this.jobs.delete(job.id)
              })
              this.trace.push(`${this.ordinal(job.feedId)} ${job.type} ${job.mode}`)
              if (job.type === "scheduled") this.sometimes.happened("scheduled run")
              if (job.mode === "range") this.sometimes.happened("range of dates")
              if (job.mode === "full") this.sometimes.happened("full read")
              if (job.options.skipDedup) this.sometimes.happened("dedupe skipped")
            })
          ),
          Effect.tapError((error) =>
            Effect.sync(() => {
              if (error._tag === "FeedLocked") this.sometimes.happened("feed was locked")
            })
          )
        ),
      claim: (id, banks) =>
        Effect.tap(store.claim(id, banks), (claimed) => {
          if (Option.isNone(claimed)) return look(id)
          const seen = this.jobs.get(id)
          if (seen !== undefined) seen.epoch = claimed.value.fence.epoch
          if (claimed.value.resumeSnapshot !== undefined) this.sometimes.happened("pages handed over to the next run")
          if (claimed.value.job.attempt > 1) this.sometimes.happened("worker lost and its job taken over")
          return look(id)
        }),
      release: (fence) =>
        Effect.tap(store.release(fence), () => {
          this.sometimes.happened("job handed back")
          return look(fence.jobId)
        }),
      fence: (fence, progress) => refusals(store.fence(fence, progress)),
      fenceBank: (fence, bank) => refusals(store.fenceBank(fence, bank)),
      complete: (fence, progress) => Effect.tap(refusals(store.complete(fence, progress)), () => look(fence.jobId)),
      fail: (fence, errors) => Effect.tap(refusals(store.fail(fence, errors)), () => look(fence.jobId)),
      pause: (fence, reason, after) => Effect.tap(refusals(store.pause(fence, reason, after)), () => look(fence.jobId)),
      pauseAsked: (fence) => Effect.tap(refusals(store.pauseAsked(fence)), () => look(fence.jobId)),
      resume: (id, cause) => Effect.tap(store.resume(id, cause), () => look(id)),
      saveResumeSnapshot: (fence, text) => refusals(store.saveResumeSnapshot(fence, text)),
      cancel: (id, event, cause) => Effect.tap(store.cancel(id, event, cause), () => look(id)),
      sweep: Effect.tap(store.sweep, () =>
        Effect.forEach([...this.#active.values()], (id) => look(id), { discard: true })
      )
    })
  }

  #mustHaveNone(trespasses: ReadonlyArray<unknown>): void {
    this.#must("a shut out run writes nothing", trespasses.length === 0, trespasses[0])
  }

  /**
   * Notes the calls that write, and stops the scenario when a run writes that was shut out before: at once, or when the
   * transaction that it wrote in is about to take effect.
   */
  #wrapWrites<S extends object>(name: string, service: S, jobs: JobStore["Service"]): S {
    const allowed = Effect.withFiber((fiber) => {
      const fence = fiber.getRef(CurrentRun)
      const seen = fence === undefined ? undefined : this.jobs.get(fence.jobId)
      if (fence === undefined || seen === undefined) return Effect.void
      const trespasses = fiber.getRef(Trespasses)
      return Effect.map(jobs.get(seen.workspaceId, seen.feedId, fence.jobId), (job) => {
        const status = Option.getOrUndefined(job)?.status ?? "gone"
        if (seen.epoch === fence.epoch && status === "in_progress") return
        const trespass = { newest: seen.epoch, writer: fence.epoch, status }
        if (trespasses === undefined) this.#mustHaveNone([trespass])
        else trespasses.push(trespass)
      })
    })
    return mapCalls(service, (effect, method) => {
      const call = `${name}.${method}`
      if (!writing.has(call)) return effect
      return Effect.tap(effect, () => {
        this.wrote(call)
        return allowed
      })
    })
  }

  #wrapFeeds(store: FeedStore["Service"]): FeedStore["Service"] {
    return FeedStore.of({
      ...store,
      advanceSchedule: (id, from, to) =>
        Effect.tap(store.advanceSchedule(id, from, to), (won) =>
          Effect.sync(() => {
            if (won) this.#must("a due schedule fires once", to === undefined || to > from, { from, to })
          })
        )
    })
  }

  #wrapRecords(store: RecordStore["Service"]): RecordStore["Service"] {
    return RecordStore.of({
      ...store,
      saveCheckpoint: (key, value) =>
        Effect.tap(store.saveCheckpoint(key, value), () =>
          value === undefined
            ? Effect.void
            : this.#checked(this.onCheckpoint(key, value).pipe(Effect.provideService(RecordStore, store)))
        )
    })
  }

  #wrapStages(store: StageStore["Service"]): StageStore["Service"] {
    return StageStore.of({
      ...store,
      take: (key, numbers) =>
        Effect.tap(store.take(key, numbers), () => Effect.sync(() => this.sometimes.happened("pages put aside")))
    })
  }

  /** What is noted in a transaction is forgotten when that is rolled back: before anybody else sees what was. */
  #wrapTransactor({ atomically }: Transactor["Service"]): Transactor["Service"] {
    return Transactor.of({
      atomically: (effect) =>
        Effect.withFiber((fiber) => {
          const outer = fiber.getRef(Undos)
          const undos: Array<() => void> = []
          const around = fiber.getRef(Trespasses)
          const trespasses: Array<unknown> = []
          const judged = Effect.tap(effect, () =>
            Effect.sync(() => {
              if (around === undefined) this.#mustHaveNone(trespasses)
              else around.push(...trespasses)
            })
          )
          return atomically(
            Effect.onExit(
              judged.pipe(Effect.provideService(Undos, undos), Effect.provideService(Trespasses, trespasses)),
              (exit) =>
                Effect.sync(() => {
                  if (Exit.isSuccess(exit)) outer?.push(...undos)
                  else while (undos.length > 0) undos.pop()!()
                })
            )
          )
        })
    })
  }

  /** The stores of the context, watched. */
  readonly layer = Layer.effectContext(
    Effect.gen({ self: this }, function* () {
      const jobs = yield* JobStore
      const deliveries = yield* DeliveryStore
      return Context.empty().pipe(
        Context.add(JobStore, this.#wrapJobs(jobs, deliveries)),
        Context.add(Transactor, this.#wrapTransactor(yield* Transactor)),
        Context.add(RecordStore, this.#wrapWrites("RecordStore", this.#wrapRecords(yield* RecordStore), jobs)),
        Context.add(DeliveryStore, this.#wrapWrites("DeliveryStore", deliveries, jobs)),
        Context.add(FeedStore, this.#wrapWrites("FeedStore", this.#wrapFeeds(yield* FeedStore), jobs)),
        Context.add(IdentityStore, this.#wrapWrites("IdentityStore", yield* IdentityStore, jobs)),
        Context.add(StageStore, this.#wrapStages(yield* StageStore)),
        Context.add(TableStore, this.#wrapWrites("TableStore", yield* TableStore, jobs))
      )
    })
  )
}
