/** Conformance of `JobStore` and `EventStore` together: every change of status of a job is reported, no matter who makes it. */
import { EventStore, JobStore, Transactor } from "@millrace/core/storage"
import { type Job, jobEventTypes, type JobId } from "@millrace/core/job"
import { limits } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { somebody } from "../fixture/Actor.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { makeJob, makeJobError, storeJob } from "../fixture/Job.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

/** More than the lease of a claim. */
const leaseOver = 7

const system = (reason: string) => ({ kind: "system", reason })

const arrange = Effect.gen(function* () {
  const feed = yield* storeFeed(yield* storeWorkspace())
  const [store, events, { pass }] = [yield* JobStore, yield* EventStore, yield* StoreClock]
  let position = 0
  /** What was told since the last time: type, cause and job. */
  const told = Effect.gen(function* () {
    const found = yield* events.read(feed.workspaceId, position, 100)
    position += found.length
    return found.map((event) => {
      const { feedId, job } = Option.getOrThrow(Option.firstSomeOf(jobEventTypes.map((type) => type.dataOf(event))))
      expect([event.subject, feedId]).toEqual([{ kind: "job", id: job.id }, feed.id])
      return { type: event.type, cause: event.cause, job }
    })
  })
  /** What was told is one event with the job as it is now. */
  const tells = Effect.fnUntraced(function* (id: JobId, type: string, cause: object) {
    const job: Job = Option.getOrThrow(yield* store.get(feed.workspaceId, feed.id, id))
    expect(yield* told).toEqual([{ type, cause, job }])
  })
  const claim = (id: JobId) => Effect.map(store.claim(id, []), Option.getOrThrow)
  const run = (jobId: JobId) => ({ kind: "sync", feedId: feed.id, jobId })
  return { feed, store, pass, told, tells, claim, run }
})

export const tests: StorageTests = (it) => {
  it.effect("tells a job from its beginning to its end, each time as it is then", () =>
    Effect.gen(function* () {
      const { claim, feed, run, store, tells } = yield* arrange
      const job = yield* makeJob(feed, {
        options: { startDate: "2026-01-02" as never, forceCancelActive: true, resetCursors: false, skipDedup: false },
        errors: [yield* makeJobError({ severity: "warning" })],
        retry: 2
      })
      yield* store.create(job, { replacing: false })
      yield* tells(job.id, "job.created", job.startedBy)
      const first = yield* claim(job.id)
      yield* tells(job.id, "job.started", run(job.id))
      yield* store.pause(first.fence, "provider_wait", 60)
      yield* tells(job.id, "job.paused", run(job.id))
      yield* store.resume(job.id, somebody)
      yield* tells(job.id, "job.resumed", somebody)
      const second = yield* claim(job.id)
      yield* store.fence(second.fence, { add: { read: 3 }, cursorsReset: true })
      yield* store.complete(second.fence, { add: { created: 3 } })
      yield* tells(job.id, "feed.sync.completed", run(job.id))
    })
  )

  it.effect("names the person behind a pause that the run makes later, and behind nothing else", () =>
    Effect.gen(function* () {
      const { claim, feed, run, store, tells, told } = yield* arrange
      const job = yield* storeJob(feed)
      const { fence } = yield* claim(job.id)
      yield* told
      yield* store.askPause(job.id, somebody)
      expect(yield* told).toEqual([])
      yield* store.pauseAsked(fence)
      yield* tells(job.id, "job.paused", somebody)
      yield* store.resume(job.id, somebody)
      const again = yield* claim(job.id)
      yield* told
      yield* store.askPause(job.id, somebody)
      yield* store.resume(job.id, somebody)
      expect(yield* told).toEqual([])
      yield* store.askPause(job.id, somebody)
      yield* store.fail(again.fence, [yield* makeJobError()])
      yield* tells(job.id, "feed.sync.failed", run(job.id))
    })
  )

  it.effect("names who cancels, and who makes the job that takes the place of another", () =>
    Effect.gen(function* () {
      const { feed, store, tells, told } = yield* arrange
      const [first, second] = [yield* storeJob(feed), yield* makeJob(feed)]
      yield* told
      yield* store.create(second, { replacing: true })
      const [gone, made, ...more] = yield* told
      expect([gone!.type, gone!.job.id, gone!.cause]).toEqual(["job.cancelled", first.id, second.startedBy])
      expect([made!.type, made!.job, more]).toEqual(["job.created", second, []])
      // Nothing is reported of a job that is not made.
      yield* Effect.flip(store.create(yield* makeJob(feed), { replacing: false }))
      expect(yield* told).toEqual([])
      yield* store.cancel(second.id, "cancel", somebody)
      yield* tells(second.id, "job.cancelled", somebody)
    })
  )

  it.effect("tells what the sweep does, and a job whose worker was lost too often", () =>
    Effect.gen(function* () {
      const { claim, feed, pass, store, tells, told } = yield* arrange
      const job = yield* storeJob(feed)
      yield* store.pause((yield* claim(job.id)).fence, "provider_wait", 60)
      yield* told
      yield* pass(61)
      yield* store.sweep
      yield* tells(job.id, "job.resumed", system("resume_due"))
      yield* claim(job.id)
      yield* store.askPause(job.id, somebody)
      yield* pass(leaseOver)
      yield* store.sweep
      yield* tells(job.id, "job.paused", somebody)
      yield* pass(limits.userPauseHours * 3_600 + 1)
      yield* store.sweep
      yield* tells(job.id, "feed.sync.failed", system("pause_expired"))

      const lost = yield* storeJob(feed)
      for (let n = 0; n < limits.jobAttempts; n++) {
        yield* claim(lost.id)
        yield* pass(leaseOver)
      }
      yield* told
      expect(yield* store.claim(lost.id, [])).toEqual(Option.none())
      yield* tells(lost.id, "feed.sync.failed", system("worker_lost"))

      const late = yield* storeJob(feed)
      yield* told
      yield* pass(limits.queueMinutes * 60 + 1)
      yield* store.beat([], { name: "free slots", slots: 100_000 })
      yield* store.sweep
      yield* store.leave("free slots")
      yield* tells(late.id, "feed.sync.failed", system("queue_timeout"))
    })
  )

  it.effect("tells nothing of a change that is taken back", () =>
    Effect.gen(function* () {
      const { claim, feed, store, told } = yield* arrange
      const { atomically } = yield* Transactor
      const job = yield* storeJob(feed)
      const { fence } = yield* claim(job.id)
      yield* told
      yield* Effect.flip(atomically(Effect.andThen(store.complete(fence, {}), Effect.fail("no"))))
      expect(yield* told).toEqual([])
      yield* store.complete(fence, {})
      expect((yield* told).map(({ type }) => type)).toEqual(["feed.sync.completed"])
    })
  )
}

export const suite = suiteOf(tests)
