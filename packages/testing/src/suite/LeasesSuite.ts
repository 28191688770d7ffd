/** Conformance of `Leases`. */
import { LeaseLost, Leases, Transactor } from "@millrace/core/storage"
import { Ids } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { letOthersRun, StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const leases = yield* Leases
  const ids = yield* Ids
  const [one, two] = [`mailbox:${yield* ids.next("request")}`, `mailbox:${yield* ids.next("request")}`]
  const take = (resource: string, holder: string, seconds = 30) =>
    Effect.map(leases.take([resource], holder, seconds), (taken) => Option.getOrThrow(taken)[0]!)
  return { leases, clock: yield* StoreClock, one, two, take }
})

export const tests: StorageTests = (it) => {
  it.effect("gives resources to one holder until its time ends, all of them or none", () =>
    Effect.gen(function* () {
      const { clock, leases, one, two } = yield* arrange
      const holders = Array.from({ length: 10 }, (_, n) => `holder ${n} of ${one}`)
      // The order in which they are named must not lead to a deadlock.
      const taken = yield* Effect.forEach(
        holders,
        (holder, n) => leases.take(n % 2 === 0 ? [one, two, one] : [two, one], holder, 30),
        { concurrency: "unbounded" }
      )
      expect(taken.filter(Option.isSome)).toHaveLength(1)
      const winner = holders[taken.findIndex(Option.isSome)]!
      for (const resource of [one, two]) {
        expect(Option.getOrThrow(yield* leases.current(resource))).toMatchObject({ resource, holder: winner })
      }
      yield* leases.free(winner)
      expect(Option.isSome(yield* leases.take([two], "other", 30))).toBe(true)
      expect(Option.isNone(yield* leases.take([one, two], "third", 30))).toBe(true)
      expect(Option.isNone(yield* leases.current(one))).toBe(true)
      yield* clock.pass(31)
      expect(Option.isNone(yield* leases.current(two))).toBe(true)
      expect(Option.isSome(yield* leases.take([one, two], "third", 30))).toBe(true)
    })
  )

  it.effect("lets a holder write until somebody else has taken the resource, however late", () =>
    Effect.gen(function* () {
      const { clock, leases, one, take } = yield* arrange
      const first = yield* take(one, "first")
      yield* clock.pass(300)
      yield* leases.fence(first)
      const second = yield* take(one, "second")
      expect(yield* Effect.flip(leases.fence(first))).toEqual(new LeaseLost({ resource: one }))
      yield* leases.fence(second)
      // Who comes back after its time takes nothing from the new holder.
      expect(Option.isNone(yield* leases.take([one], "first", 30))).toBe(true)
      yield* leases.free("first")
      yield* leases.fence(second)
    })
  )

  it.effect("gives every holder a greater epoch, and keeps that of one who stays", () =>
    Effect.gen(function* () {
      const { clock, leases, one, take } = yield* arrange
      const first = yield* take(one, "first")
      expect((yield* take(one, "first")).epoch).toBe(first.epoch)
      yield* clock.pass(31)
      // Late, but before anybody else.
      expect((yield* take(one, "first")).epoch).toBe(first.epoch)
      yield* leases.free("first")
      const again = yield* take(one, "first")
      expect(again.epoch).toBeGreaterThan(first.epoch)
      // It is another lease of the same holder.
      expect(yield* Effect.flip(leases.fence(first))).toBeInstanceOf(LeaseLost)
      yield* clock.pass(31)
      const other = yield* take(one, "other")
      expect(other.epoch).toBeGreaterThan(again.epoch)
      yield* clock.pass(3 * 86_400)
      while ((yield* leases.purge(100)) > 0);
      expect((yield* take(one, "last")).epoch).toBeGreaterThan(other.epoch)
    })
  )

  it.effect("extends what is still held, and nothing else", () =>
    Effect.gen(function* () {
      const { clock, leases, one, take, two } = yield* arrange
      const [mine, lost] = [yield* take(one, "first"), yield* take(two, "first", 5)]
      yield* clock.pass(10)
      const other = yield* take(two, "other")
      expect(yield* leases.extend([mine, lost], 100)).toEqual([mine])
      yield* clock.pass(60)
      expect(Option.isSome(yield* leases.current(one))).toBe(true)
      expect(Option.isNone(yield* leases.current(two))).toBe(true)
      yield* leases.fence(other)
      // A shorter wish takes nothing away.
      yield* leases.extend([mine], 1)
      yield* clock.pass(10)
      expect(Option.isNone(yield* leases.take([one], "other", 5))).toBe(true)
    })
  )

  it.effect("lets nobody take a resource before the transaction of its holder ends", () =>
    Effect.gen(function* () {
      const { clock, leases, one, take } = yield* arrange
      const first = yield* take(one, "first")
      yield* clock.pass(31)
      const order: Array<string> = []
      const fenced = yield* Deferred.make<void>()
      const writing = yield* (yield* Transactor)
        .atomically(
          Effect.gen(function* () {
            yield* leases.fence(first)
            yield* Deferred.succeed(fenced, undefined)
            // Time enough for somebody whom nothing holds up.
            for (let n = 0; n < 300; n++) yield* Effect.andThen(letOthersRun, leases.current("nothing"))
            order.push("written")
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(fenced)
      yield* take(one, "second")
      order.push("taken")
      yield* Fiber.join(writing)
      expect(order).toEqual(["written", "taken"])
    })
  )

  it.effect("forgets leases that ran out long ago, and only those", () =>
    Effect.gen(function* () {
      const { clock, leases, one, take, two } = yield* arrange
      const [old, young] = [yield* take(one, "first"), yield* take(two, "first", 2 * 86_400)]
      const purgeAll = Effect.gen(function* () {
        while ((yield* leases.purge(100)) > 0);
      })
      yield* clock.pass(86_400)
      yield* purgeAll
      yield* leases.fence(old)
      yield* clock.pass(60)
      yield* purgeAll
      expect(yield* Effect.flip(leases.fence(old))).toBeInstanceOf(LeaseLost)
      yield* leases.fence(young)
    })
  )
}

export const suite = suiteOf(tests)
