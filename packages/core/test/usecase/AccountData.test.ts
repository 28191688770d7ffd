import {
  makeBank,
  makeWrites,
  ownerOf,
  somebody,
  storeAccount,
  storeBank,
  storeWorkspace
} from "@millrace/testing/fixture"
import { Adapters } from "@millrace/adapters"
import { DemoProvider } from "@millrace/adapters/provider"
import { MemoryStorage } from "@millrace/adapters/memory"
import { AccountData } from "../../src/usecase/AccountData.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { Banks } from "../../src/bank/Banks.ts"
import type { ConnectionHealth } from "../../src/provider/ConnectionHealth.ts"
import * as Kernel from "../../src/Kernel.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import {
  Misconfigured,
  ProviderUnavailable,
  RateLimited,
  type ProviderError
} from "../../src/provider/ProviderError.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { ReadThrough } from "../../src/sync/ReadThrough.ts"
import { makeScriptedProvider, withSessions } from "@millrace/testing/fake"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const now = Date.parse("2026-11-21T09:30:00Z")

const layerOf = (driver: ProviderDriver) =>
  AccountData.layer.pipe(
    Layer.provide([ReadThrough.layer, Cursors.layer(Redacted.make("key"))]),
    Layer.provideMerge(Kernel.layerRun),
    Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
    Layer.provideMerge(MemoryStorage.layer)
  )

const reads = ["transactions", "balance", "trades", "holdings", "orders", "loan"] as const

const setup = () => {
  const provider = makeScriptedProvider({
    instance: "one",
    changeModel: "delta",
    scope: "connection",
    idTrust: "stable",
    pageSize: 10,
    overlapDays: 7,
    historyDays: 400,
    freshnessSeconds: 0
  })
  const upstream = provider.bank("ref", ["a", "b"])
  upstream.lacking.add("b")
  let trouble: ProviderError | undefined
  let health: ConnectionHealth = { status: "connected" }
  const driver = withSessions(provider.driver, () => ({
    inspect: Effect.suspend(() => (trouble === undefined ? Effect.succeed(health) : Effect.fail(trouble)))
  }))
  const connected = Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const workspace = yield* storeWorkspace({ plan: "enterprise", timezone: "UTC" })
    const bank = yield* makeBank(workspace, { providerInstanceId: driver.instanceId })
    yield* (yield* BankStore).insert(bank, { instanceId: driver.instanceId, connection: { ref: "ref", secrets: {} } })
    const [a, b] = (yield* (yield* Banks).refresh(bank, Effect.void, somebody)).listed!.accounts
    const data = yield* AccountData
    const caller = ownerOf(workspace)
    const list = (cached = false, account = a!) =>
      data.transactions(caller, { bankId: bank.id, accountId: account.id }, { filter: {}, cached })
    return { data, workspace, caller, bank, ref: { bankId: bank.id, accountId: a!.id }, other: b!, list }
  })
  /** It has every type of data. */
  const whole = (): ProviderDriver => {
    const { transactions } = driver.capabilities.dataTypes
    const types = ["transactions", "trades", "holdings", "orders", "loans"] as const
    const dataTypes = Object.fromEntries(types.map((type) => [type, transactions!]))
    return { ...driver, capabilities: { ...driver.capabilities, dataTypes } }
  }
  return {
    upstream,
    driver,
    whole,
    connected,
    fail: (error: ProviderError | undefined) => void (trouble = error),
    be: (status: ConnectionHealth["status"]) => void (health = { status })
  }
}

type World = ReturnType<typeof setup>

const scenario = (
  title: string,
  body: (world: World) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof layerOf>>>,
  driverOf: (world: World) => ProviderDriver = ({ driver }) => driver
) =>
  it.effect(title, () => {
    const world = setup()
    return body(world).pipe(Effect.provide(layerOf(driverOf(world))))
  })

const post = (world: World) =>
  world.upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1.5", description: "coffee" })

describe("AccountData", () => {
  scenario(
    "never shows a read that failed as an account without rows",
    (world) =>
      Effect.gen(function* () {
        const { caller, data, list, ref } = yield* world.connected
        post(world)
        // The second neither passes by itself nor can the person mend it.
        for (const error of [new ProviderUnavailable({ message: "down" }), new Misconfigured({ message: "no key" })]) {
          world.fail(error)
          for (const name of reads) {
            const read: Effect.Effect<unknown, unknown> = data[name](caller, ref, { filter: {} })
            const answer = yield* Effect.exit(read)
            // The account itself knows a balance, from when it was connected.
            expect([name, Exit.isSuccess(answer)]).toEqual([name, name === "balance"])
          }
        }
        expect(yield* Effect.flip(list())).toMatchObject({
          _tag: "LiveDataUnavailable",
          code: "PROVIDER_MISCONFIGURED"
        })
        expect(yield* data.balance(caller, ref, {})).toMatchObject({
          stale: true,
          problem: { code: "PROVIDER_MISCONFIGURED" }
        })
      }),
    (world) => world.whole()
  )

  scenario("answers what is stored when a read fails, and says why", (world) =>
    Effect.gen(function* () {
      const { list } = yield* world.connected
      post(world)
      const good = yield* list()
      expect([good.rows.length, good.stale, good.problem]).toEqual([1, false, undefined])
      world.fail(new ProviderUnavailable({ message: "down" }))
      yield* TestClock.adjust("1 minute")
      expect(yield* list()).toMatchObject({
        rows: good.rows,
        stale: true,
        asOf: good.asOf,
        problem: { code: "PROVIDER_UNAVAILABLE", retryAfter: 300 }
      })
    })
  )

  scenario("reads on from storage where a person must mend the connection, but shows nothing as of now", (world) =>
    Effect.gen(function* () {
      const { caller, data, list, ref } = yield* world.connected
      post(world)
      const { rows } = yield* list()
      world.be("reauth_required")
      for (let time = 0; time < 2; time++) {
        expect(yield* list()).toMatchObject({ rows, stale: true, problem: { code: "RECONNECT_REQUIRED" } })
        expect(yield* Effect.flip(data.balance(caller, ref, {}))).toMatchObject({ code: "RECONNECT_REQUIRED" })
      }
      expect(yield* data.balance(caller, ref, { cached: true })).toMatchObject({ stale: true, row: { amount: "0" } })
    })
  )

  scenario("asks for a reconnect where nothing is stored yet", (world) =>
    Effect.gen(function* () {
      const { list } = yield* world.connected
      world.be("reauth_required")
      expect(yield* Effect.flip(list())).toMatchObject({ code: "RECONNECT_REQUIRED" })
      // Who asks for what is stored is told that it is nothing, and why.
      expect(yield* list(true)).toMatchObject({ rows: [], stale: true, problem: { code: "RECONNECT_REQUIRED" } })
    })
  )

  scenario("shows an account that the bank no longer lists with its rows, and says that it is gone", (world) =>
    Effect.gen(function* () {
      const { list } = yield* world.connected
      post(world)
      yield* list()
      world.upstream.unlisted.add("a")
      expect(yield* list()).toMatchObject({ stale: true, problem: { code: "BANK_CONSENT_REQUIRED" } })
    })
  )

  scenario("never asks for an account that does not have the data, and asks once it has", (world) =>
    Effect.gen(function* () {
      const { list, other } = yield* world.connected
      post(world)
      expect((yield* list()).rows).toHaveLength(1)
      expect(yield* list(false, other)).toMatchObject({ rows: [], stale: false })
      world.upstream.post({ account: "b", date: CalendarDate.make("2026-11-19"), amount: "5", description: "gift" })
      world.upstream.lacking.clear()
      expect((yield* list(false, other)).rows).toHaveLength(1)
      // What an account no longer has is kept.
      world.upstream.lacking.add("b")
      expect((yield* list()).rows).toHaveLength(1)
      expect((yield* list(true, other)).rows).toHaveLength(1)
    })
  )

  scenario("never asks a provider for data that it does not have, so that its trouble is no answer", (world) =>
    Effect.gen(function* () {
      const { caller, data, list, ref } = yield* world.connected
      world.fail(new RateLimited({ message: "Slower", scope: "connection", retryAfter: 60 }))
      const loan = { _tag: "UnsupportedByProvider", what: "loans" }
      expect(yield* Effect.flip(data.loan(caller, ref, {}))).toMatchObject(loan)
      for (const read of [data.holdings, data.orders, data.trades]) {
        expect(yield* read(caller, ref, {})).toMatchObject({ stale: false, rows: { length: 0 } })
      }
      expect(yield* Effect.flip(list())).toMatchObject({ code: "PROVIDER_RATE_LIMITED" })
    })
  )

  scenario(
    "has no loan of an account without one, where the provider has loans",
    (world) =>
      Effect.gen(function* () {
        const { caller, data, ref } = yield* world.connected
        const absent = { _tag: "NotFound", resource: "Loan" }
        expect(yield* Effect.flip(data.loan(caller, ref, {}))).toMatchObject(absent)
      }),
    (world) => world.whole()
  )

  scenario("says of which time a list of accounts is, and why it is not of now", (world) =>
    Effect.gen(function* () {
      const { bank, caller, data } = yield* world.connected
      expect(yield* data.accounts(caller, bank.id)).toMatchObject({ asOf: "2026-11-21T09:30:00.000Z", stale: false })
      world.be("disconnected")
      yield* TestClock.adjust("1 minute")
      yield* (yield* Banks).refresh(bank, Effect.void, somebody)
      expect(yield* data.accounts(caller, bank.id)).toMatchObject({
        asOf: "2026-11-21T09:30:00.000Z",
        stale: true,
        problem: { code: "RECONNECT_REQUIRED" }
      })
    })
  )

  it.effect("has no balance of a file that states none", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace, { source: "file" })
      const account = yield* storeAccount(bank)
      const caller = ownerOf(workspace)
      const ref = { bankId: bank.id, accountId: account.id }
      expect(yield* Effect.flip((yield* AccountData).balance(caller, ref, {}))).toMatchObject({
        _tag: "NotFound",
        resource: "Balance"
      })
    }).pipe(Effect.provide(layerOf(setup().driver)))
  )

  scenario("lists all that an account has, however many pages of storage that is", (world) =>
    Effect.gen(function* () {
      const { caller, data, ref, workspace } = yield* world.connected
      const records = yield* RecordStore
      const scope = { workspaceId: workspace.id, accountId: ref.accountId, dataType: "orders" } as const
      const expected: Array<string> = []
      for (const more of [1, 499, 1, 499]) {
        const writes = yield* makeWrites(more, "orders")
        yield* records.write(scope, writes)
        expected.push(...writes.map(({ id }) => id))
        const { rows } = yield* data.orders(caller, ref, { cached: true })
        expect(rows.length).toBe(expected.length)
        expect(rows.map(({ id }) => String(id)).toSorted()).toEqual(expected.toSorted())
      }
    })
  )

  scenario("lists what is worth most first, and of equal worth by ticker", (world) =>
    Effect.gen(function* () {
      const { caller, data, ref, workspace } = yield* world.connected
      const scope = { workspaceId: workspace.id, accountId: ref.accountId, dataType: "holdings" } as const
      const writes = yield* makeWrites(5, "holdings")
      const worth: ReadonlyArray<Fields> = [
        { currentValue: "9", ticker: "B" },
        { currentValue: "10.5", ticker: "Z" },
        { currentValue: "9", ticker: "A" },
        { currentValue: "-3", ticker: "C" },
        { currentValue: "9" }
      ]
      yield* (yield* RecordStore).write(
        scope,
        writes.map((write, n) => ({ ...write, fields: worth[n]! }))
      )
      const { rows } = yield* data.holdings(caller, ref, { cached: true })
      expect(rows.map(({ currentValue, ticker }) => [currentValue, ticker])).toEqual([
        ["10.5", "Z"],
        ["9", undefined],
        ["9", "A"],
        ["9", "B"],
        ["-3", "C"]
      ])
    })
  )

  it.effect("reads trades of the days that are asked for, however few a sync has read", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const caller = ownerOf(yield* storeWorkspace({ plan: "enterprise", timezone: "UTC" }))
      const { accounts, bank } = yield* (yield* Banks).connect(caller, {
        instanceId: "demo:default",
        attemptId: "cat_1",
        payload: { kind: "provider_connection_id", connectionId: "one", institutionId: "demo-broker" }
      })
      const account = accounts.find(({ supports }) => supports.includes("trades"))!
      const data = yield* AccountData
      const ref = { bankId: bank.id, accountId: account.id }
      const recent = yield* data.trades(caller, ref, {})
      const all = yield* data.trades(caller, ref, { from: CalendarDate.make("2025-01-01") })
      const dates = all.rows.map(({ date }) => String(date))
      expect(recent.window.from).toBe("2026-08-23")
      expect(all.rows.length).toBeGreaterThan(recent.rows.length)
      expect(dates.at(-1)! < "2025-06-01").toBe(true)
    }).pipe(Effect.provide(layerOf(DemoProvider.make({}))))
  )
})
