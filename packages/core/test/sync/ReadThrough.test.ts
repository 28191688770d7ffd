import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import type { ConnectionHealth } from "../../src/provider/ConnectionHealth.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { freeBanks, leaseBank, makeBank, somebody, storeWorkspace } from "@millrace/testing/fixture"
import type { Turns } from "../../src/outbound/Outbound.ts"
import { unanswered } from "../../src/provider/JsonUpstream.ts"
import { ReauthRequired, ProviderUnavailable, type ProviderError } from "../../src/provider/ProviderError.ts"
import { Providers } from "../../src/provider/Providers.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { makeTurns } from "../../src/provider/Turns.ts"
import { UpstreamBudget } from "../../src/rate/UpstreamBudget.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { SourceReader } from "../../src/sync/SourceReader.ts"
import { ReadThrough } from "../../src/sync/ReadThrough.ts"
import { LedgerWriter } from "../../src/sync/LedgerWriter.ts"
import * as RowEdits from "../../src/table/RowEdits.ts"
import { makeScriptedProvider, withSessions } from "@millrace/testing/fake"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"

const setup = () => {
  const provider = makeScriptedProvider({
    instance: "one",
    changeModel: "delta",
    scope: "account",
    idTrust: "stable",
    pageSize: 10,
    overlapDays: 7,
    historyDays: 400,
    freshnessSeconds: 300
  })
  const upstream = provider.bank("ref", ["a"])
  let health: ConnectionHealth = { status: "connected" }
  let delay = 0
  let turns: Turns | undefined
  const place = Effect.suspend(() => Effect.mapError(turns?.take({ connection: "ref" }) ?? Effect.void, unanswered))
  const driver = withSessions(provider.driver, ({ pull }) => ({
    inspect: Effect.map(place, () => health),
    pull: (request) => Effect.andThen(Effect.sleep(`${delay} seconds`), pull(request))
  }))
  const layer = ReadThrough.layer.pipe(
    Layer.provideMerge(SourceReader.layer),
    Layer.provideMerge([LedgerWriter.layer.pipe(Layer.provide(RowEdits.layer)), Banks.layer]),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(Layer.mergeAll(Providers.layer([driver]), NodeDigest.layer, MemoryStorage.layer))
  )
  const connected = Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T09:30:00Z"))
    const workspace = yield* storeWorkspace({ plan: "enterprise", timezone: "UTC" })
    const bank = yield* makeBank(workspace, { providerInstanceId: driver.instanceId })
    const connection = { ref: "ref", secrets: {} }
    yield* (yield* BankStore).insert(bank, { instanceId: driver.instanceId, connection })
    const [account] = (yield* (yield* Banks).refresh(bank, Effect.void, somebody)).listed!.accounts
    upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1.5", description: "coffee" })
    const readThrough = yield* ReadThrough
    const read = (cached = false, of = bank) => readThrough.freshen(workspace, of, account!, "transactions", { cached })
    return { workspace, bank, account: account!, read }
  })
  return {
    upstream,
    layer,
    connected,
    fail: (error: ProviderError) => upstream.failures.push(error),
    be: (status: ConnectionHealth["status"]) => void (health = { status }),
    slow: (seconds: number) => void (delay = seconds),
    /** The upstream wants to be left alone with the connection. */
    hold: Effect.fnUntraced(function* (seconds: number) {
      turns = yield* makeTurns(driver)
      yield* (yield* UpstreamBudget).hold({ instanceId: driver.instanceId, connection: "ref" }, seconds)
    })
  }
}

const scenario = (
  title: string,
  body: (
    world: ReturnType<typeof setup>
  ) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof setup>["layer"]>>
) =>
  it.effect(title, () => {
    const world = setup()
    return body(world).pipe(Effect.provide(world.layer))
  })

describe("ReadThrough", () => {
  scenario("pulls what is older than the provider's freshness, and nothing younger", (world) =>
    Effect.gen(function* () {
      const { account, read } = yield* world.connected
      expect(yield* read()).toMatchObject({ stale: false, problem: undefined, asOf: "2026-11-21T09:30:00.000Z" })
      expect([world.upstream.pulls, (yield* ledgerOf(account)).length]).toEqual([1, 1])
      yield* TestClock.adjust("299 seconds")
      expect(yield* read()).toMatchObject({ stale: false, asOf: "2026-11-21T09:30:00.000Z" })
      expect(world.upstream.pulls).toBe(1)
      yield* TestClock.adjust("1 second")
      expect(yield* read()).toMatchObject({ stale: false, asOf: "2026-11-21T09:35:00.000Z" })
      expect(world.upstream.pulls).toBe(2)
    })
  )

  scenario("never calls upstream when asked for stored data", (world) =>
    Effect.gen(function* () {
      const { read } = yield* world.connected
      expect(yield* read(true)).toEqual({
        asOf: undefined,
        asked: false,
        stale: true,
        problem: undefined,
        blocked: false
      })
      expect(world.upstream.pulls).toBe(0)
    })
  )

  scenario("asks for a reconnect where only a person can help, without calling upstream once that is known", (world) =>
    Effect.gen(function* () {
      const { bank, read } = yield* world.connected
      world.be("consent_expired")
      expect(yield* read()).toMatchObject({ stale: true, problem: { code: "BANK_CONSENT_REQUIRED" }, blocked: true })
      const status = { connected: false, status: "reauth_required" } as const
      const known = yield* read(false, { ...bank, connectionStatus: status })
      expect(known).toMatchObject({ stale: true, problem: { code: "RECONNECT_REQUIRED" } })
      expect([world.upstream.pulls, known.problem?.retryAfter]).toEqual([0, undefined])
    })
  )

  scenario("says of the connection what failed reads say, and is mended by one that succeeds", (world) =>
    Effect.gen(function* () {
      const { bank, read, workspace } = yield* world.connected
      const banks = yield* BankStore
      const now = Effect.map(banks.get(workspace.id, bank.id), Option.getOrThrow)
      for (let failed = 1; failed <= 3; failed++) {
        world.fail(new ProviderUnavailable({ message: "away" }))
        expect((yield* read(false, yield* now)).stale).toBe(true)
        expect((yield* now).connectionStatus?.status).toBe(failed < 3 ? "connected" : "degraded")
      }
      expect((yield* read(false, yield* now)).stale).toBe(false)
      expect((yield* now).connectionStatus).toMatchObject({ connected: true, status: "connected" })
      yield* TestClock.adjust("5 minutes")
      world.fail(new ReauthRequired({ message: "sign in" }))
      expect(yield* read(false, yield* now)).toMatchObject({ problem: { code: "RECONNECT_REQUIRED" }, blocked: true })
      expect((yield* now).connectionStatus).toMatchObject({ connected: false, status: "reauth_required" })
    })
  )

  scenario("waits for a job that has the connection, and reads what the job has not read", (world) =>
    Effect.gen(function* () {
      const { bank, read } = yield* world.connected
      expect(yield* leaseBank(bank.id, "job")).toBe(true)
      const fiber = yield* Effect.forkChild(read())
      yield* TestClock.adjust("4 seconds")
      expect([fiber.pollUnsafe(), world.upstream.pulls]).toEqual([undefined, 0])
      yield* freeBanks("job")
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ stale: false, problem: undefined })
      expect([world.upstream.pulls, yield* leaseBank(bank.id, "next")]).toEqual([1, true])
    })
  )

  scenario("takes what a job reads meanwhile, though the job keeps the connection", (world) =>
    Effect.gen(function* () {
      const { account, bank, read } = yield* world.connected
      yield* leaseBank(bank.id, "job")
      const fiber = yield* Effect.forkChild(read())
      yield* TestClock.adjust("2 seconds")
      const scope = { workspaceId: bank.workspaceId, accountId: account.id, dataType: "transactions" as const }
      yield* (yield* RecordStore).setPulled([scope])
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ stale: false, asOf: "2026-11-21T09:30:02.000Z" })
      expect(world.upstream.pulls).toBe(0)
    })
  )

  scenario("answers from storage after ten seconds when a job keeps the connection, and gives its own back", (world) =>
    Effect.gen(function* () {
      const { bank, read } = yield* world.connected
      yield* leaseBank(bank.id, "job")
      const fiber = yield* Effect.forkChild(read())
      yield* TestClock.adjust("10 seconds")
      const busy = yield* Fiber.join(fiber)
      expect(busy).toMatchObject({ stale: true, problem: { code: "DATA_NOT_READY", retryAfter: 10 } })
      expect(busy.problem?.message).toContain("being read by somebody else")
      yield* freeBanks("job")
      expect((yield* read()).stale).toBe(false)
      expect(yield* leaseBank(bank.id, "next")).toBe(true)
    })
  )

  scenario("reads once for all who ask for the same at once, and tells all of them how it ended", (world) =>
    Effect.gen(function* () {
      const { read } = yield* world.connected
      world.slow(3)
      const readers = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(read()))
      yield* TestClock.adjust("1 second")
      // Who asked first goes away: the others are not left alone.
      yield* Fiber.interrupt(readers[0]!)
      yield* TestClock.adjust("2 seconds")
      for (const reader of readers.slice(1)) {
        expect(yield* Fiber.join(reader)).toMatchObject({ stale: false, asOf: "2026-11-21T09:30:03.000Z" })
      }
      expect(world.upstream.pulls).toBe(1)
      yield* TestClock.adjust("1 hour")
      world.fail(new ProviderUnavailable({ message: "down" }))
      const failing = yield* Effect.forkChild(Effect.all([read(), read(), read()], { concurrency: "unbounded" }))
      yield* TestClock.adjust("3 seconds")
      const failed = yield* Fiber.join(failing)
      expect(failed.map(({ problem }) => problem?.code)).toEqual(Array(3).fill("PROVIDER_UNAVAILABLE"))
      expect(world.upstream.pulls).toBe(2)
    })
  )

  scenario("reads other data of the same connection one after the other", (world) =>
    Effect.gen(function* () {
      const { account, bank, workspace } = yield* world.connected
      const { freshen } = yield* ReadThrough
      world.slow(2)
      const fiber = yield* Effect.forkChild(
        Effect.all(
          (["transactions", "balances", "holdings"] as const).map((dataType) =>
            freshen(workspace, bank, account, dataType, {})
          ),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(fiber)).map(({ problem }) => problem)).toEqual([undefined, undefined, undefined])
    })
  )

  scenario("waits for a place in the upstream's limits that comes within ten seconds, and else says when", (world) =>
    Effect.gen(function* () {
      const { bank, read } = yield* world.connected
      yield* world.hold(8)
      const waiting = yield* Effect.forkChild(read())
      yield* TestClock.adjust("8 seconds")
      expect(yield* Fiber.join(waiting)).toMatchObject({ stale: false, problem: undefined })
      yield* TestClock.adjust("1 hour")
      yield* world.hold(11)
      const refused = { stale: true, problem: { code: "PROVIDER_RATE_LIMITED", retryAfter: 11 } }
      expect(yield* read()).toMatchObject(refused)
      // The wait for a job counts.
      yield* TestClock.adjust("3 seconds")
      yield* leaseBank(bank.id, "job")
      const second = yield* Effect.forkChild(read())
      yield* TestClock.adjust("4 seconds")
      yield* freeBanks("job")
      yield* world.hold(8)
      yield* TestClock.adjust("1 second")
      const late = { stale: true, problem: { code: "PROVIDER_RATE_LIMITED" } }
      expect(second.pollUnsafe()).toMatchObject({ value: late })
    })
  )

  scenario("waits ten seconds for a slow upstream, then answers from storage and writes nothing more", (world) =>
    Effect.gen(function* () {
      const { account, bank, read } = yield* world.connected
      world.slow(11)
      const fiber = yield* Effect.forkChild(read())
      yield* TestClock.adjust("10 seconds")
      const late = yield* Fiber.join(fiber)
      expect(late).toMatchObject({ asOf: undefined, stale: true, problem: { code: "DATA_NOT_READY", retryAfter: 10 } })
      yield* TestClock.adjust("20 seconds")
      expect(yield* ledgerOf(account)).toEqual([])
      expect(yield* leaseBank(bank.id, "next")).toBe(true)
    })
  )

  scenario("tells trouble upstream apart from what a person must mend", (world) =>
    Effect.gen(function* () {
      const { read } = yield* world.connected
      world.fail(new ProviderUnavailable({ message: "down" }))
      expect(yield* read()).toMatchObject({ stale: true, problem: { code: "PROVIDER_UNAVAILABLE", retryAfter: 300 } })
      world.fail(new ReauthRequired({ message: "sign in" }))
      const reauth = yield* read()
      expect([reauth.problem?.code, reauth.problem?.retryAfter]).toEqual(["RECONNECT_REQUIRED", undefined])
      expect(yield* read()).toMatchObject({ stale: false })
    })
  )

  scenario("keeps the rows of an account that the bank no longer lists", (world) =>
    Effect.gen(function* () {
      const { account, read } = yield* world.connected
      yield* read()
      world.upstream.unlisted.add("a")
      yield* TestClock.adjust("1 hour")
      expect(yield* read()).toMatchObject({ stale: true, blocked: false, problem: { code: "BANK_CONSENT_REQUIRED" } })
      expect((yield* ledgerOf(account)).map(({ state }) => state)).toEqual(["live"])
    })
  )
})
