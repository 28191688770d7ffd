import { type JobId, runnerSilence } from "@millrace/core/job"
import { type ClaimedJob, JobLease, JobStore, pokeLease, StorageUnavailable } from "@millrace/core/storage"
import { SyncRun } from "@millrace/core/kernel"
import { makeScriptedRun } from "@millrace/testing/fixture"
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { describe } from "vitest"
import { WakeSignal } from "../src/WakeSignal.ts"
import { JobEnded } from "../src/JobEnded.ts"
import { JobRunner } from "../src/JobRunner.ts"
import { feedId, makeFakeStore } from "./FakeStore.ts"

/** Lets every fiber that can run do so, without time passing. */
const letRun = TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }), Effect.asVoid)

/** One slot, and a first run in it until `end` opens. */
const startBusy = Effect.gen(function* () {
  const fake = yield* makeFakeStore
  const end = Latch.makeUnsafe(false)
  const runs = makeScriptedRun(fake.store, { body: () => end.await })
  const context = yield* Layer.build(
    JobRunner.layer({ slots: 1 }).pipe(
      Layer.provide([WakeSignal.layer, Layer.succeed(JobStore, fake.store), Layer.succeed(SyncRun, runs.service)])
    )
  )
  const runner = Context.get(context, JobRunner)
  let feeds = 0
  const made = new Map<JobId, number>()
  const offer = Effect.fnUntraced(function* (id: JobId) {
    const taken = yield* runner.take(feedId(made.get(id)!), id)
    yield* letRun
    return taken
  })
  const make = Effect.gen(function* () {
    const feed = ++feeds
    const id = yield* fake.add(feedId(feed))
    made.set(id, feed)
    return id
  })
  const first = yield* make
  expect(yield* offer(first)).toBe(true)
  expect(runs.started).toEqual([first])
  return { ...runs, fake, runner, offer, make, first, end: Effect.andThen(end.open, letRun) }
})

describe("a runner whose slots are taken", () => {
  it.effect("holds three more jobs for each slot, turns away the next, and runs them in their order", () =>
    Effect.gen(function* () {
      const { end, first, make, offer, started } = yield* startBusy
      const waiting = [yield* make, yield* make, yield* make]
      for (const id of waiting) expect(yield* offer(id)).toBe(true)
      expect(yield* offer(yield* make)).toBe(false)
      yield* end
      expect(started).toEqual([first, ...waiting])
    })
  )

  it.effect("lets go of a waiting job that was not offered again for another one that was", () =>
    Effect.gen(function* () {
      const { end, fake, first, make, offer, started } = yield* startBusy
      const [forgotten, kept, last] = [yield* make, yield* make, yield* make]
      for (const id of [kept, forgotten, last]) yield* offer(id)
      yield* TestClock.adjust(pokeLease * 1000)
      for (const id of [kept, last]) expect(yield* offer(id)).toBe(true)
      const other = yield* make
      expect(yield* offer(other)).toBe(true)
      expect(yield* offer(yield* make)).toBe(false)
      yield* end
      expect(started).toEqual([first, kept, last, other])
      expect(fake.job(forgotten)).toMatchObject({ status: "created", attempt: 0 })
    })
  )

  it.effect("never lets go of a job that runs to make room", () =>
    Effect.gen(function* () {
      const { end, first, interrupted, make, offer, started } = yield* startBusy
      const waiting = [yield* make, yield* make, yield* make]
      for (const id of waiting) yield* offer(id)
      yield* TestClock.adjust(pokeLease * 1000)
      for (const id of waiting) yield* offer(id)
      expect(yield* offer(yield* make)).toBe(false)
      yield* end
      expect(interrupted).toEqual([])
      expect(started).toEqual([first, ...waiting])
    })
  )
})

describe("a runner that is told to stop", () => {
  /** A run that begins and does not let itself be stopped before `end` opens, as on a machine that is far too busy. */
  const startStubborn = Effect.gen(function* () {
    const fake = yield* makeFakeStore
    const end = Latch.makeUnsafe(false)
    const runs = makeScriptedRun(fake.store, { body: () => Effect.uninterruptible(end.await) })
    const context = yield* Layer.build(
      JobRunner.layer({ slots: 1 }).pipe(
        Layer.provide([WakeSignal.layer, Layer.succeed(JobStore, fake.store), Layer.succeed(SyncRun, runs.service)])
      )
    )
    const runner = Context.get(context, JobRunner)
    const job = yield* fake.add(feedId(1))
    yield* runner.take(feedId(1), job)
    yield* letRun
    expect(runs.started).toEqual([job])
    return { fake, runner, job, end }
  })

  it.effect("gives a job back by its fence when its run does not stop, so that nobody waits for its lease", () =>
    Effect.gen(function* () {
      const { end, fake, job, runner } = yield* startStubborn
      const draining = yield* Effect.forkChild(runner.drain)
      yield* TestClock.adjust("4 seconds")
      expect(fake.isReleased(job)).toBe(false)
      yield* TestClock.adjust("1 second")
      yield* letRun
      expect(fake.isReleased(job)).toBe(true)
      yield* Fiber.join(draining)
      expect(fake.job(job)).toMatchObject({ status: "in_progress", attempt: 1 })
      yield* end.open
    })
  )

  it.effect("lets a single job go in the same way when its feed moves to another process", () =>
    Effect.gen(function* () {
      const { end, fake, job, runner } = yield* startStubborn
      const leaving = yield* Effect.forkChild(runner.release(job))
      yield* TestClock.adjust("5 seconds")
      yield* letRun
      expect(fake.isReleased(job)).toBe(true)
      yield* Fiber.join(leaving)
      yield* end.open
    })
  )
})

describe("the end of a run", () => {
  it.effect("is told once it is stored, also where the run broke, and not where the job was given back", () =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      const [whole, broken, stopped] = [
        yield* fake.add(feedId(1)),
        yield* fake.add(feedId(2)),
        yield* fake.add(feedId(3))
      ]
      const runs = makeScriptedRun(fake.store, {
        body: ({ job }) => (job.id === broken ? Effect.die("a fault") : job.id === stopped ? Effect.never : Effect.void)
      })
      const told: Array<readonly [JobId, string]> = []
      const ended = ({ job }: ClaimedJob) => Effect.sync(() => void told.push([job.id, fake.job(job.id).status]))
      const context = yield* Layer.build(
        JobRunner.layer({ slots: 3 }).pipe(
          Layer.provide([
            WakeSignal.layer,
            Layer.succeed(JobStore, fake.store),
            Layer.succeed(SyncRun, runs.service),
            Layer.succeed(JobEnded, ended)
          ])
        )
      )
      const runner = Context.get(context, JobRunner)
      for (const [at, id] of [whole, broken, stopped].entries()) yield* runner.take(feedId(at + 1), id)
      yield* letRun
      yield* runner.stop(stopped)
      yield* letRun
      expect(told).toEqual([
        [whole, "completed"],
        [broken, "failed"]
      ])
      expect(fake.job(stopped).status).toBe("in_progress")
    })
  )
})

describe("the slots of a runner that has nothing to do", () => {
  it.effect.each([6, 30, 3_600])("count all the time, with leases of %i seconds and where a beat is lost", (lease) =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      const runs = makeScriptedRun(fake.store, { body: () => Effect.void })
      const heard: Array<number> = []
      const store = JobStore.of({
        ...fake.store,
        beat: (fences, runner) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            if (heard.length === 3 && now - heard[2]! < 6_000) {
              return Effect.fail(new StorageUnavailable({ message: "away for a moment" }))
            }
            if (runner !== undefined) heard.push(now)
            return fake.store.beat(fences, runner)
          })
      })
      yield* Layer.build(
        JobRunner.layer({ slots: 1 }).pipe(
          Layer.provide([WakeSignal.layer, Layer.succeed(JobStore, store), Layer.succeed(SyncRun, runs.service)])
        )
      )
      yield* TestClock.adjust("1 minute")
      const silences = heard.slice(1).map((at, n) => at - heard[n]!)
      expect(silences.length).toBeGreaterThan(5)
      expect(Math.max(...silences)).toBeLessThan(runnerSilence * 1000)
    }).pipe(Effect.provideService(JobLease, lease))
  )
})
