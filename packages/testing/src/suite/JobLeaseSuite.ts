/** Conformance of `JobStore`: leases of connections. */
import type { BankId } from "@millrace/core/bank/Bank"
import { holderOf, JobStore, type Fence } from "@millrace/core/job/JobStore"
import { Transactor } from "@millrace/core/storage/Transactor"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { somebody } from "../fixture/Actor.ts"
import { storeBank } from "../fixture/Bank.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { claimJob, makeJob, storeJob } from "../fixture/Job.ts"
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
const isFree = ({ store }: Arranged, bank: BankId) =>
  Effect.gen(function* () {
    const free = yield* store.lease([bank], "somebody else", 1)
    yield* store.unlease("somebody else")
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
      expect(yield* store.lease([two], "reader", 60)).toBe(true)
      expect(yield* store.claim(job.id, [one, two])).toEqual(Option.none())
      expect(yield* store.get(feed.workspaceId, feed.id, job.id)).toEqual(Option.some(job))
      expect(yield* isFree(arranged, one)).toBe(true)
      yield* store.unlease("reader")
      const { fence } = Option.getOrThrow(yield* store.claim(job.id, [one, two]))
      expect(yield* store.holdsLease(one, holderOf(fence))).toBe(true)
      expect(yield* store.holdsLease(two, holderOf(fence))).toBe(true)
      expect(yield* store.lease([two], "reader", 60)).toBe(false)
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
      expect(yield* isFree(arranged, arranged.one)).toBe(false)
      yield* end(arranged, fence)
      expect(yield* isFree(arranged, arranged.one)).toBe(true)
      expect(yield* isFree(arranged, arranged.two)).toBe(true)
      expect(yield* arranged.store.holdsLease(arranged.one, holderOf(fence))).toBe(false)
    })
  )

  it.effect("frees the connections of a job that a trigger replaces", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      yield* claimJob(arranged.feed, [arranged.one])
      yield* arranged.store.create(yield* makeJob(arranged.feed), { replacing: true })
      expect(yield* isFree(arranged, arranged.one)).toBe(true)
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
        expect(yield* isFree(arranged, one)).toBe(false)
      }
      yield* clock.pass(leaseOver)
      expect(yield* isFree(arranged, one)).toBe(true)
      expect(yield* store.holdsLease(one, holderOf(fence))).toBe(false)
      const again = Option.getOrThrow(yield* store.claim(job.id, [one]))
      expect(yield* store.holdsLease(one, holderOf(again.fence))).toBe(true)
      expect(yield* store.holdsLease(one, holderOf(fence))).toBe(false)
    })
  )

  it.effect("lets a job write for a bank while it has the bank's lease, and no longer than it may write at all", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { store, clock, feed, one, two } = arranged
      const { job, fence } = yield* claimJob(feed, [one])
      expect(yield* store.fenceBank(fence, one)).toBe(false)
      const refused = yield* Effect.flip(store.fenceBank(fence, two))
      expect(refused).toMatchObject({ _tag: "LeaseLost", bankId: two })
      yield* store.askPause(job.id, somebody)
      expect(yield* store.fenceBank(fence, one)).toBe(true)
      yield* clock.pass(leaseOver)
      // Late, but before anybody else.
      expect(yield* store.fenceBank(fence, one)).toBe(true)
      yield* clock.pass(leaseOver)
      expect(yield* store.lease([one], "reader", 60)).toBe(true)
      expect(yield* Effect.flip(store.fenceBank(fence, one))).toMatchObject({ _tag: "LeaseLost", bankId: one })
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
      expect(yield* store.lease([one], "reader", 60)).toBe(true)
      order.push("taken")
      yield* Fiber.join(writing)
      expect(order).toEqual(["written", "taken"])
    })
  )

  it.effect("gives a lease to one reader until it ends", () =>
    Effect.gen(function* () {
      const { one, two, store, clock } = yield* arrange
      const holders = Array.from({ length: 10 }, (_, i) => `reader ${i} of ${one}`)
      const won = yield* Effect.forEach(holders, (holder) => store.lease([one, two], holder, 30), {
        concurrency: "unbounded"
      })
      expect(won.filter(Boolean)).toHaveLength(1)
      const winner = holders[won.indexOf(true)]!
      expect(yield* store.holdsLease(one, winner)).toBe(true)
      yield* clock.pass(20)
      expect(yield* store.lease([two, one], winner, 30)).toBe(true)
      yield* clock.pass(20)
      expect(yield* store.holdsLease(two, winner)).toBe(true)
      expect(yield* store.lease([two], "late", 30)).toBe(false)
      yield* clock.pass(20)
      // Its time is over, but nobody else has used the connection since.
      expect(yield* store.holdsLease(two, winner)).toBe(true)
      expect(yield* store.lease([two], `late ${two}`, 30)).toBe(true)
      expect(yield* store.holdsLease(two, winner)).toBe(false)
      // Who comes back after its time does not take anything from the new holder.
      expect(yield* store.lease([one, two], winner, 30)).toBe(false)
      yield* store.unlease(winner)
      expect(yield* store.holdsLease(two, `late ${two}`)).toBe(true)
    })
  )

  it.effect("gives back all leases of a holder", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { one, two, store } = arranged
      yield* store.lease([one, two], `h ${one}`, 30)
      yield* store.unlease(`h ${one}`)
      expect(yield* store.holdsLease(one, `h ${one}`)).toBe(false)
      expect(yield* isFree(arranged, two)).toBe(true)
    })
  )

  it.effect("confirms a lease inside the transaction that relies on it", () =>
    Effect.gen(function* () {
      const { one, store } = yield* arrange
      const holder = `h ${one}`
      yield* store.lease([one], holder, 30)
      const held = yield* (yield* Transactor).atomically(store.holdsLease(one, holder))
      expect(held).toBe(true)
      expect(yield* (yield* Transactor).atomically(store.holdsLease(one, "stranger"))).toBe(false)
    })
  )
}

export const suite = suiteOf(tests)
