/** A bank is connected once for each attempt, whatever fails or dies on the way. */
import { describe, expect, it } from "@effect/vitest"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeBank, makeMadeBank, ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { FaultPoints } from "@millrace/testing/fault"
import { pointedProvider, pointedStores } from "@millrace/verification/simulation/PointedPorts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import * as Kernel from "../../src/Kernel.ts"
import { madeKinds } from "../../src/provider/ProviderKind.ts"
import { ProviderUnavailable } from "../../src/provider/ProviderError.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import type { PlanName } from "../../src/workspace/Plan.ts"
import { makeOneUseProvider } from "./OneUseProvider.ts"

const open = Effect.fnUntraced(function* (plan: PlanName = "enterprise") {
  const { driver, used, working } = makeOneUseProvider()
  const points = new FaultPoints()
  // A process that dies gives nothing back.
  let dies = false
  points.strike = (call, edge) =>
    dies && points.fired !== undefined && call === "Leases.free" && edge === "begins" ? Effect.interrupt : undefined
  const services = yield* Layer.build(
    Kernel.layerRun.pipe(
      Layer.provideMerge(Adapters.layer({ providers: [pointedProvider(points, driver)], folder: undefined })),
      Layer.provideMerge(pointedStores(points).pipe(Layer.provideMerge(MemoryStorage.layer)))
    )
  )
  return yield* Effect.gen(function* () {
    const [banks, store, log] = [yield* Banks, yield* BankStore, yield* EventStore]
    const workspace = yield* storeWorkspace({ plan })
    const caller = ownerOf(workspace)
    const complete = (token: string) =>
      banks.connect(caller, {
        instanceId: driver.instanceId,
        attemptId: token,
        payload: { kind: "plaid_public_token", publicToken: token }
      })
    /** The same while something goes wrong at the nth point; time passes for whoever waits. */
    const completeBadly = Effect.fnUntraced(function* (
      token: string,
      n: number,
      how: "dies" | "fails" | "hangs",
      only = ""
    ) {
      dies = how === "dies"
      points.arm(
        n,
        how === "hangs"
          ? Effect.never
          : dies
            ? Effect.interrupt
            : Effect.suspend((): Effect.Effect<never, ProviderUnavailable | StorageUnavailable> =>
                points.fired?.startsWith("Provider") === true
                  ? Effect.fail(new ProviderUnavailable({ message: "the provider is away" }))
                  : Effect.fail(new StorageUnavailable({ message: "storage is away" }))
              ),
        only
      )
      const fiber = yield* Effect.forkChild(complete(token))
      for (let second = 0; second < 20; second++) {
        yield* Effect.yieldNow
        yield* TestClock.adjust("1 second")
      }
      const exit = yield* Fiber.await(fiber)
      const { fired } = points
      points.arm(Infinity)
      dies = false
      return { exit, fired }
    })
    const stored = Effect.gen(function* () {
      const all = yield* store.list([workspace.id])
      return yield* Effect.forEach(all, (bank) =>
        Effect.gen(function* () {
          const { connection } = Option.getOrThrow(yield* store.connection(bank.id))
          const accounts = yield* store.accounts(bank.id)
          return {
            id: bank.id,
            ref: connection.ref,
            secret: connection.secrets.accessToken,
            status: bank.connectionStatus?.status,
            accounts: accounts.length
          }
        })
      )
    })
    /** Banks without a connection: one of files, and one for each kind of source that a feed can have beside. */
    const addMade = Effect.gen(function* () {
      yield* store.insert(yield* makeBank(workspace, { source: "file" }), undefined)
      const feed = yield* storeFeed(workspace)
      for (const kind of madeKinds) yield* store.holdMade(yield* makeMadeBank(feed, kind))
    }).pipe(Effect.provide(services))
    const told = Effect.map(log.read(workspace.id, 0, 1000), (events) => events.map(({ type }) => type))
    return { addMade, banks, caller, complete, completeBadly, driver, store, stored, told, used, working, workspace }
  }).pipe(Effect.provide(services))
})

/** Where a process can die, or lose the answer, with a token that is used up and nothing to show for it. */
const lost = (fired: string, how: "dies" | "fails"): boolean =>
  fired === "Provider.completeConnect ends" ||
  (how === "dies" && fired === "ConnectionAttemptStore.keepExchange begins")

describe("completing a connection", () => {
  it.effect("goes on from what an exchange gave, wherever it stopped before", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      for (const how of ["dies", "fails"] as const) {
        for (let n = 1; ; n++) {
          const { complete, completeBadly, stored, told, used } = yield* open()
          const { exit, fired } = yield* completeBadly("one#1", n, how)
          if (fired === undefined) break
          seen.add(`${how}: ${fired}`)
          // Nobody ever sees the bank of a completed attempt without the accounts that the upstream lists.
          if (how === "dies")
            expect([fired, (yield* stored).filter((bank) => bank.accounts !== 2)]).toEqual([fired, []])
          yield* TestClock.adjust("3 minutes")
          if (lost(fired, how)) {
            expect(yield* Effect.flip(complete("one#1"))).toMatchObject({ _tag: "InvalidConnectPayload" })
            expect(yield* Effect.flip(complete("one#1"))).toMatchObject({ _tag: "Conflict" })
            expect(yield* stored).toEqual([])
            continue
          }
          const { bank } = yield* complete("one#1")
          expect([how, fired, used]).toEqual([how, fired, ["one#1"]])
          expect(yield* stored).toEqual([
            { id: bank.id, ref: "one", secret: "secret of one#1", status: "connected", accounts: 2 }
          ])
          expect((yield* told).filter((type) => type === "bank.connected")).toHaveLength(1)
          if (Exit.isSuccess(exit)) expect(exit.value).toMatchObject({ created: true, bank: { id: bank.id } })
        }
      }
      // The steps that matter were among them.
      for (const point of [
        "dies: Provider.completeConnect ends",
        "dies: ConnectionAttemptStore.keepExchange ends",
        "dies: Provider.inspect begins",
        "dies: BankStore.insert ends",
        "dies: Transactor.atomically ends",
        "dies: Provider.listAccounts begins",
        "fails: ConnectionAttemptStore.keepExchange begins",
        "fails: ConnectionAttemptStore.keepExchange ends"
      ]) {
        expect([...seen]).toContain(point)
      }
    })
  )

  it.effect("is one bank for each connection in every order of crashes, repeats and reconnects", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      const seeds = process.env["MILLRACE_LONG"] === "1" ? 3000 : 60
      for (let seed = 1; seed <= seeds; seed++) {
        const random = new Seeded(seed)
        const { complete, completeBadly, stored, used, working } = yield* open()
        const tokens = ["one#1", "one#2", "two#1", "two#2", "three#1"]
        const gone = new Set<string>()
        for (let step = 0; step < 8; step++) {
          const token = random.pick(tokens)
          if (random.once(4)) {
            const one = Effect.exit(complete(token))
            yield* Effect.all([one, one], { concurrency: "unbounded" })
          } else {
            const how = random.pick(["dies", "fails"] as const)
            const { fired } = yield* completeBadly(token, random.once(4) ? 1000 : 1 + random.below(45), how)
            if (fired !== undefined) seen.add(fired)
            if (fired !== undefined && lost(fired, how)) gone.add(token)
          }
          if (random.once(2)) yield* TestClock.adjust("3 minutes")
        }
        yield* TestClock.adjust("3 minutes")
        // In the order of the exchanges, so that the newest secrets of a connection come last.
        for (const token of used.filter((one) => !gone.has(one))) {
          expect([seed, token, Exit.isSuccess(yield* Effect.exit(complete(token)))]).toEqual([seed, token, true])
          expect(yield* complete(token)).toMatchObject({ created: false, bank: { name: token.split("#")[0] } })
        }
        expect([seed, used]).toEqual([seed, [...new Set(used)]])
        const refs = [...new Set(used.filter((one) => !gone.has(one)).map((token) => token.split("#")[0]!))]
        const all = yield* stored
        expect([seed, all.map(({ ref }) => ref).toSorted()]).toEqual([seed, refs.toSorted()])
        for (const { accounts, ref, secret, status } of all) {
          // Of a bank that nobody could read before its secret was lost there are none.
          const isRead = status === "connected" || accounts > 0
          expect([seed, ref, accounts]).toEqual([seed, ref, isRead ? 2 : 0])
          // The newest secret, unless it was lost.
          const newest = used.findLast((token) => token.startsWith(`${ref}#`))!
          if (!gone.has(newest)) expect([seed, ref, secret]).toEqual([seed, ref, working.get(ref)])
        }
      }
      expect(seen.size).toBeGreaterThan(25)
    })
  )

  it.effect("gives a known bank the new secrets, its health and no double", () =>
    Effect.gen(function* () {
      const { banks, caller, complete, driver, stored, told, working } = yield* open("free")
      const first = yield* complete("one#1")
      working.set("one", "another")
      yield* banks.refresh(first.bank, Effect.void, caller.cause)
      expect((yield* stored)[0]).toMatchObject({ status: "reauth_required" })
      // There is no room for another bank, and none is needed.
      const request = { instanceId: driver.instanceId, attemptId: "again", reconnects: first.bank.id }
      const again = yield* banks.connect(caller, {
        ...request,
        payload: { kind: "plaid_public_token", publicToken: "one#2" }
      })
      expect(again).toMatchObject({
        created: false,
        bank: { id: first.bank.id, connectionStatus: { status: "connected" } }
      })
      expect(again.accounts.map(({ id }) => id)).toEqual(first.accounts.map(({ id }) => id))
      // Also where the upstream calls it otherwise.
      yield* banks.connect(caller, {
        ...request,
        attemptId: "moved",
        payload: { kind: "plaid_public_token", publicToken: "moved#1" }
      })
      expect(yield* stored).toMatchObject([{ id: first.bank.id, ref: "moved", secret: "secret of moved#1" }])
      expect((yield* told).filter((type) => type === "bank.reconnected")).toHaveLength(2)
    })
  )

  it.effect(
    "completes without the accounts where they cannot be read in time, says so, and reads them when asked again",
    () =>
      Effect.gen(function* () {
        for (const [how, why] of [
          ["fails", "the provider is away"],
          ["hangs", "the provider takes long to answer"]
        ] as const) {
          const { complete, completeBadly, stored, used } = yield* open()
          const { exit, fired } = yield* completeBadly("one#1", 1, how, "Provider.listAccounts")
          expect(fired).toBe("Provider.listAccounts begins")
          expect(Exit.getSuccess(exit)).toMatchObject({
            value: {
              accounts: [],
              bank: {
                connectionStatus: {
                  connected: true,
                  status: "pending",
                  errorCode: "ACCOUNTS_NOT_READ",
                  errorMessage: `The accounts of the bank have not been read yet: ${why}`
                }
              }
            }
          })
          expect(yield* stored).toMatchObject([{ status: "pending", accounts: 0 }])
          expect(yield* complete("one#1")).toMatchObject({
            created: false,
            bank: { connectionStatus: { status: "connected" } }
          })
          expect(yield* stored).toMatchObject([{ status: "connected", accounts: 2 }])
          expect(used).toEqual(["one#1"])
        }
      })
  )

  it.effect("leaves working secrets alone when an older attempt comes late", () =>
    Effect.gen(function* () {
      const { complete, completeBadly, stored, used } = yield* open()
      // It stops between its exchange and the bank.
      yield* completeBadly("one#1", 1, "fails", "Provider.inspect")
      expect([used, yield* stored]).toEqual([["one#1"], []])
      yield* complete("one#2")
      expect(yield* complete("one#1")).toMatchObject({ created: false })
      expect(yield* stored).toMatchObject([{ secret: "secret of one#2", status: "connected" }])
    })
  )

  it.effect("uses nothing up upstream where the plan has no room", () =>
    Effect.gen(function* () {
      const { addMade, banks, caller, complete, store, used, workspace } = yield* open("free")
      yield* addMade
      const { bank } = yield* complete("one#1")
      // What the kernel made itself takes no room, and none of it is a bank that has an account.
      expect((yield* banks.list(caller)).map(({ id }) => id)).toEqual([bank.id])
      expect(yield* Effect.flip(complete("two#1"))).toMatchObject({ _tag: "PlanLimitReached", limit: 1 })
      expect(used).toEqual(["one#1"])
      yield* store.remove(workspace.id, bank.id)
      yield* complete("two#1")
      expect((yield* banks.list(caller)).map(({ name }) => name)).toEqual(["two"])
      expect(yield* Effect.flip(complete("one#1"))).toMatchObject({ _tag: "Conflict" })
    })
  )
})
