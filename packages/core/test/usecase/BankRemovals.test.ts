/** Banks go for good in two stages, wherever a process dies on the way, and come back where they may. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { callerOf, type Caller } from "../../src/access/Caller.ts"
import { removalWaits } from "../../src/bank/BankRemoval.ts"
import { Misconfigured, ProviderUnavailable } from "../../src/provider/ProviderError.ts"
import { minutes, openRemovals as open } from "./RemovalWorld.ts"

describe("removing a bank for good", () => {
  it.effect("gives it back at the provider once, destroys all of it and nothing of others, wherever it dies", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      const stride = process.env["MILLRACE_LONG"] === "1" ? 1 : 2
      for (let n = 1; ; n += stride) {
        const { caller, connect, held, life, removals, revoked, subjectsAsked, told, work, workBadly } = yield* open
        const [gone, other] = [yield* connect("one#1"), yield* connect("two#1")]
        expect(yield* removals.remove(caller, gone.bank.id, { permanently: true })).toBe("removing")
        const fired = yield* workBadly(n)
        if (fired !== undefined) seen.add(fired)
        // The leases of the process that died run out.
        yield* TestClock.adjust("2 minutes")
        yield* work(minutes(3))
        expect([n, fired, yield* life(gone.bank), yield* held(gone.accounts)]).toEqual([n, fired, "gone", 0])
        expect([yield* life(other.bank), yield* held(other.accounts)]).toEqual(["live", 6])
        expect(new Set(revoked)).toEqual(new Set(["one"]))
        expect(revoked.length).toBeLessThanOrEqual(2)
        // Whoever both belong to is the other bank's as well.
        expect(subjectsAsked).toEqual([])
        expect(yield* told).toEqual([["bank.removed", { bankId: gone.bank.id }]])
        if (fired === undefined) break
      }
      for (const port of [
        "Provider.revoke",
        "BankDataPurge.destroySome",
        "BankStore.setLife",
        "Transactor.atomically"
      ]) {
        expect([...seen].some((point) => point.startsWith(port))).toBe(true)
      }
      expect(seen.size).toBeGreaterThan(10)
    })
  )

  it.effect("is tried again after a minute, 5, 30, 2 hours and 6, and has then failed with its reason", () =>
    Effect.gen(function* () {
      const { banks, caller, connect, held, life, removals, revoked, told, upstream, work } = yield* open
      const { accounts, bank } = yield* connect("one#1")
      upstream.answer = Effect.fail(new ProviderUnavailable({ message: "The provider is away" }))
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      for (const [tries, wait] of removalWaits.entries()) {
        expect([yield* life(bank), revoked.length]).toEqual(["removing provider", tries + 1])
        yield* TestClock.adjust(`${wait - 1} seconds`)
        yield* work(0)
        expect(revoked.length).toBe(tries + 1)
        yield* TestClock.adjust("1 seconds")
        yield* work(0)
      }
      const reason = "The provider is away"
      expect(yield* life(bank)).toBe("failed provider")
      expect(yield* told).toEqual([["bank.removal.failed", { bankId: bank.id, stage: "provider", reason }]])
      expect((yield* banks.get(caller, bank.id)).removal).toMatchObject({ state: "failed", stage: "provider", reason })
      // Nothing of it is lost, and it is tried no more.
      yield* work(minutes(600))
      expect([revoked.length, yield* held(accounts)]).toEqual([6, 6])
      expect(yield* Effect.flip(removals.remove(caller, bank.id))).toMatchObject({ code: "BANK_REMOVAL_FAILED" })
      // Asked again, it goes on where it stopped.
      upstream.answer = Effect.succeed("done")
      expect(yield* removals.remove(caller, bank.id, { permanently: true })).toBe("removing")
      yield* work(minutes(1))
      expect([yield* life(bank), yield* held(accounts)]).toEqual(["gone", 0])
    })
  )

  it.effect("fails at once where no other try can help, and is then brought back by a person", () =>
    Effect.gen(function* () {
      const { banks, caller, connect, data, held, life, removals, store, upstream, work } = yield* open
      const { accounts, bank } = yield* connect("one#1")
      upstream.answer = Effect.fail(new Misconfigured({ message: "Our credentials are wrong" }))
      yield* removals.remove(caller, bank.id, { permanently: true })
      expect(yield* Effect.flip(removals.restore(caller, bank.id))).toMatchObject({ code: "BANK_REMOVING" })
      expect(yield* Effect.flip(removals.remove(caller, bank.id))).toMatchObject({ code: "BANK_REMOVING" })
      expect(yield* Effect.flip(data.accounts(caller, bank.id))).toMatchObject({ code: "BANK_REMOVING" })
      yield* work(0)
      expect(yield* life(bank)).toBe("failed provider")
      expect(yield* removals.restore(caller, bank.id)).toMatchObject({ id: bank.id })
      expect([yield* life(bank), yield* held(accounts)]).toEqual(["live", 6])
      expect((yield* banks.get(caller, bank.id)).removal).toBeUndefined()
      expect(Option.isSome(yield* store.connection(bank.id))).toBe(true)
      expect((yield* data.accounts(caller, bank.id)).rows).toHaveLength(2)
    })
  )

  it.effect("cannot be taken back once something was destroyed, only finished", () =>
    Effect.gen(function* () {
      const { caller, connect, life, points, removals, revoked, work } = yield* open
      const { bank } = yield* connect("one#1")
      yield* removals.remove(caller, bank.id, { permanently: true })
      points.strike = (call, edge) =>
        call === "BankDataPurge.destroySome" && edge === "begins" ? Effect.die(new Error("a fault")) : undefined
      yield* work(removalWaits.reduce((sum, wait) => sum + wait, minutes(10)))
      expect(yield* life(bank)).toBe("failed local")
      expect(yield* Effect.flip(removals.restore(caller, bank.id))).toMatchObject({
        code: "BANK_REMOVAL_NOT_REVERSIBLE"
      })
      points.strike = undefined
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      // The provider was asked once: that stage was over.
      expect([yield* life(bank), revoked]).toEqual(["gone", ["one"]])
    })
  )

  it.effect("waits until the provider has confirmed it", () =>
    Effect.gen(function* () {
      const { caller, connect, life, removals, upstream, work } = yield* open
      const { bank } = yield* connect("one#1")
      upstream.answer = Effect.succeed("pending")
      yield* removals.remove(caller, bank.id, { permanently: true })
      yield* work(0)
      expect(yield* life(bank)).toBe("removing provider")
      upstream.answer = Effect.succeed("done")
      yield* work(minutes(2))
      expect(yield* life(bank)).toBe("gone")
    })
  )

  it.effect("needs a signed-in person, and no feed that names an account", () =>
    Effect.gen(function* () {
      const { caller, connect, life, removals, use } = yield* open
      const { accounts, bank } = yield* connect("one#1")
      const principal = { kind: "system", workspace: caller.principal.workspace, reason: "x", userId: "u" } as const
      const machine: Caller = callerOf(principal, "req")
      expect(yield* Effect.flip(removals.remove(machine, bank.id, { permanently: true }))).toMatchObject({
        code: "SIGNED_IN_SESSION_REQUIRED"
      })
      const feed = yield* use(bank, accounts[0]!.id)
      for (const permanently of [true, false]) {
        expect(yield* Effect.flip(removals.remove(caller, bank.id, { permanently }))).toMatchObject({
          code: "BANK_IN_USE",
          message: "Bank is used by 1 feed",
          details: [{ field: "feedIds", message: feed.id }]
        })
      }
      expect(yield* life(bank)).toBe("live")
    })
  )
})

describe("deleting a bank", () => {
  it.effect("hides it until it is restored", () =>
    Effect.gen(function* () {
      const { banks, caller, connect, data, life, removals, revoked } = yield* open
      const { bank } = yield* connect("one#1")
      expect(yield* removals.remove(caller, bank.id)).toBe("deleted")
      for (const refused of [
        banks.get(caller, bank.id),
        data.accounts(caller, bank.id),
        removals.remove(caller, bank.id)
      ]) {
        expect(yield* Effect.flip(refused as Effect.Effect<unknown, { readonly _tag: string }>)).toMatchObject({
          _tag: "NotFound"
        })
      }
      expect(yield* banks.list(caller)).toEqual([])
      expect(yield* banks.list(caller, "deleted")).toMatchObject([{ id: bank.id }])
      expect(yield* removals.restore(caller, bank.id)).toMatchObject({ id: bank.id })
      expect([yield* life(bank), revoked]).toEqual(["live", []])
      expect(yield* Effect.flip(removals.restore(caller, bank.id))).toMatchObject({ code: "INVALID_STATE" })
    })
  )

  it.effect("ends with the cleanup of a month, at the first a day later at 3:00", () =>
    Effect.gen(function* () {
      const { caller, connect, held, life, removals, work } = yield* open
      const [early, late] = [yield* connect("one#1"), yield* connect("two#1")]
      yield* removals.remove(caller, early.bank.id)
      yield* TestClock.setTime(Date.parse("2026-11-30T12:00:00Z"))
      yield* removals.remove(caller, late.bank.id)
      yield* TestClock.setTime(Date.parse("2026-12-01T02:59:00Z"))
      expect(yield* removals.purge).toBe(0)
      yield* TestClock.setTime(Date.parse("2026-12-01T03:00:00Z"))
      expect(yield* removals.purge).toBe(1)
      expect([yield* life(early.bank), yield* life(late.bank)]).toEqual(["removing provider", "deleted"])
      yield* work(0)
      expect([yield* life(early.bank), yield* held(early.accounts)]).toEqual(["gone", 0])
      expect(yield* removals.purge).toBe(0)
      yield* TestClock.setTime(Date.parse("2027-01-01T03:00:00Z"))
      expect(yield* removals.purge).toBe(1)
      yield* work(0)
      expect(yield* life(late.bank)).toBe("gone")
    })
  )
})
