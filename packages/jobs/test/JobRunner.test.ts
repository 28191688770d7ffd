import type { JobId } from "@millrace/core/job/Job"
import { pokeLease } from "@millrace/core/job/JobLease"
import { JobStore } from "@millrace/core/job/JobStore"
import { SyncRun } from "@millrace/core/sync/SyncRun"
import { makeScriptedRun } from "@millrace/testing/fixture/ScriptedRun"
import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { describe } from "vitest"
import { Bell } from "../src/Bell.ts"
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
      Layer.provide([Bell.layer, Layer.succeed(JobStore, fake.store), Layer.succeed(SyncRun, runs.service)])
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
