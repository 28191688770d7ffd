import { JobEngine } from "@millrace/core/job"
import { Fenced, JobStore, StorageRoom, StorageUnavailable } from "@millrace/core/storage"
import { yieldIfRevoked } from "../../core/src/job/RunLease.ts"
import { SyncRun } from "@millrace/core/kernel"
import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { describe } from "vitest"
import { layerMemory } from "../src/MemoryEngine.ts"
import { bankId, type FakeStore, feedId, makeFakeStore } from "./FakeStore.ts"
import { makeScriptedRun, type Script, somebody } from "@millrace/testing/fixture"

/** An engine that the test can stop, over a store of its own or a shared one. */
const startEngine = Effect.fnUntraced(function* (
  options: {
    readonly slots?: number
    readonly fake?: FakeStore
    readonly forSyncs?: (typeof StorageRoom.Service)["forSyncs"]
  } & Script = {}
) {
  const fake = options.fake ?? (yield* makeFakeStore)
  const runs = makeScriptedRun(fake.store, options)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const context = yield* Layer.buildWithScope(
    layerMemory({ slots: options.slots }).pipe(
      Layer.provide([
        Layer.succeed(JobStore, fake.store),
        Layer.succeed(SyncRun, runs.service),
        Layer.succeed(StorageRoom, { need: () => Effect.void, forSyncs: options.forSyncs ?? Effect.void })
      ])
    ),
    scope
  )
  yield* letRun
  return {
    ...runs,
    fake,
    engine: Context.get(context, JobEngine),
    close: Scope.close(scope, Exit.void)
  }
})

/** Lets every fiber that can run do so, without time passing. */
const letRun = TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }), Effect.asVoid)
const pass = (seconds: number) => Effect.andThen(TestClock.adjust(seconds * 1000), letRun)

const noRoom = new StorageUnavailable({ message: "no room", full: true })
const briefly = () => Effect.sleep("100 millis")

describe("what is due", () => {
  it.effect("runs a job at once when it is poked", () =>
    Effect.gen(function* () {
      const { engine, fake, started } = yield* startEngine()
      const id = yield* fake.add(feedId(1))
      yield* engine.poke(feedId(1), id)
      yield* letRun
      expect(started).toEqual([id])
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
    })
  )

  it.effect("finds a job that nobody poked within two seconds", () =>
    Effect.gen(function* () {
      const { fake } = yield* startEngine()
      yield* pass(60)
      const id = yield* fake.add(feedId(1))
      yield* pass(2)
      expect(fake.job(id).status).toBe("completed")
    })
  )

  it.effect("runs a job once when it is poked many times", () =>
    Effect.gen(function* () {
      const { engine, fake, started } = yield* startEngine({ body: () => Effect.sleep("3 seconds") })
      const id = yield* fake.add(feedId(1))
      yield* Effect.forEach(Array.from({ length: 20 }), () => engine.poke(feedId(1), id), { concurrency: "unbounded" })
      yield* pass(10)
      expect(started).toEqual([id])
    })
  )

  it.effect("never runs more jobs at once than it has slots, and runs each of 1,000 once", () =>
    Effect.gen(function* () {
      const { engine, fake, running, started } = yield* startEngine({
        slots: 7,
        body: ({ job }) => Effect.sleep((Number(job.id.slice(-3)) % 5) * 20)
      })
      const ids = yield* Effect.forEach(Array.from({ length: 1000 }), (_, n) => fake.add(feedId(n)))
      yield* Effect.forEach(ids, (id, n) => engine.poke(feedId(n), id), { discard: true })
      yield* pass(30)
      expect(running.most).toBe(7)
      expect(started.toSorted()).toEqual(ids)
      expect(fake.jobs().every((job) => job.status === "completed" && job.attempt === 1)).toBe(true)
    })
  )

  it.effect("works through 1,000 waiting jobs without a tick between them", () =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      yield* Effect.forEach(Array.from({ length: 1000 }), (_, n) => fake.add(feedId(n)))
      const { started } = yield* startEngine({ fake })
      yield* Effect.repeat(letRun, { times: 2000, until: () => started.length >= 1000 })
      expect(started).toHaveLength(1000)
      // One query for every few jobs, not one for each.
      expect(fake.calls.dispatch).toBeLessThan(600)
    })
  )

  it.effect("lets the jobs of one connection wait for each other without holding up the others", () =>
    Effect.gen(function* () {
      const { fake, started, running } = yield* startEngine({
        slots: 4,
        banksOf: (feed) => (Number(feed.slice(-4)) < 100 ? [bankId(1)] : []),
        body: () => Effect.sleep("1 seconds")
      })
      const busy = yield* Effect.forEach(Array.from({ length: 50 }), (_, n) => fake.add(feedId(n)))
      const free = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) => fake.add(feedId(100 + n)))
      yield* pass(5)
      expect(free.map((id) => fake.job(id).status)).toEqual(free.map(() => "completed"))
      expect(running.most).toBe(4)
      yield* Effect.repeat(pass(1), { times: 60 })
      expect(started.toSorted()).toEqual([...busy, ...free])
      // The next job of the connection starts when the one before ends, not with the next tick.
      expect(busy.map((id) => fake.job(id).status)).toEqual(busy.map(() => "completed"))
    })
  )

  it.effect("does not let a job wait for a connection that became free while its claim was refused", () =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      const [first, second] = [yield* fake.add(feedId(1)), yield* fake.add(feedId(2))]
      const [end, answer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const claim: FakeStore["store"]["claim"] = (jobId, banks) =>
        Effect.tap(fake.store.claim(jobId, banks), () => (jobId === second ? Deferred.await(answer) : Effect.void))
      const { started } = yield* startEngine({
        fake: { ...fake, store: { ...fake.store, claim } },
        banksOf: () => [bankId(1)],
        body: ({ job }) => (job.id === first ? Deferred.await(end) : Effect.void)
      })
      expect(started).toEqual([first])
      yield* Deferred.succeed(end, undefined)
      yield* letRun
      yield* Deferred.succeed(answer, undefined)
      yield* letRun
      expect(started).toEqual([first, second])
    })
  )

  it.effect(
    "runs a job that arrives while all slots are taken as soon as one of them is free, not with the next tick",
    () =>
      Effect.gen(function* () {
        const ends = yield* Effect.forEach([1, 2], () => Deferred.make<void>())
        const { engine, fake, started } = yield* startEngine({
          slots: 1,
          body: ({ job }) => {
            const end = ends[Number(job.id.slice(-1)) - 1]
            return end === undefined ? Effect.void : Deferred.await(end)
          }
        })
        const arrive = (n: number) => Effect.tap(fake.add(feedId(n)), (id) => engine.poke(feedId(n), id))
        // As many as are handed out to one slot, and nobody else waits.
        const early = [yield* arrive(1), yield* arrive(2)]
        yield* letRun
        const late = yield* arrive(3)
        yield* letRun
        expect(started).toEqual(early.slice(0, 1))
        for (const end of ends) {
          yield* Deferred.succeed(end, undefined)
          yield* letRun
        }
        expect(started).toEqual([...early, late])
      })
  )

  it.effect("lets two engines share one store without running anything twice", () =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      const ids = yield* Effect.forEach(Array.from({ length: 200 }), (_, n) => fake.add(feedId(n)))
      const one = yield* startEngine({ fake, body: briefly })
      const two = yield* startEngine({ fake, body: briefly })
      yield* pass(30)
      expect([...one.started, ...two.started].toSorted()).toEqual(ids)
      expect(one.started.length).toBeGreaterThan(50)
      expect(two.started.length).toBeGreaterThan(50)
      expect(fake.jobs().every((job) => job.attempt === 1)).toBe(true)
    })
  )
})

describe("what goes wrong", () => {
  it.effect("takes up the job of a worker that was lost, and counts the attempt", () =>
    Effect.gen(function* () {
      const { fake } = yield* startEngine()
      const id = yield* fake.add(feedId(1))
      yield* fake.abandon(id)
      yield* pass(5)
      expect(fake.job(id)).toMatchObject({ status: "in_progress", attempt: 1 })
      yield* pass(4)
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 2 })
    })
  )

  it.effect("keeps a long run alive by its heartbeat", () =>
    Effect.gen(function* () {
      const { fake, started } = yield* startEngine({ body: () => Effect.sleep("10 minutes") })
      const id = yield* fake.add(feedId(1))
      yield* pass(605)
      expect(started).toEqual([id])
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
    })
  )

  it.effect("does not start a run again that the store's clock, jumping ahead, makes look lost", () =>
    Effect.gen(function* () {
      const { fake, started } = yield* startEngine({ body: () => Effect.sleep("1 minute") })
      const id = yield* fake.add(feedId(1))
      yield* pass(3)
      fake.jump(25 * 3_600_000)
      yield* Effect.repeat(pass(1), { times: 70 })
      expect(started).toEqual([id])
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
    })
  )

  it.effect("does not ask for more again and again while the job that it runs looks lost", () =>
    Effect.gen(function* () {
      const { engine, fake } = yield* startEngine({ slots: 1, body: () => Effect.sleep("1 minute") })
      const id = yield* fake.add(feedId(1))
      yield* pass(3)
      fake.jump(25 * 3_600_000)
      const before = fake.calls.dispatch
      yield* engine.poke(feedId(1), id)
      yield* pass(1)
      const asked = fake.calls.dispatch - before
      yield* Effect.repeat(pass(1), { times: 70 })
      expect([asked < 4, fake.job(id).status]).toEqual([true, "completed"])
    })
  )

  it.effect("stops a run that was cancelled at once when told, and leaves the row alone", () =>
    Effect.gen(function* () {
      const { engine, fake, interrupted, running } = yield* startEngine({ body: () => Effect.never })
      const id = yield* fake.add(feedId(1))
      yield* engine.poke(feedId(1), id)
      yield* letRun
      expect(running.now).toBe(1)
      yield* fake.store.cancel(id, "cancel", somebody)
      yield* engine.interrupt(feedId(1), id)
      yield* letRun
      expect(interrupted).toEqual([id])
      expect(running.now).toBe(0)
      expect(fake.job(id).status).toBe("cancelled")
    })
  )

  it.effect("stops a run that was cancelled with its next heartbeat when nobody told it", () =>
    Effect.gen(function* () {
      const { fake, interrupted } = yield* startEngine({ body: () => Effect.never })
      const id = yield* fake.add(feedId(1))
      yield* pass(2)
      yield* fake.store.cancel(id, "cancel", somebody)
      yield* pass(2)
      expect(interrupted).toEqual([id])
      expect(fake.job(id).status).toBe("cancelled")
    })
  )

  it.effect("takes up a job that was paused and resumed", () =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      let pauses = 0
      const { engine, started } = yield* startEngine({
        fake,
        body: ({ fence }) =>
          pauses++ === 0
            ? Effect.andThen(fake.store.pause(fence, "user", undefined), new Fenced({ jobId: fence.jobId }))
            : Effect.void
      })
      const id = yield* fake.add(feedId(1))
      yield* engine.poke(feedId(1), id)
      yield* pass(30)
      expect(fake.job(id).status).toBe("paused")
      fake.resume(id)
      yield* engine.poke(feedId(1), id)
      yield* letRun
      expect(started).toEqual([id, id])
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
    })
  )

  it.effect("takes up a job that was resumed while its old run was still ending", () =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      const slowToEnd = Effect.onInterrupt(Effect.never, () => Effect.sleep("100 millis"))
      let runs = 0
      const { engine, started } = yield* startEngine({ fake, body: () => (runs++ === 0 ? slowToEnd : Effect.void) })
      const id = yield* fake.add(feedId(1))
      yield* engine.poke(feedId(1), id)
      yield* letRun
      yield* fake.store.pause({ jobId: id, epoch: 1 }, "user", undefined)
      yield* engine.interrupt(feedId(1), id)
      fake.resume(id)
      yield* engine.poke(feedId(1), id)
      yield* letRun
      expect(started).toEqual([id])
      yield* pass(0.1)
      expect(started).toEqual([id, id])
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
    })
  )

  it.effect("fails a job whose run breaks, and frees its slot", () =>
    Effect.gen(function* () {
      const { fake } = yield* startEngine({
        slots: 1,
        body: ({ job }) => (job.feedId === feedId(1) ? Effect.die("a bug") : Effect.void)
      })
      const broken = yield* fake.add(feedId(1))
      const next = yield* fake.add(feedId(2))
      yield* pass(3)
      expect(fake.job(broken).status).toBe("failed")
      expect(fake.job(broken).errors).toMatchObject([
        { code: "INTERNAL_ERROR", category: "internal", severity: "fatal", recovery: { action: "contact_support" } }
      ])
      expect(JSON.stringify(fake.job(broken).errors)).not.toContain("a bug")
      expect(fake.job(next).status).toBe("completed")
    })
  )

  it.effect("fails a run that interrupts itself instead of starting it again for ever", () =>
    Effect.gen(function* () {
      const { fake, started } = yield* startEngine({ body: () => Effect.interrupt })
      const id = yield* fake.add(feedId(1))
      yield* pass(30)
      expect(started).toEqual([id])
      expect(fake.job(id).status).toBe("failed")
    })
  )

  it.effect("leaves a job to be taken up again when storage fails under its run", () =>
    Effect.gen(function* () {
      const { fake, started } = yield* startEngine({
        body: ({ job }) =>
          job.attempt === 1 ? Effect.fail(new StorageUnavailable({ message: "reset by peer" })) : Effect.void
      })
      const id = yield* fake.add(feedId(1))
      yield* pass(2)
      expect(fake.job(id)).toMatchObject({ status: "in_progress", attempt: 1 })
      yield* pass(9)
      expect(started).toEqual([id, id])
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 2, errors: [] })
    })
  )

  it.effect("outlives 30 seconds without storage, with jobs that run, wait and come", () =>
    Effect.gen(function* () {
      const { fake, engine, started } = yield* startEngine({ slots: 2, body: () => Effect.sleep("20 seconds") })
      const first = yield* Effect.forEach([1, 2, 3, 4], (n) => fake.add(feedId(n)))
      yield* pass(3)
      fake.setAway(true)
      const late = yield* fake.add(feedId(9))
      yield* engine.poke(feedId(9), late)
      yield* Effect.repeat(pass(1), { times: 29 })
      expect(fake.jobs().some((job) => job.status === "completed")).toBe(false)
      fake.setAway(false)
      yield* Effect.repeat(pass(1), { times: 100 })
      expect(fake.jobs().map((job) => job.status)).toEqual([...first, late].map(() => "completed"))
      // The two that ran lost their worker's reply; none was given up, none ran more often than it had to.
      expect(started).toHaveLength(7)
      expect(Math.max(...fake.jobs().map((job) => job.attempt))).toBe(2)
    })
  )

  it.effect("goes on by itself after storage was full, however often, without using up an attempt", () =>
    Effect.gen(function* () {
      let tries = 0
      const { fake, started } = yield* startEngine({
        body: () => (++tries > 5 ? Effect.void : Effect.fail(noRoom))
      })
      const id = yield* fake.add(feedId(1))
      yield* pass(2)
      expect(fake.job(id)).toMatchObject({ status: "paused", pauseReason: "storage_full", attempt: 1 })
      expect(started).toHaveLength(1)
      yield* Effect.repeat(pass(10), { times: 200 })
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1, errors: [] })
      // Each try asks the bank again.
      expect(started).toHaveLength(6)
    })
  )

  it.effect("holds a job on to it while not even that it waits can be written", () =>
    Effect.gen(function* () {
      let tries = 0
      const { fake, started } = yield* startEngine({ body: () => (++tries > 1 ? Effect.void : Effect.fail(noRoom)) })
      fake.setFull(true)
      const id = yield* fake.add(feedId(1))
      yield* Effect.repeat(pass(1), { times: 100 })
      expect(started).toHaveLength(1)
      expect(fake.job(id)).toMatchObject({ status: "in_progress", attempt: 1 })
      fake.setFull(false)
      yield* pass(6)
      expect(fake.job(id)).toMatchObject({ status: "paused", pauseReason: "storage_full", attempt: 1 })
      yield* Effect.repeat(pass(10), { times: 40 })
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
      expect(started).toHaveLength(2)
    })
  )

  it.effect("begins no run where syncs have to leave what room there is, and asks no bank for it", () =>
    Effect.gen(function* () {
      let full = true
      const { fake, started } = yield* startEngine({
        forSyncs: Effect.suspend(() => (full ? Effect.fail(noRoom) : Effect.void))
      })
      const id = yield* fake.add(feedId(1))
      yield* Effect.repeat(pass(5), { times: 400 })
      expect(fake.job(id)).toMatchObject({ status: "paused", pauseReason: "storage_full", attempt: 1 })
      full = false
      yield* Effect.repeat(pass(5), { times: 6 })
      expect(started).toEqual([id])
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
    })
  )

  it.effect("has a run leave at its next page when room runs out, and takes it up again when there is some", () =>
    Effect.gen(function* () {
      let full = false
      let pages = 0
      const page = Effect.suspend(() => {
        pages++
        return Effect.andThen(Effect.sleep("1 second"), yieldIfRevoked)
      })
      const { fake, started } = yield* startEngine({
        forSyncs: Effect.suspend(() => (full ? Effect.fail(noRoom) : Effect.void)),
        body: () => Effect.repeat(page, { until: () => pages >= 20 })
      })
      const id = yield* fake.add(feedId(1))
      yield* pass(4)
      full = true
      yield* Effect.repeat(pass(1), { times: 100 })
      expect(fake.job(id)).toMatchObject({ status: "paused", pauseReason: "storage_full", attempt: 1 })
      expect(pages).toBeLessThan(10)
      expect(started).toHaveLength(1)
      full = false
      yield* Effect.repeat(pass(1), { times: 60 })
      expect(fake.job(id)).toMatchObject({ status: "completed", attempt: 1 })
      expect(started).toEqual([id, id])
      expect(pages).toBe(20)
    })
  )

  it.effect("goes on when a sweep breaks", () =>
    Effect.gen(function* () {
      const own = yield* makeFakeStore
      const store = { ...own.store, sweep: Effect.die("a bug") }
      const { fake } = yield* startEngine({ fake: { ...own, store } })
      const id = yield* fake.add(feedId(1))
      yield* pass(3)
      expect(fake.job(id).status).toBe("completed")
    }).pipe(Effect.scoped)
  )
})

describe("stopping", () => {
  it.effect("lets runs end that need less than four seconds, and takes nothing more", () =>
    Effect.gen(function* () {
      const { fake, close, engine, started } = yield* startEngine({ slots: 1, body: () => Effect.sleep("3 seconds") })
      const [first, second] = [yield* fake.add(feedId(1)), yield* fake.add(feedId(2))]
      yield* engine.poke(feedId(1), first)
      yield* engine.poke(feedId(2), second)
      yield* letRun
      const closing = yield* Effect.forkChild(close)
      yield* pass(3)
      yield* Fiber.join(closing)
      expect(started).toEqual([first])
      expect(fake.job(first).status).toBe("completed")
      expect(fake.job(second).status).toBe("created")
    })
  )

  it.effect("gives back what runs longer, so that another process goes on at once", () =>
    Effect.gen(function* () {
      const { fake, close, interrupted } = yield* startEngine({ body: () => Effect.never })
      const ids = yield* Effect.forEach([1, 2, 3], (n) => fake.add(feedId(n)))
      yield* pass(2)
      const closing = yield* Effect.forkChild(close)
      yield* pass(3.9)
      expect(interrupted).toEqual([])
      yield* pass(0.1)
      yield* Fiber.join(closing)
      expect(interrupted.toSorted()).toEqual(ids)
      expect(fake.calls.release).toBe(3)
      const other = yield* startEngine({ fake })
      yield* letRun
      expect(other.started.toSorted()).toEqual(ids)
      // Given back is not lost.
      expect(fake.jobs().map((job) => job.attempt)).toEqual([1, 1, 1])
    })
  )

  it.effect("gives back a run that breaks while it stops, instead of failing its job", () =>
    Effect.gen(function* () {
      const { fake, close } = yield* startEngine({
        body: () => Effect.onInterrupt(Effect.never, () => Effect.die("The rollback found no connection"))
      })
      const id = yield* fake.add(feedId(1))
      yield* pass(2)
      const closing = yield* Effect.forkChild(close)
      yield* pass(4)
      yield* Fiber.join(closing)
      expect([fake.calls.release, fake.job(id).status]).toEqual([1, "in_progress"])
    })
  )

  it.effect("ends within ten seconds although a run will not stop", () =>
    Effect.gen(function* () {
      const { fake, close } = yield* startEngine({ body: () => Effect.uninterruptible(Effect.sleep("1 hour")) })
      yield* fake.add(feedId(1))
      yield* pass(2)
      const closing = yield* Effect.forkChild(close)
      yield* pass(9)
      expect(closing.pollUnsafe()).toBeDefined()
    })
  )

  it.effect("gives back a job whose claim was under way when it was told to stop", () =>
    Effect.gen(function* () {
      const fake = yield* makeFakeStore
      const gate = yield* Deferred.make<void>()
      const slow = { ...fake, store: { ...fake.store, claim: gated(fake, gate) } }
      const { close, engine, started } = yield* startEngine({ fake: slow })
      const id = yield* fake.add(feedId(1))
      yield* engine.poke(feedId(1), id)
      yield* letRun
      const closing = yield* Effect.forkChild(close)
      yield* letRun
      yield* Deferred.succeed(gate, undefined)
      yield* letRun
      yield* Fiber.join(closing)
      expect(started).toEqual([])
      expect(fake.calls.release).toBe(1)
      expect(fake.job(id).status).toBe("in_progress")
    })
  )
})

const gated =
  (fake: FakeStore, gate: Deferred.Deferred<void>): FakeStore["store"]["claim"] =>
  (jobId, banks) =>
    Effect.andThen(Deferred.await(gate), fake.store.claim(jobId, banks))
