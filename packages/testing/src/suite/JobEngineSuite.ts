/**
 * Conformance of `JobEngine`: an engine brings due jobs to workers, whatever it is made of.
 *
 * Every test has storage and engines of its own, since an engine runs whatever is due.
 */
import { capacityOf, JobEngine, type JobId } from "@millrace/core/job"
import {
  type BankStore,
  type FeedStore,
  JobLease,
  JobStore,
  pokeLease,
  type WorkspaceStore
} from "@millrace/core/storage"
import type { Feed } from "@millrace/core/feed"
import { Ids } from "@millrace/core"
import { SyncRun } from "@millrace/core/kernel"
import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { describe } from "vitest"
import { somebody } from "../fixture/Actor.ts"
import { storeBank } from "../fixture/Bank.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { storeJob } from "../fixture/Job.ts"
import { makeScriptedRun, type Script } from "../fixture/ScriptedRun.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import type { SuiteOptions } from "./StorageTests.ts"

/** The stores that the tests fill, and the one that the engine works on. */
export type EngineStorage = WorkspaceStore | BankStore | FeedStore | JobStore

/** Seconds: short, so that a suite on the machine's clock does not wait for long. */
const lease = 1.5

export const suite = <E, E2>(
  name: string,
  storage: Layer.Layer<EngineStorage, E>,
  /** An engine with this number of slots. */
  engine: (slots: number) => Layer.Layer<JobEngine, E2, JobStore | SyncRun>,
  options?: SuiteOptions
): void => {
  const withLease = Layer.provide(Layer.succeed(JobLease, lease))
  const test = options?.liveClock === true ? it.live : it.effect
  const pass = (millis: number) => (options?.liveClock === true ? Effect.sleep(millis) : TestClock.adjust(millis))

  /** Waits until it is so; fails the test when it is not within the time. */
  const within = Effect.fnUntraced(function* <R>(millis: number, condition: Effect.Effect<boolean, never, R>) {
    const step = 20
    for (let waited = 0; waited < millis; waited += step) {
      if (yield* condition) return
      yield* pass(step)
    }
    expect(yield* condition, `not within ${millis} ms`).toBe(true)
  })

  const start = Effect.fnUntraced(function* (run: SyncRun["Service"], slots = 4) {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const jobs = Layer.succeed(JobStore, yield* JobStore)
    const built = yield* Layer.buildWithScope(
      Layer.fresh(engine(slots)).pipe(Layer.provide([jobs, Layer.succeed(SyncRun, run)]), withLease),
      scope
    )
    return { engine: Context.get(built, JobEngine), close: Scope.close(scope, Exit.void) }
  })

  const arrange = Effect.fnUntraced(function* (script: Script = {}) {
    const jobs = yield* JobStore
    const workspace = yield* storeWorkspace()
    const job = (feed: Feed, id: JobId) =>
      Effect.orDie(Effect.flatMap(jobs.get(feed.workspaceId, feed.id, id), (found) => Effect.fromOption(found)))
    const runs = makeScriptedRun(jobs, script)
    return {
      ...runs,
      jobs,
      workspace,
      job,
      statusIs: (feed: Feed, id: JobId, status: string) =>
        Effect.map(job(feed, id), (found) => found.status === status),
      feeds: (count: number) => Effect.forEach(Array.from({ length: count }), () => storeFeed(workspace))
    }
  })

  /** Tests of the machine's clock wait most of their time, so they do it together; those of short times, or of many jobs, run alone. */
  const conforms = (
    title: string,
    body: Effect.Effect<void, unknown, EngineStorage | Ids | Scope.Scope>,
    { alone = false } = {}
  ) =>
    test(title, () => Effect.provide(body, Layer.merge(Layer.fresh(withLease(storage)), Ids.layer)), {
      timeout: 300_000,
      concurrent: options?.liveClock === true && !alone
    })

  describe(name, () => {
    conforms(
      "runs a job at once when it is poked",
      Effect.gen(function* () {
        const world = yield* arrange()
        const { engine: sut } = yield* start(world.service)
        // The first tick is over.
        yield* pass(300)
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* sut.poke(feed.id, job.id)
        yield* within(500, world.statusIs(feed, job.id, "completed"))
        expect(world.started).toEqual([job.id])
        expect(yield* world.job(feed, job.id)).toMatchObject({ attempt: 1 })
      }),
      { alone: true }
    )

    conforms(
      "stops the run of a cancelled job at once when it is reported",
      Effect.gen(function* () {
        const running = yield* Deferred.make<void>()
        const world = yield* arrange({
          body: () => Effect.andThen(Deferred.succeed(running, undefined), Effect.never)
        })
        const { engine: sut } = yield* start(world.service)
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* sut.poke(feed.id, job.id)
        yield* within(3000, Deferred.isDone(running))
        yield* world.jobs.cancel(job.id, "cancel", somebody)
        yield* sut.interrupt(feed.id, job.id)
        yield* within(
          300,
          Effect.sync(() => world.running.now === 0)
        )
        expect(world.interrupted).toEqual([job.id])
        expect((yield* world.job(feed, job.id)).status).toBe("cancelled")
      }),
      { alone: true }
    )

    conforms(
      "finds a job that nobody poked, within three seconds",
      Effect.gen(function* () {
        const world = yield* arrange()
        yield* start(world.service)
        yield* pass(500)
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* within(3000, world.statusIs(feed, job.id, "completed"))
      })
    )

    conforms(
      "takes pokes and interrupts for jobs that do not exist or are over, and stays well",
      Effect.gen(function* () {
        const world = yield* arrange()
        const { engine: sut } = yield* start(world.service)
        const [feed] = yield* world.feeds(1)
        const job = yield* storeJob(feed!)
        const stranger = yield* (yield* Ids).next("job")
        yield* sut.interrupt(feed!.id, stranger)
        yield* sut.poke(feed!.id, stranger)
        yield* sut.poke(yield* (yield* Ids).next("feed"), stranger)
        yield* sut.poke(feed!.id, job.id)
        yield* within(3000, world.statusIs(feed!, job.id, "completed"))
        yield* sut.poke(feed!.id, job.id)
        yield* sut.interrupt(feed!.id, job.id)
        yield* pass(500)
        expect(world.started).toEqual([job.id])
        const next = yield* storeJob(feed!)
        yield* sut.poke(feed!.id, next.id)
        yield* within(3000, world.statusIs(feed!, next.id, "completed"))
      })
    )

    conforms(
      "never runs more jobs than it has slots, and runs each of many once",
      Effect.gen(function* () {
        const world = yield* arrange({ body: () => Effect.sleep("20 millis") })
        const { engine: sut } = yield* start(world.service, 3)
        const feeds = yield* world.feeds(60)
        const stored = yield* Effect.forEach(feeds, (feed) => storeJob(feed))
        for (const job of stored) yield* sut.poke(job.feedId, job.id)
        yield* within(
          15_000,
          Effect.sync(() => world.started.length >= 60 && world.running.now === 0)
        )
        yield* pass(500)
        expect(world.running.most).toBe(3)
        expect(world.started.toSorted()).toEqual(stored.map((job) => job.id))
        for (const [n, job] of stored.entries()) {
          expect(yield* world.job(feeds[n]!, job.id)).toMatchObject({ status: "completed", attempt: 1 })
        }
      }),
      { alone: true }
    )

    conforms(
      "runs one job of a connection at a time, and the next one soon after",
      Effect.gen(function* () {
        const workspace = yield* storeWorkspace()
        const bank = yield* storeBank(workspace)
        const world = yield* arrange({ banksOf: () => [bank.id], body: () => Effect.sleep("50 millis") })
        yield* start(world.service)
        const feeds = yield* Effect.forEach([1, 2, 3, 4], () => storeFeed(workspace))
        const stored = yield* Effect.forEach(feeds, (feed) => storeJob(feed))
        yield* within(
          6000,
          Effect.sync(() => world.started.length === 4 && world.running.now === 0)
        )
        expect(world.running.most).toBe(1)
        expect(world.started.toSorted()).toEqual(stored.map((job) => job.id))
      }),
      { alone: true }
    )

    conforms(
      "starts the job of another workspace next, although many of one workspace came before",
      Effect.gen(function* () {
        const world = yield* arrange({ body: () => Effect.sleep("100 millis") })
        const slots = 3
        yield* start(world.service, slots)
        for (const feed of yield* world.feeds(60)) yield* storeJob(feed)
        yield* within(
          3000,
          Effect.sync(() => world.started.length >= slots)
        )
        const feed = yield* storeFeed(yield* storeWorkspace())
        const before = world.started.length
        const job = yield* storeJob(feed)
        yield* within(
          4000,
          Effect.sync(() => world.started.includes(job.id))
        )
        // Behind those that were handed out before it came to be known.
        expect(world.started.indexOf(job.id) - before).toBeLessThanOrEqual(2 * capacityOf(slots))
        yield* within(
          15_000,
          Effect.sync(() => world.started.length === 61 && world.running.now === 0)
        )
      }),
      { alone: true }
    )

    conforms(
      "takes up a job that was handed out in vain, soon, and counts no loss",
      Effect.gen(function* () {
        const world = yield* arrange()
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* world.jobs.beat([], { name: "a runner that is gone", slots: 1 })
        expect((yield* world.jobs.dispatch(1)).jobs).toEqual([{ jobId: job.id, feedId: feed.id }])
        yield* world.jobs.leave("a runner that is gone")
        yield* start(world.service)
        yield* pass(pokeLease * 1000 - 1000)
        expect(world.started).toEqual([])
        yield* within(3000, world.statusIs(feed, job.id, "completed"))
        expect((yield* world.job(feed, job.id)).attempt).toBe(1)
      })
    )

    conforms(
      "stops the run of a cancelled job by its next heartbeat when nobody tells it",
      Effect.gen(function* () {
        const world = yield* arrange({ body: () => Effect.never })
        yield* start(world.service)
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* within(
          3000,
          Effect.sync(() => world.running.now === 1)
        )
        yield* world.jobs.cancel(job.id, "cancel", somebody)
        yield* within(
          lease * 1000,
          Effect.sync(() => world.running.now === 0)
        )
        expect((yield* world.job(feed, job.id)).status).toBe("cancelled")
      })
    )

    conforms(
      "keeps a run alive that lasts longer than its lease",
      Effect.gen(function* () {
        const world = yield* arrange({ body: () => Effect.sleep(lease * 3000) })
        yield* start(world.service)
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* within(lease * 3000 + 3000, world.statusIs(feed, job.id, "completed"))
        expect(world.started).toEqual([job.id])
        expect((yield* world.job(feed, job.id)).attempt).toBe(1)
      })
    )

    conforms(
      "takes up the job of a worker that was lost, once its lease has run out, and counts the attempt",
      Effect.gen(function* () {
        const world = yield* arrange()
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        expect(Option.isSome(yield* world.jobs.claim(job.id, []))).toBe(true)
        yield* start(world.service)
        yield* pass(lease * 1000 - 500)
        expect(world.started).toEqual([])
        yield* within(4000, world.statusIs(feed, job.id, "completed"))
        expect((yield* world.job(feed, job.id)).attempt).toBe(2)
      })
    )

    conforms(
      "fails a job whose run breaks, without telling what broke",
      Effect.gen(function* () {
        const world = yield* arrange({ body: () => Effect.die("password of somebody") })
        yield* start(world.service)
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* within(3000, world.statusIs(feed, job.id, "failed"))
        const failed = yield* world.job(feed, job.id)
        expect(failed.errors).toMatchObject([{ code: "INTERNAL_ERROR", severity: "fatal" }])
        expect(failed.errorCategory).toBe("internal")
        expect(JSON.stringify(failed)).not.toContain("password")
      })
    )

    conforms(
      "gives back what still runs when it ends, and another engine goes on at once",
      Effect.gen(function* () {
        const world = yield* arrange({ body: ({ job }) => (job.attempt === 1 ? Effect.never : Effect.void) })
        const ending = yield* start(world.service)
        const feed = yield* storeFeed(world.workspace)
        const job = yield* storeJob(feed)
        yield* within(
          3000,
          Effect.sync(() => world.running.now === 1)
        )
        const closing = yield* Effect.forkChild(ending.close)
        yield* within(
          9000,
          Effect.sync(() => closing.pollUnsafe() !== undefined)
        )
        yield* Fiber.join(closing)
        expect(world.interrupted).toEqual([job.id])
        const other = makeScriptedRun(world.jobs)
        yield* start(other.service)
        yield* within(1000, world.statusIs(feed, job.id, "completed"))
        expect(other.started).toEqual([job.id])
        // Given back is not lost.
        expect((yield* world.job(feed, job.id)).attempt).toBe(1)
      })
    )

    conforms(
      "lets two engines share one store without running anything twice",
      Effect.gen(function* () {
        const world = yield* arrange({ body: () => Effect.sleep("30 millis") })
        const feeds = yield* world.feeds(40)
        const stored = yield* Effect.forEach(feeds, (feed) => storeJob(feed))
        const other = makeScriptedRun(world.jobs, { body: () => Effect.sleep("30 millis") })
        yield* start(world.service, 2)
        yield* start(other.service, 2)
        const all = () => [...world.started, ...other.started]
        yield* within(
          15_000,
          Effect.sync(() => all().length >= 40)
        )
        yield* pass(500)
        expect(all().toSorted()).toEqual(stored.map((job) => job.id))
        expect(world.started.length).toBeGreaterThan(0)
        expect(other.started.length).toBeGreaterThan(0)
      })
    )
  })
}
