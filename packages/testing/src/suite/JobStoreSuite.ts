/** Conformance of `JobStore`: the feed lock, every status and event, claims, fences. Leases: `JobLeaseSuite`. */
import { Ids, limits, Recovery, Timestamp } from "@millrace/core"
import { feedLease } from "@millrace/core/feed"
import {
  type ClaimedJob,
  FeedLocked,
  Fenced,
  JobStateConflict,
  JobStore,
  Leases,
  Transactor
} from "@millrace/core/storage"
import { type JobEvent, jobEvents, type JobStatus, jobStatuses, noCounts, transition } from "@millrace/core/job"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { somebody } from "../fixture/Actor.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { claimJob, makeJob, makeJobError, storeJob } from "../fixture/Job.ts"
import { leaseBank } from "../fixture/Lease.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

/** More than the lease of a claim. */
const leaseOver = 7

const arrange = Effect.gen(function* () {
  const feed = yield* storeFeed(yield* storeWorkspace())
  return { feed, store: yield* JobStore, clock: yield* StoreClock }
})

type Arranged = Effect.Success<typeof arrange>

const read = ({ feed, store }: Arranged, id: ClaimedJob["job"]["id"]) =>
  Effect.flatMap(store.get(feed.workspaceId, feed.id, id), (job) => Effect.orDie(Effect.fromOption(job)))

/** Whether the job is handed out when there is room for all; asking again soon would answer `false`. */
const isDue = Effect.fnUntraced(function* ({ store }: Arranged, id: string) {
  yield* store.beat([], { name: "room for all", slots: 100_000 })
  const { jobs } = yield* store.dispatch(100_000)
  yield* store.leave("room for all")
  return jobs.some(({ jobId }) => jobId === id)
})

/** A job in that status, with the fence of the run that had it before. */
const bring = Effect.fnUntraced(function* (arranged: Arranged, status: JobStatus) {
  const { feed, store } = arranged
  if (status === "created") {
    const job = yield* storeJob(feed)
    return { job, fence: { jobId: job.id, epoch: 0 } }
  }
  const { job, fence } = yield* claimJob(feed)
  if (status === "completed") yield* store.complete(fence, {})
  if (status === "failed") yield* store.fail(fence, [yield* makeJobError()])
  if (status === "paused") yield* store.pause(fence, "provider_wait", 1)
  if (status === "cancelled") yield* store.cancel(job.id, "cancel", somebody)
  return { job, fence }
})

/** Tries an event by each way that a store offers for it, as a run that has lost nothing would. */
const attempt = Effect.fnUntraced(function* (
  arranged: Arranged,
  at: Effect.Success<ReturnType<typeof bring>>,
  event: JobEvent
) {
  const { store, clock } = arranged
  const { job, fence } = at
  switch (event) {
    case "dispatch":
      yield* clock.pass(leaseOver)
      return Option.isSome(yield* store.claim(job.id, []))
    case "complete":
      return Result.isSuccess(yield* Effect.result(store.complete(fence, {})))
    case "fail":
      return Result.isSuccess(yield* Effect.result(store.fail(fence, [yield* makeJobError()])))
    case "pause":
      return Result.isSuccess(yield* Effect.result(store.pause(fence, "user", undefined)))
    case "cancel":
    case "forceCancel":
      return Result.isSuccess(yield* Effect.result(store.cancel(job.id, event, somebody)))
    case "resume":
      yield* clock.pass(leaseOver)
      yield* store.sweep
      return (yield* read(arranged, job.id)).status === "in_progress"
  }
})

const pairs = jobStatuses.flatMap((status) => jobEvents.map((event) => [status, event] as const))

export const tests: StorageTests = (it) => {
  it.effect("hands back a job as it was created, to its own feed and workspace", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const job = yield* makeJob(feed, {
        type: "scheduled",
        mode: "range",
        startedBy: {
          kind: "automation",
          automationId: "a",
          revision: 1,
          grantId: "g",
          runId: "r",
          node: "n",
          startedBy: { kind: "system", reason: difficultTexts.join("") },
          depth: 1
        },
        errors: [yield* makeJobError({ severity: "warning", message: difficultTexts.join("|") })]
      })
      expect(yield* store.create(job, { replacing: false })).toEqual({ cancelled: Option.none() })
      const stored = yield* read(arranged, job.id)
      expect(stored).toEqual(job)
      expect(Object.keys(stored)).not.toContain("startedAt")
      expect(yield* store.active(feed.id)).toEqual(Option.some(job))
      const other = yield* storeFeed(yield* storeWorkspace())
      expect(yield* store.get(other.workspaceId, feed.id, job.id)).toEqual(Option.none())
      expect(yield* store.get(feed.workspaceId, other.id, job.id)).toEqual(Option.none())
      expect(yield* store.active(other.id)).toEqual(Option.none())
    })
  )

  it.effect("lists jobs newest first, by status and page by page", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const ids: Array<string> = []
      for (const status of ["completed", "failed", "completed", "cancelled", "created"] as const) {
        ids.unshift((yield* bring(arranged, status)).job.id)
      }
      const list = (query: Parameters<typeof store.list>[2]) =>
        Effect.map(store.list(feed.workspaceId, feed.id, query), (jobs) => jobs.map(({ id }) => id as string))
      expect(yield* list({ limit: 10 })).toEqual(ids)
      expect(yield* list({ limit: 2 })).toEqual(ids.slice(0, 2))
      const third = (yield* store.list(feed.workspaceId, feed.id, { limit: 3 })).at(-1)!
      expect(yield* list({ limit: 10, before: third.id })).toEqual(ids.slice(3))
      expect(yield* list({ limit: 10, status: "completed" })).toEqual([ids[2], ids[4]])
      expect(yield* store.list((yield* storeWorkspace()).id, feed.id, { limit: 10 })).toEqual([])
    })
  )

  it.effect("lets exactly one of fifty concurrent triggers take the feed", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const jobs = yield* Effect.forEach(Array.from({ length: 50 }), () => makeJob(feed))
      const results = yield* Effect.forEach(jobs, (job) => Effect.result(store.create(job, { replacing: false })), {
        concurrency: "unbounded"
      })
      const active = Option.getOrThrow(yield* store.active(feed.id))
      expect(results.filter(Result.isSuccess)).toHaveLength(1)
      for (const result of results) {
        if (Result.isFailure(result)) expect(result.failure).toEqual(new FeedLocked({ jobId: active.id }))
      }
      expect(yield* store.list(feed.workspaceId, feed.id, { limit: 100 })).toHaveLength(1)
    })
  )

  it.effect.each(["created", "in_progress", "paused"] as const)(
    "holds the lock of the feed while a job is %s",
    (status) =>
      Effect.gen(function* () {
        const arranged = yield* arrange
        const { feed, store } = arranged
        const { job } = yield* bring(arranged, status)
        const refused = yield* Effect.flip(store.create(yield* makeJob(feed), { replacing: false }))
        expect(refused).toEqual(new FeedLocked({ jobId: job.id }))
        const next = yield* makeJob(feed)
        expect(yield* store.create(next, { replacing: true })).toEqual({ cancelled: Option.some(job.id) })
        expect(yield* read(arranged, job.id)).toMatchObject({ status: "cancelled" })
        expect((yield* read(arranged, job.id)).completedAt).toBeDefined()
        expect(yield* store.active(feed.id)).toEqual(Option.some(next))
      })
  )

  it.effect("leaves the transaction it is in usable when the feed is locked", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const other = yield* storeFeed(yield* storeWorkspace())
      const { atomically } = yield* Transactor
      yield* storeJob(feed)
      const refused = yield* makeJob(feed)
      const stored = yield* makeJob(other)
      yield* atomically(
        Effect.gen(function* () {
          yield* Effect.flip(store.create(refused, { replacing: false }))
          yield* store.create(stored, { replacing: false })
        })
      )
      expect(yield* store.get(feed.workspaceId, feed.id, refused.id)).toEqual(Option.none())
      expect(yield* store.active(other.id)).toEqual(Option.some(stored))
    })
  )

  it.effect.each(["completed", "failed", "cancelled"] as const)("frees the feed when a job is %s", (status) =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      yield* bring(arranged, status)
      expect(yield* arranged.store.active(arranged.feed.id)).toEqual(Option.none())
      const next = yield* makeJob(arranged.feed)
      expect(yield* arranged.store.create(next, { replacing: true })).toEqual({ cancelled: Option.none() })
    })
  )

  it.effect("leaves one active job after a storm of replacing triggers", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const jobs = yield* Effect.forEach(Array.from({ length: 30 }), () => makeJob(feed))
      const answers = yield* Effect.forEach(jobs, (job) => store.create(job, { replacing: true }), {
        concurrency: "unbounded"
      })
      const stored = yield* store.list(feed.workspaceId, feed.id, { limit: 100 })
      const active = stored.filter(({ status }) => status === "created")
      expect(stored).toHaveLength(30)
      expect(active).toHaveLength(1)
      expect(stored.filter(({ status }) => status === "cancelled")).toHaveLength(29)
      const cancelled = answers.flatMap((answer) => Option.toArray(answer.cancelled)).toSorted()
      const others = stored.filter(({ status }) => status === "cancelled").map(({ id }) => id)
      expect(cancelled).toEqual(others.toSorted())
    })
  )

  it.effect.each(pairs)("follows the life cycle for a job that is %s on %s", ([status, event]) =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const at = yield* bring(arranged, status)
      const before = yield* read(arranged, at.job.id)
      const happened = yield* attempt(arranged, at, event)
      const after = yield* read(arranged, at.job.id)
      const row = transition(status, event)
      // Resuming something that already runs changes nothing, and only the sweep fails a job that nobody runs.
      const bySweepOnly = event === "fail" && (status === "created" || status === "paused")
      if (event === "resume" && status === "in_progress") return expect(after).toEqual(before)
      if (row === undefined || bySweepOnly) {
        expect(happened).toBe(false)
        return expect(after).toEqual(before)
      }
      expect(happened).toBe(true)
      expect(after.status).toBe(row.to)
      if (row.newEpoch && status === "in_progress") {
        expect(yield* Effect.flip(arranged.store.fence(at.fence, {}))).toEqual(new Fenced({ jobId: at.job.id }))
      }
      const ended = row.to === "completed" || row.to === "failed" || row.to === "cancelled"
      expect(after.completedAt !== undefined).toBe(ended)
    })
  )

  it.effect.each([
    ["paused", "cancel"],
    ["completed", "cancel"],
    ["failed", "forceCancel"],
    ["cancelled", "forceCancel"]
  ] as const)("names the status %s that refuses %s", ([status, event]) =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { job } = yield* bring(arranged, status)
      expect(yield* Effect.flip(arranged.store.cancel(job.id, event, somebody))).toEqual(
        new JobStateConflict({ jobId: job.id, status, event })
      )
    })
  )

  it.effect("refuses to cancel a job that does not exist", () =>
    Effect.gen(function* () {
      const jobId = yield* (yield* Ids).next("job")
      expect(yield* Effect.flip((yield* JobStore).cancel(jobId, "cancel", somebody))).toEqual(
        new JobStateConflict({ jobId, status: "missing", event: "cancel" })
      )
    })
  )

  it.effect("answers the cancelled job", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { job } = yield* bring(arranged, "in_progress")
      const cancelled = yield* arranged.store.cancel(job.id, "cancel", somebody)
      expect(cancelled.status).toBe("cancelled")
      expect(cancelled).toEqual(yield* read(arranged, job.id))
    })
  )

  it.effect("gives a job to one of many workers, which notes its start", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const job = yield* storeJob(feed)
      expect(yield* isDue(arranged, job.id)).toBe(true)
      const claims = yield* Effect.forEach(Array.from({ length: 20 }), () => store.claim(job.id, []), {
        concurrency: "unbounded"
      })
      const [winner, ...none] = claims.flatMap(Option.toArray)
      expect(none).toEqual([])
      const { startedAt, updatedAt: _, ...rest } = winner!.job
      const { updatedAt: _u, ...created } = job
      expect(rest).toEqual({ ...created, status: "in_progress", attempt: 1 })
      expect(Timestamp.parse(startedAt!)).toBe(startedAt)
      expect(yield* isDue(arranged, job.id)).toBe(false)
      expect(yield* read(arranged, job.id)).toEqual(winner!.job)
    })
  )

  it.effect("knows no claim of a job that does not exist", () =>
    Effect.gen(function* () {
      const { store } = yield* arrange
      expect(yield* store.claim(yield* (yield* Ids).next("job"), [])).toEqual(Option.none())
    })
  )

  it.effect("hands a job whose heartbeat ran out to another worker and shuts the first one out", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store, clock } = arranged
      const first = yield* claimJob(feed)
      yield* clock.pass(leaseOver - 3)
      expect(yield* store.claim(first.job.id, [])).toEqual(Option.none())
      yield* store.fence(first.fence, { add: { read: 5 } })
      yield* clock.pass(leaseOver - 3)
      // The write was as good as a heartbeat.
      expect(yield* isDue(arranged, first.job.id)).toBe(false)
      yield* clock.pass(leaseOver)
      expect(yield* isDue(arranged, first.job.id)).toBe(true)
      const second = Option.getOrThrow(yield* store.claim(first.job.id, []))
      expect(second.fence.epoch).toBeGreaterThan(first.fence.epoch)
      expect(second.job).toMatchObject({ attempt: 2, startedAt: first.job.startedAt, counts: { read: 5 } })
      const fenced = new Fenced({ jobId: first.job.id })
      expect(yield* Effect.flip(store.fence(first.fence, {}))).toEqual(fenced)
      expect(yield* Effect.flip(store.complete(first.fence, {}))).toEqual(fenced)
      expect(yield* Effect.flip(store.fail(first.fence, []))).toEqual(fenced)
      expect(yield* Effect.flip(store.pause(first.fence, "user", undefined))).toEqual(fenced)
      yield* store.release(first.fence)
      expect(yield* store.beat([first.fence, second.fence])).toEqual([first.job.id])
      yield* store.fence(second.fence, {})
    })
  )

  it.effect("fails a job that lost too many workers", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock } = arranged
      const { job } = yield* claimJob(arranged.feed)
      for (let taken = 2; taken <= limits.jobAttempts; taken++) {
        yield* clock.pass(leaseOver)
        expect(Option.getOrThrow(yield* store.claim(job.id, [])).job.attempt).toBe(taken)
      }
      yield* clock.pass(leaseOver)
      expect(yield* store.claim(job.id, [])).toEqual(Option.none())
      const lost = yield* read(arranged, job.id)
      expect(lost).toMatchObject({ status: "failed", errorCategory: "internal" })
      expect(lost.errors).toMatchObject([{ code: "WORKER_LOST", severity: "fatal", recovery: Recovery.contactSupport }])
      expect(lost.completedAt).toBeDefined()
      expect(yield* store.active(arranged.feed.id)).toEqual(Option.none())
    })
  )

  it.effect("gives a released job to the next worker at once, without counting it as lost", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store } = arranged
      let { job, fence } = yield* claimJob(arranged.feed)
      for (let i = 0; i < limits.jobAttempts + 2; i++) {
        yield* store.release(fence)
        expect(yield* isDue(arranged, job.id)).toBe(true)
        expect(yield* Effect.flip(store.fence(fence, {}))).toEqual(new Fenced({ jobId: job.id }))
        ;({ job, fence } = Option.getOrThrow(yield* store.claim(job.id, [])))
        expect(job).toMatchObject({ status: "in_progress", attempt: 1 })
      }
    })
  )

  it.effect("answers to a beat the jobs that are still held, and keeps those", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock } = arranged
      const held = yield* claimJob(arranged.feed)
      const gone = yield* claimJob((yield* arrange).feed)
      const paused = yield* claimJob((yield* arrange).feed)
      yield* store.cancel(gone.job.id, "cancel", somebody)
      yield* store.pause(paused.fence, "user", undefined)
      for (let i = 0; i < 4; i++) {
        yield* clock.pass(leaseOver - 2)
        expect(yield* store.beat([gone.fence, held.fence, paused.fence])).toEqual([held.job.id])
        expect(yield* isDue(arranged, held.job.id)).toBe(false)
      }
      expect(yield* store.beat([])).toEqual([])
    })
  )

  it.effect("adds counters, raises others and collects errors", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store } = arranged
      const { job, fence } = yield* claimJob(arranged.feed)
      const warning = yield* makeJobError({ severity: "warning", message: difficultTexts.join("|") })
      const { recovery: _, ...plain } = yield* makeJobError({ severity: "error", code: "ROW_QUARANTINED" })
      yield* store.fence(fence, { add: { read: 10, created: 4 }, atLeast: { unchanged: 7 } })
      yield* store.fence(fence, { add: { read: 5 }, atLeast: { unchanged: 3, created: 9 }, errors: [warning] })
      yield* store.fence(fence, { add: { read: 1 }, atLeast: { read: 20 } })
      yield* store.fence(fence, {})
      yield* store.complete(fence, { add: { removed: 1, quarantined: 2 }, errors: [plain] })
      const done = yield* read(arranged, job.id)
      expect(done.counts).toEqual({ ...noCounts, read: 20, created: 9, unchanged: 7, removed: 1, quarantined: 2 })
      expect(done.errors).toEqual([warning, plain])
      expect(done).toMatchObject({ status: "completed" })
      expect(done.errorCategory).toBeUndefined()
      expect(Object.keys(done)).not.toContain("cursorsReset")
    })
  )

  it.effect("notes that a job has forgotten, and which try it is", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const job = yield* storeJob(feed, { retry: 2 })
      expect(yield* read(arranged, job.id)).toEqual(job)
      const { fence } = Option.getOrThrow(yield* store.claim(job.id, []))
      yield* store.fence(fence, { cursorsReset: true })
      yield* store.release(fence)
      expect(Option.getOrThrow(yield* store.claim(job.id, [])).job).toMatchObject({ cursorsReset: true, retry: 2 })
    })
  )

  it.effect("loses no progress of writes that come together", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { job, fence } = yield* claimJob(arranged.feed)
      const step = arranged.store.fence(fence, { add: { read: 1 }, errors: [yield* makeJobError()] })
      yield* Effect.all(
        Array.from({ length: 25 }, () => step),
        { concurrency: 8, discard: true }
      )
      const { counts, errors } = yield* read(arranged, job.id)
      expect(counts.read).toBe(25)
      expect(errors).toHaveLength(25)
    })
  )

  it.effect("fails with the category of the first fatal error", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { job, fence } = yield* claimJob(arranged.feed)
      const errors = [
        yield* makeJobError({ severity: "warning", category: "validation" }),
        yield* makeJobError({ category: "institution" }),
        yield* makeJobError({ category: "destination" })
      ]
      yield* arranged.store.fail(fence, errors)
      const failed = yield* read(arranged, job.id)
      expect(failed).toMatchObject({ status: "failed", errorCategory: "institution", errors })
      expect(failed.completedAt).toBeDefined()
    })
  )

  describePauses(it)
  describeHistory(it)
}

/** Forgets whatever can be, whosever it is. */
const purge = (store: JobStore["Service"]) =>
  Effect.gen(function* () {
    while ((yield* store.purge(100)) > 0);
  })

const describeHistory = (it: Parameters<StorageTests>[0]): void => {
  const day = 86_400

  it.effect("forgets jobs that ended long ago, but not the newest nor the newest that completed", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store, clock } = arranged
      const ids: Array<string> = []
      for (const status of ["completed", "failed", "completed", "failed", "cancelled"] as const) {
        ids.unshift((yield* bring(arranged, status)).job.id)
      }
      const left = Effect.map(store.list(feed.workspaceId, feed.id, { limit: 10 }), (jobs) => jobs.map(({ id }) => id))
      yield* clock.pass((limits.jobHistoryDays - 1) * day)
      yield* purge(store)
      expect(yield* left).toEqual(ids)
      yield* clock.pass(2 * day)
      yield* purge(store)
      expect(yield* left).toEqual([ids[0], ids[2]])
      expect(yield* store.purge(100)).toBe(0)
    })
  )

  it.effect("keeps active jobs, however old they are", () =>
    Effect.gen(function* () {
      const { feed, store, clock } = yield* arrange
      const { job } = yield* claimJob(feed)
      yield* clock.pass((limits.jobHistoryDays + 1) * day)
      yield* purge(store)
      expect(Option.map(yield* store.active(feed.id), ({ id }) => id)).toEqual(Option.some(job.id))
    })
  )

  it.effect("keeps so many jobs of a feed, and forgets the oldest of more, some at a time", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const sizes = limits as { jobHistory: number }
      const { jobHistory } = limits
      sizes.jobHistory = 5
      yield* Effect.gen(function* () {
        const other = yield* storeFeed(yield* storeWorkspace())
        const ids: Array<string> = []
        for (let n = 0; n < 9; n++) {
          ids.unshift((yield* bring(arranged, n === 0 ? "completed" : "failed")).job.id)
          if (n < 5) yield* store.cancel((yield* storeJob(other)).id, "cancel", somebody)
        }
        const left = Effect.map(store.list(feed.workspaceId, feed.id, { limit: 20 }), (jobs) =>
          jobs.map(({ id }) => id as string)
        )
        yield* store.purge(2)
        expect((yield* left).length).toBeGreaterThanOrEqual(7)
        yield* purge(store)
        expect(yield* left).toEqual([...ids.slice(0, 5), ids[8]])
        expect(yield* store.list(other.workspaceId, other.id, { limit: 20 })).toHaveLength(5)
      }).pipe(Effect.ensuring(Effect.sync(() => (sizes.jobHistory = jobHistory))))
    })
  )
}

const describePauses = (it: Parameters<StorageTests>[0]): void => {
  it.effect.each(["provider_wait", "storage_full"] as const)(
    "resumes a job after its wait (%s), without counting a lost worker",
    (reason) =>
      Effect.gen(function* () {
        const arranged = yield* arrange
        const { store, clock } = arranged
        const { job, fence } = yield* claimJob(arranged.feed)
        yield* store.pause(fence, reason, 600)
        const paused = yield* read(arranged, job.id)
        expect(paused).toMatchObject({ status: "paused", pauseReason: reason })
        expect(Timestamp.toMillis(paused.resumeAt!) - Timestamp.toMillis(paused.updatedAt)).toBe(600_000)
        yield* clock.pass(590)
        yield* store.sweep
        expect(yield* isDue(arranged, job.id)).toBe(false)
        yield* clock.pass(15)
        yield* store.sweep
        const resumed = yield* read(arranged, job.id)
        expect(resumed.status).toBe("in_progress")
        expect(Object.keys(resumed)).not.toContain("pauseReason")
        expect(Object.keys(resumed)).not.toContain("resumeAt")
        expect(yield* isDue(arranged, job.id)).toBe(true)
        expect(yield* Effect.flip(store.fence(fence, {}))).toEqual(new Fenced({ jobId: job.id }))
        const again = Option.getOrThrow(yield* store.claim(job.id, []))
        expect(again.job.attempt).toBe(1)
        expect(again.fence.epoch).toBeGreaterThan(fence.epoch)
      })
  )

  it.effect("tells the time by its own clock", () =>
    Effect.gen(function* () {
      const { store } = yield* arrange
      const before = yield* store.now
      yield* (yield* StoreClock).pass(3_600)
      const passed = Timestamp.toMillis(yield* store.now) - Timestamp.toMillis(before)
      expect(passed).toBeGreaterThanOrEqual(3_600_000)
      expect(passed).toBeLessThan(3_660_000)
    })
  )

  it.effect("fails a job that a person paused and forgot", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock } = arranged
      const { job, fence } = yield* claimJob(arranged.feed)
      yield* store.pause(fence, "user", undefined)
      const paused = yield* read(arranged, job.id)
      expect(paused).toMatchObject({ status: "paused", pauseReason: "user" })
      expect(Object.keys(paused)).not.toContain("resumeAt")
      yield* clock.pass(limits.userPauseHours * 3600 - 60)
      yield* store.sweep
      expect((yield* read(arranged, job.id)).status).toBe("paused")
      yield* clock.pass(120)
      yield* store.sweep
      expect(yield* read(arranged, job.id)).toMatchObject({
        status: "failed",
        errors: [{ code: "PAUSE_EXPIRED", severity: "fatal" }]
      })
      expect(yield* store.active(arranged.feed.id)).toEqual(Option.none())
    })
  )

  it.effect("pauses a job that was asked to at the next call of its run that says so", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const { job, fence } = yield* claimJob(feed)
      expect(yield* store.fence(fence, {})).toBe(false)
      expect(yield* store.pauseAsked(fence)).toBe(false)
      for (let times = 0; times < 2; times++) {
        expect(yield* store.askPause(job.id, somebody)).toMatchObject({ status: "in_progress", pauseReason: "user" })
      }
      // What it is at is still written, and a cancelled pause leaves no trace.
      expect(yield* store.fence(fence, { add: { read: 1 } })).toBe(true)
      const asked = yield* store.resume(job.id, somebody)
      expect([asked.status, "pauseReason" in asked]).toEqual(["in_progress", false])
      expect(yield* store.pauseAsked(fence)).toBe(false)
      yield* store.askPause(job.id, somebody)
      expect(yield* store.pauseAsked(fence)).toBe(true)
      expect(yield* read(arranged, job.id)).toMatchObject({
        status: "paused",
        pauseReason: "user",
        counts: { read: 1 }
      })
      const fenced = new Fenced({ jobId: job.id })
      expect(yield* Effect.flip(store.fence(fence, {}))).toEqual(fenced)
      expect(yield* Effect.flip(store.pauseAsked(fence))).toEqual(fenced)
      expect(Option.map(yield* store.active(feed.id), ({ id }) => id)).toEqual(Option.some(job.id))
      expect(yield* isDue(arranged, job.id)).toBe(false)
      const resumed = yield* store.resume(job.id, somebody)
      expect([resumed.status, "pauseReason" in resumed]).toEqual(["in_progress", false])
      expect(yield* isDue(arranged, job.id)).toBe(true)
      expect(Option.getOrThrow(yield* store.claim(job.id, [])).job.attempt).toBe(1)
    })
  )

  it.effect("is the only one that has the feed while it runs, and waits where a local run has it", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const leases = yield* Leases
      const take = (holder: string) => Effect.map(leases.take([feedLease(feed.id)], holder, 60), Option.isSome)
      expect(yield* take("local:one")).toBe(true)
      const job = yield* makeJob(feed)
      yield* store.create(job, { replacing: false })
      expect(yield* isDue(arranged, job.id)).toBe(false)
      expect(Option.isNone(yield* store.claim(job.id, []))).toBe(true)
      yield* leases.free("local:one")
      expect(yield* isDue(arranged, job.id)).toBe(true)
      const { fence } = Option.getOrThrow(yield* store.claim(job.id, []))
      expect(yield* take("local:two")).toBe(false)
      yield* store.complete(fence, {})
      expect(yield* take("local:two")).toBe(true)
    })
  )

  it.effect("frees the connections of a job that a person paused", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const bank = yield* (yield* Ids).next("bank")
      const { job, fence } = yield* claimJob(feed, [bank])
      yield* store.askPause(job.id, somebody)
      expect(yield* leaseBank(bank, "reader", 5)).toBe(false)
      yield* store.pauseAsked(fence)
      expect(yield* leaseBank(bank, "reader", 5)).toBe(true)
    })
  )

  it.effect.each(["created", "paused", "completed", "failed", "cancelled"] as const)(
    "refuses to ask a job to pause that is %s",
    (status) =>
      Effect.gen(function* () {
        const arranged = yield* arrange
        const { job } = yield* bring(arranged, status)
        const before = yield* read(arranged, job.id)
        expect(yield* Effect.flip(arranged.store.askPause(job.id, somebody))).toEqual(
          new JobStateConflict({ jobId: job.id, status, event: "pause" })
        )
        expect(yield* read(arranged, job.id)).toEqual(before)
      })
  )

  it.effect.each(["created", "in_progress", "completed", "failed", "cancelled"] as const)(
    "refuses to resume a job that is %s",
    (status) =>
      Effect.gen(function* () {
        const arranged = yield* arrange
        const { job } = yield* bring(arranged, status)
        expect(yield* Effect.flip(arranged.store.resume(job.id, somebody))).toEqual(
          new JobStateConflict({ jobId: job.id, status, event: "resume" })
        )
      })
  )

  it.effect("refuses to pause and to resume a job that does not exist", () =>
    Effect.gen(function* () {
      const { store } = yield* arrange
      const jobId = yield* (yield* Ids).next("job")
      expect(yield* Effect.flip(store.askPause(jobId, somebody))).toMatchObject({ status: "missing" })
      expect(yield* Effect.flip(store.resume(jobId, somebody))).toMatchObject({ status: "missing" })
    })
  )

  it.effect.each(["released", "lost"] as const)(
    "pauses a job that was asked to after its worker was %s, without counting it",
    (how) =>
      Effect.gen(function* () {
        const arranged = yield* arrange
        const { store, clock } = arranged
        const { job, fence } = yield* claimJob(arranged.feed)
        yield* store.askPause(job.id, somebody)
        if (how === "released") yield* store.release(fence)
        else {
          yield* store.sweep
          expect((yield* read(arranged, job.id)).status).toBe("in_progress")
          yield* clock.pass(leaseOver)
          expect(yield* isDue(arranged, job.id)).toBe(false)
          expect(yield* store.claim(job.id, [])).toEqual(Option.none())
          yield* store.sweep
        }
        expect(yield* read(arranged, job.id)).toMatchObject({ status: "paused", pauseReason: "user", attempt: 1 })
        expect(yield* Effect.flip(store.fence(fence, {}))).toEqual(new Fenced({ jobId: job.id }))
        yield* store.resume(job.id, somebody)
        expect(Option.getOrThrow(yield* store.claim(job.id, [])).job.attempt).toBe(1)
      })
  )

  it.effect("waits for a person where an upstream asks to wait as well", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock } = arranged
      const { job, fence } = yield* claimJob(arranged.feed)
      yield* store.askPause(job.id, somebody)
      yield* store.pause(fence, "provider_wait", 60)
      const paused = yield* read(arranged, job.id)
      expect([paused.status, paused.pauseReason, "resumeAt" in paused]).toEqual(["paused", "user", false])
      yield* clock.pass(120)
      yield* store.sweep
      expect((yield* read(arranged, job.id)).status).toBe("paused")
    })
  )

  it.effect.each(["complete", "fail", "cancel", "forceCancel"] as const)(
    "forgets that a job was asked to pause when it ends by %s",
    (event) =>
      Effect.gen(function* () {
        const arranged = yield* arrange
        const at = yield* claimJob(arranged.feed)
        yield* arranged.store.askPause(at.job.id, somebody)
        expect(yield* attempt(arranged, at, event)).toBe(true)
        expect(Object.keys(yield* read(arranged, at.job.id))).not.toContain("pauseReason")
        expect(yield* arranged.store.active(arranged.feed.id)).toEqual(Option.none())
      })
  )

  it.effect("cancels by force a job that a person paused", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, store } = arranged
      const { job, fence } = yield* claimJob(feed)
      yield* store.askPause(job.id, somebody)
      yield* store.pauseAsked(fence)
      const next = yield* makeJob(feed)
      expect(yield* store.create(next, { replacing: true })).toEqual({ cancelled: Option.some(job.id) })
      const gone = yield* read(arranged, job.id)
      expect([gone.status, Object.keys(gone).includes("pauseReason")]).toEqual(["cancelled", false])
    })
  )

  it.effect("fails a job that found no worker in time", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock } = arranged
      const job = yield* storeJob(arranged.feed)
      const sweepWithRoom = Effect.andThen(store.beat([], { name: "idle", slots: 100_000 }), store.sweep)
      yield* clock.pass(limits.queueMinutes * 60 - 30)
      yield* sweepWithRoom
      expect((yield* read(arranged, job.id)).status).toBe("created")
      yield* clock.pass(60)
      // Nobody runs jobs here: waiting is all there is to do.
      yield* store.leave("idle")
      yield* store.sweep
      expect((yield* read(arranged, job.id)).status).toBe("created")
      yield* sweepWithRoom
      expect(yield* read(arranged, job.id)).toMatchObject({
        status: "failed",
        errorCategory: "internal",
        errors: [{ code: "QUEUE_TIMEOUT", severity: "fatal", recovery: Recovery.contactSupport }]
      })
      expect(yield* store.claim(job.id, [])).toEqual(Option.none())
    })
  )

  it.effect("does not touch jobs that run, however long, when it sweeps", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock } = arranged
      const { job, fence } = yield* claimJob(arranged.feed)
      yield* clock.pass(limits.queueMinutes * 60 + 60)
      yield* store.sweep
      expect((yield* read(arranged, job.id)).status).toBe("in_progress")
      yield* store.fence(fence, {})
    })
  )
}

export const suite = suiteOf(tests)
