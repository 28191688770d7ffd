/** Whoever the connections of a workspace belong to upstream goes with the last of its banks, and never before. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { removalWaits } from "../../src/bank/BankRemoval.ts"
import { Misconfigured, ProviderUnavailable } from "../../src/provider/ProviderError.ts"
import { minutes, openRemovals, openRemovalsWithoutSubjects } from "./RemovalWorld.ts"

const hours = (count: number) => minutes(count * 60)

describe("whoever a bank belongs to upstream", () => {
  it.effect("is taken back with the last bank, wherever it dies, and nothing of them is left here", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      const sweep = Effect.fnUntraced(function* (only: string) {
        for (let n = 1; ; n++) {
          const { caller, connect, life, removals, subjectRefs, subjectsAsked, told, work, workBadly } =
            yield* openRemovals
          const { bank } = yield* connect("one#1")
          const [ref] = yield* subjectRefs
          yield* removals.remove(caller, bank.id, { permanently: true })
          const fired = yield* workBadly(n, only)
          // The leases of the process that died run out.
          yield* TestClock.adjust("2 minutes")
          yield* work(minutes(3))
          expect([n, fired, yield* life(bank), yield* subjectRefs]).toEqual([n, fired, "gone", [undefined]])
          // At most once more than the process that died had asked.
          expect([[ref], [ref, ref]]).toContainEqual(subjectsAsked)
          expect(yield* told).toEqual([["bank.removed", { bankId: bank.id }]])
          if (fired === undefined) return
          seen.add(fired)
        }
      })
      for (const only of ["ConnectionSubjectStore", "ConnectionAttemptStore", "BankStore", "Provider"]) {
        yield* sweep(only)
      }
      for (const point of [
        "ConnectionSubjectStore.end ends",
        "Provider.removeSubject begins",
        "Provider.removeSubject ends",
        "ConnectionSubjectStore.forget ends",
        "BankStore.remove begins"
      ]) {
        expect([...seen]).toContain(point)
      }
    })
  )

  it.effect("stays while another bank has a connection, also one that was deleted and may come back", () =>
    Effect.gen(function* () {
      const { caller, connect, life, removals, subjectRefs, subjectsAsked, work } = yield* openRemovals
      const [first, second, last] = [yield* connect("one#1"), yield* connect("two#1"), yield* connect("three#1")]
      const [ref] = yield* subjectRefs
      yield* removals.remove(caller, second.bank.id)
      for (const { bank } of [first, last]) {
        yield* removals.remove(caller, bank.id, { permanently: true })
        yield* work(0)
        expect([yield* life(bank), subjectsAsked]).toEqual(["gone", []])
      }
      yield* removals.restore(caller, second.bank.id)
      expect(yield* subjectRefs).toEqual([ref])
      yield* removals.remove(caller, second.bank.id, { permanently: true })
      yield* work(0)
      expect([yield* life(second.bank), subjectsAsked]).toEqual(["gone", [ref]])
    })
  )

  it.effect("goes once where the last two banks are removed at the same time", () =>
    Effect.gen(function* () {
      const { caller, connect, life, removals, subjectRefs, subjectsAsked, work } = yield* openRemovals
      const both = [yield* connect("one#1"), yield* connect("two#1")]
      const [ref] = yield* subjectRefs
      for (const { bank } of both) yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      for (const { bank } of both) expect(yield* life(bank)).toBe("gone")
      expect(subjectsAsked).toEqual([ref])
    })
  )

  it.effect("stays for an attempt that runs, and goes where that makes no bank of it", () =>
    Effect.gen(function* () {
      const { caller, connect, held, life, removals, start, subjectRefs, subjectsAsked, work } = yield* openRemovals
      const { accounts, bank } = yield* connect("one#1")
      const [ref] = yield* subjectRefs
      yield* start
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(hours(1))
      // What we hold of the bank waits for nobody.
      expect([yield* life(bank), yield* held(accounts), subjectsAsked]).toEqual(["removing local", 0, []])
      yield* TestClock.adjust("24 hours")
      yield* work(hours(1))
      expect([yield* life(bank), subjectsAsked, yield* subjectRefs]).toEqual(["gone", [ref], [undefined]])
    })
  )

  it.effect("stays where that attempt makes a bank of it", () =>
    Effect.gen(function* () {
      const { caller, connect, life, removals, start, subjectRefs, subjectsAsked, work } = yield* openRemovals
      const { bank } = yield* connect("one#1")
      const [ref] = yield* subjectRefs
      yield* removals.remove(caller, bank.id, { permanently: true })
      const { attempt } = yield* start
      yield* work(0)
      const other = yield* connect("two#1", attempt.attemptId)
      yield* work(hours(1))
      expect([yield* life(bank), subjectsAsked, yield* subjectRefs]).toEqual(["gone", [], [ref]])
      yield* removals.remove(caller, other.bank.id, { permanently: true })
      yield* work(0)
      expect(subjectsAsked).toEqual([ref])
    })
  )

  it.effect("keeps no removal waiting for an attempt where the upstream keeps nothing but connections", () =>
    Effect.gen(function* () {
      const { caller, connect, life, removals, start, work } = yield* openRemovalsWithoutSubjects
      const { bank } = yield* connect("one#1")
      const { attempt } = yield* start
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      expect(yield* life(bank)).toBe("gone")
      const other = yield* connect("two#1", attempt.attemptId)
      expect(yield* life(other.bank)).toBe("live")
    })
  )

  it.effect("waits for no attempt that was to mend the bank which goes", () =>
    Effect.gen(function* () {
      const { banks, caller, connect, life, removals, subjectsAsked, work } = yield* openRemovals
      const { bank } = yield* connect("one#1")
      yield* banks.reauth(caller, bank.id, {})
      yield* removals.remove(caller, bank.id, { permanently: true })
      // It may still be asking the upstream.
      yield* work(0)
      expect(subjectsAsked).toEqual([])
      yield* work(minutes(20))
      expect([yield* life(bank), subjectsAsked.length]).toEqual(["gone", 1])
    })
  )

  it.effect("is taken back after some days where no bank was ever made, and not before an attempt is over", () =>
    Effect.gen(function* () {
      const { lookAtSubjects, start, subjectRefs, subjectsAsked, work } = yield* openRemovals
      yield* start
      const [ref] = yield* subjectRefs
      const look = Effect.andThen(lookAtSubjects, work(0))
      yield* look
      yield* TestClock.adjust("6 days")
      yield* look
      expect([yield* subjectRefs, subjectsAsked]).toEqual([[ref], []])
      // Somebody tries again at the last moment, and leaves again.
      yield* TestClock.adjust("23 hours")
      yield* start
      yield* TestClock.adjust("2 hours")
      yield* look
      expect([yield* subjectRefs, subjectsAsked]).toEqual([[ref], []])
      yield* TestClock.adjust("8 days")
      yield* look
      expect([yield* subjectRefs, subjectsAsked]).toEqual([[undefined], [ref]])
      yield* TestClock.adjust("30 days")
      yield* look
      expect(subjectsAsked).toEqual([ref])
    })
  )

  it.effect("stays as long as a bank has it, and is asked for again where the upstream was away", () =>
    Effect.gen(function* () {
      const { caller, connect, life, lookAtSubjects, removals, start, subjectRefs, subjectsAsked, upstream, work } =
        yield* openRemovals
      const { bank } = yield* connect("one#1")
      const look = Effect.gen(function* () {
        yield* TestClock.adjust("8 days")
        yield* lookAtSubjects
        yield* work(0)
      })
      yield* look
      yield* removals.remove(caller, bank.id)
      yield* look
      expect(subjectsAsked).toEqual([])
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      expect([yield* life(bank), subjectsAsked.length]).toEqual(["gone", 1])
      yield* start
      const [ref] = yield* subjectRefs
      upstream.subjectAnswer = Effect.fail(new ProviderUnavailable({ message: "The provider is away" }))
      yield* look
      expect([yield* subjectRefs, subjectsAsked.slice(1)]).toEqual([[undefined, ref], [ref]])
      upstream.subjectAnswer = Effect.succeed("pending")
      yield* work(minutes(2))
      expect(subjectsAsked.length).toBe(3)
      upstream.subjectAnswer = Effect.succeed("done")
      yield* work(minutes(16))
      expect([yield* subjectRefs, subjectsAsked.length]).toEqual([[undefined], 4])
    })
  )

  it.effect("is somebody new for whoever connects once it has ended, however long the upstream takes", () =>
    Effect.gen(function* () {
      const { caller, connect, life, removals, subjectRefs, subjectsAsked, upstream, work } = yield* openRemovals
      const { bank } = yield* connect("one#1")
      const [ref] = yield* subjectRefs
      upstream.subjectAnswer = Effect.succeed("pending")
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      expect([yield* life(bank), yield* subjectRefs]).toEqual(["removing local", [undefined, ref]])
      const other = yield* connect("two#1")
      const [another] = yield* subjectRefs
      expect(another).not.toBe(ref)
      upstream.subjectAnswer = Effect.succeed("done")
      yield* work(minutes(2))
      expect([yield* life(bank), subjectsAsked, yield* subjectRefs]).toEqual(["gone", [ref, ref], [another]])
      expect(yield* life(other.bank)).toBe("live")
    })
  )

  it.effect("is asked for as often as the connection is, and its failure is the removal's", () =>
    Effect.gen(function* () {
      const { banks, caller, connect, life, removals, subjectsAsked, told, upstream, work } = yield* openRemovals
      const { bank } = yield* connect("one#1")
      upstream.subjectAnswer = Effect.fail(new ProviderUnavailable({ message: "The provider is away" }))
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(removalWaits.reduce((sum, wait) => sum + wait, minutes(10)))
      const reason = "The provider is away"
      expect([yield* life(bank), subjectsAsked.length]).toEqual(["failed local", removalWaits.length + 1])
      expect(yield* told).toEqual([["bank.removal.failed", { bankId: bank.id, stage: "local", reason }]])
      expect((yield* banks.get(caller, bank.id)).removal).toMatchObject({ state: "failed", stage: "local", reason })
      upstream.subjectAnswer = Effect.fail(new Misconfigured({ message: "Our credentials are wrong" }))
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      expect([yield* life(bank), subjectsAsked.length]).toEqual(["failed local", removalWaits.length + 2])
      upstream.subjectAnswer = Effect.succeed("done")
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      expect(yield* life(bank)).toBe("gone")
    })
  )
})
