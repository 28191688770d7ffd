/** Conformance of `JobStore`: leases of connections. */
import { type BankId, bankLease } from "@millrace/core/bank"
import { type Fence, Fenced, JobStore, Transactor } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { somebody } from "../fixture/Actor.ts"
import { storeBank } from "../fixture/Bank.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { claimJob, makeJob, storeJob } from "../fixture/Job.ts"
import { freeBanks, leaseBank } from "../fixture/Lease.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { letOthersRun, StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const leaseOver = 7

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const feed = yield* storeFeed(workspace)
  const [one, two] = [yield* storeBank(workspace), yield* storeBank(workspace)]
  return { workspace, feed, one: one.id, two: two.id, store: yield* JobStore, clock: yield* StoreClock }
})

type Arranged = Effect.Success<typeof arrange>

/** Whether nobody has the lease of that bank. */
const isFree = (bank: BankId) =>
  Effect.gen(function* () {
    const free = yield* leaseBank(bank, "somebody else", 1)
    yield* freeBanks("somebody else")
    return free
  })

const ends: ReadonlyArray<
  readonly [how: string, end: (arranged: Arranged, fence: Fence) => Effect.Effect<unknown, unknown>]
> = [
  ["completes", ({ store }, fence) => store.complete(fence, {})],
  ["fails", ({ store }, fence) => store.fail(fence, [])],
  ["pauses", ({ store }, fence) => store.pause(fence, "user", undefined)],
  ["is released", ({ store }, fence) => store.release(fence)],
  ["is cancelled", ({ store }, fence) => store.cancel(fence.jobId, "cancel", somebody)],
  ["is force-cancelled", ({ store }, fence) => store.cancel(fence.jobId, "forceCancel", somebody)]
]

export const tests: StorageTests = (it) => {
  it.effect("claims a job with all of its connections or not at all", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, one, two, store } = arranged
      const job = yield* storeJob(feed)
      expect(yield* leaseBank(two, "reader")).toBe(true)
      expect(yield* store.claim(job.id, [one, two])).toEqual(Option.none())
      expect(yield* store.get(feed.workspaceId, feed.id, job.id)).toEqual(Option.some(job))
      expect(yield* isFree(one)).toBe(true)
      yield* freeBanks("reader")
      const { fence } = Option.getOrThrow(yield* store.claim(job.id, [one, two]))
      expect(yield* store.fenceBank(fence, one)).toBe(false)
      expect(yield* store.fenceBank(fence, two)).toBe(false)
      expect(yield* leaseBank(two, "reader")).toBe(false)
    })
  )

  it.effect("runs one job per connection at a time, of many that want it", () =>
    Effect.gen(function* () {
      const { workspace, one, two, store } = yield* arrange
      const jobs = yield* Effect.forEach(Array.from({ length: 12 }), () =>
        Effect.flatMap(storeFeed(workspace), storeJob)
      )
      // The order in which the banks are named must not lead to a deadlock.
      const claims = yield* Effect.forEach(
        jobs,
        (job, i) => store.claim(job.id, i % 2 === 0 ? [one, two] : [two, one]),
        {
          concurrency: "unbounded"
        }
      )
      expect(claims.filter(Option.isSome)).toHaveLength(1)
    })
  )

  it.effect.each(ends)("frees the connections when a job %s", ([, end]) =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { fence } = yield* claimJob(arranged.feed, [arranged.one, arranged.two])
      expect(yield* isFree(arranged.one)).toBe(false)
      yield* end(arranged, fence)
      expect(yield* isFree(arranged.one)).toBe(true)
      expect(yield* isFree(arranged.two)).toBe(true)
    })
  )

  it.effect("frees the connections of a job that a trigger replaces", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      yield* claimJob(arranged.feed, [arranged.one])
      yield* arranged.store.create(yield* makeJob(arranged.feed), { replacing: true })
      expect(yield* isFree(arranged.one)).toBe(true)
    })
  )

  it.effect("keeps the connections of a job as long as it beats", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock, one } = arranged
      const { job, fence } = yield* claimJob(arranged.feed, [one])
      for (let i = 0; i < 3; i++) {
        yield* clock.pass(leaseOver - 3)
        yield* store.beat([fence])
        expect(yield* isFree(one)).toBe(false)
      }
      yield* clock.pass(leaseOver)
      expect(yield* isFree(one)).toBe(true)
      const again = Option.getOrThrow(yield* store.claim(job.id, [one]))
      expect(yield* store.fenceBank(again.fence, one)).toBe(false)
      expect(yield* Effect.flip(store.fenceBank(fence, one))).toBeInstanceOf(Fenced)
    })
  )

  it.effect("lets a job write for a bank while it has the bank's lease, and no longer than it may write at all", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock, feed, one, two } = arranged
      const { job, fence } = yield* claimJob(feed, [one])
      expect(yield* store.fenceBank(fence, one)).toBe(false)
      const refused = yield* Effect.flip(store.fenceBank(fence, two))
      expect(refused).toMatchObject({ _tag: "LeaseLost", resource: bankLease(two) })
      yield* store.askPause(job.id, somebody)
      expect(yield* store.fenceBank(fence, one)).toBe(true)
      yield* clock.pass(leaseOver)
      // Late, but before anybody else.
      expect(yield* store.fenceBank(fence, one)).toBe(true)
      yield* clock.pass(leaseOver)
      expect(yield* leaseBank(one, "reader")).toBe(true)
      expect(yield* Effect.flip(store.fenceBank(fence, one))).toMatchObject({
        _tag: "LeaseLost",
        resource: bankLease(one)
      })
      yield* store.cancel(job.id, "cancel", somebody)
      expect(yield* Effect.flip(store.fenceBank(fence, one))).toMatchObject({ _tag: "Fenced", jobId: job.id })
    })
  )

  it.effect("counts a write for a bank as a sign of life", () =>
    Effect.gen(function* () {
      const { store, clock, feed, one } = yield* arrange
      const { job, fence } = yield* claimJob(feed, [one])
      yield* clock.pass(leaseOver - 3)
      yield* store.fenceBank(fence, one)
      yield* clock.pass(leaseOver - 3)
      expect(yield* store.claim(job.id, [])).toEqual(Option.none())
    })
  )

  it.effect("lets nobody take the lease from a job before its transaction ends", () =>
    Effect.gen(function* () {
      const { store, clock, feed, one } = yield* arrange
      const { fence } = yield* claimJob(feed, [one])
      yield* clock.pass(leaseOver)
      const order: Array<string> = []
      const fenced = yield* Deferred.make<void>()
      const writing = yield* (yield* Transactor)
        .atomically(
          Effect.gen(function* () {
            yield* store.fenceBank(fence, one)
            yield* Deferred.succeed(fenced, undefined)
            // Time enough for somebody whom nothing holds up.
            for (let n = 0; n < 1_000; n++) yield* Effect.andThen(letOthersRun, store.now)
            order.push("written")
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(fenced)
      expect(yield* leaseBank(one, "reader")).toBe(true)
      order.push("taken")
      yield* Fiber.join(writing)
      expect(order).toEqual(["written", "taken"])
    })
  )
}

export const suite = suiteOf(tests)
