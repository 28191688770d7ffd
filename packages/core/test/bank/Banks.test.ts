import { describe, expect, it } from "@effect/vitest"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import * as Kernel from "../../src/Kernel.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { InstitutionUnavailable } from "../../src/provider/ProviderError.ts"
import { makeBank, somebody, storeWorkspace } from "@millrace/testing/fixture"
import { makeScriptedProvider, withSessions } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** A bank of two accounts, as it was connected. */
const arrange = Effect.gen(function* () {
  const { bank: upstreamOf, driver } = makeScriptedProvider({
    instance: "banks",
    changeModel: "snapshotFull",
    scope: "account",
    idTrust: "stable",
    pageSize: 10,
    overlapDays: 0,
    historyDays: 90
  })
  const trouble: { listing?: InstitutionUnavailable } = {}
  const provider = withSessions(driver, ({ listAccounts }) => ({
    listAccounts: Effect.suspend(() => (trouble.listing === undefined ? listAccounts : Effect.fail(trouble.listing)))
  }))
  const services = yield* Layer.build(
    Kernel.layerRun.pipe(
      Layer.provideMerge(Adapters.layer({ providers: [provider], folder: undefined })),
      Layer.provideMerge(MemoryStorage.layer)
    )
  )
  return yield* Effect.gen(function* () {
    const [banks, store] = [yield* Banks, yield* BankStore]
    const workspace = yield* storeWorkspace()
    const bank = yield* makeBank(workspace, { providerInstanceId: driver.instanceId })
    yield* store.insert(bank, { instanceId: driver.instanceId, connection: { ref: "r", secrets: {} } })
    const upstream = upstreamOf("r", ["a", "b"])
    const kept = Effect.map(store.get(workspace.id, bank.id), (found) => Option.getOrThrow(found).connectionStatus)
    const states = Effect.map(store.accounts(bank.id), (accounts) =>
      Object.fromEntries(accounts.map(({ providerAccountId, state }) => [providerAccountId, state]))
    )
    const refresh = banks.refresh(bank, Effect.void, somebody)
    const log = yield* EventStore
    let read = 0
    /** What was told since the last time. */
    const told = Effect.map(
      Effect.suspend(() => log.read(workspace.id, read, 100)),
      (events) => {
        read += events.length
        return events
      }
    )
    return { banks, bank, upstream, trouble, kept, states, refresh, told }
  }).pipe(Effect.provide(services))
})

describe("a look at a bank", () => {
  it.effect("keeps how the connection is, and which accounts it has", () =>
    Effect.gen(function* () {
      const { kept, refresh, states, upstream } = yield* arrange
      expect((yield* refresh).listed).toMatchObject({ agrees: false })
      expect(yield* kept).toMatchObject({ connected: true, status: "connected" })
      expect(yield* states).toEqual({ a: "open", b: "open" })
      expect((yield* refresh).listed).toMatchObject({ agrees: true })
      upstream.unlisted.add("b")
      expect((yield* refresh).listed).toMatchObject({ agrees: false })
      expect(yield* states).toEqual({ a: "open", b: "missing" })
    })
  )

  it.effect("asks for no accounts where the connection is of no use", () =>
    Effect.gen(function* () {
      const { kept, refresh, states, trouble, upstream } = yield* arrange
      upstream.health = { status: "reauth_required" }
      trouble.listing = new InstitutionUnavailable({ message: "never asked" })
      expect(yield* refresh).toMatchObject({ status: { connected: false }, listed: undefined })
      expect(yield* kept).toMatchObject({ connected: false, status: "reauth_required" })
      expect(yield* states).toEqual({})
    })
  )

  it.effect("keeps how the connection is even where the accounts cannot be read", () =>
    Effect.gen(function* () {
      const { kept, refresh, trouble, upstream } = yield* arrange
      upstream.health = { status: "degraded" }
      trouble.listing = new InstitutionUnavailable({ message: "closed" })
      expect(yield* Effect.flip(refresh)).toMatchObject({ _tag: "InstitutionUnavailable" })
      expect(yield* kept).toMatchObject({ connected: true, status: "degraded" })
    })
  )

  it.effect("tells what has changed since the last look, and nothing where nothing has", () =>
    Effect.gen(function* () {
      const { bank, refresh, told, upstream } = yield* arrange
      const short = Effect.map(told, (events) =>
        events.map(({ cause, data, type }) => {
          expect(cause).toEqual(somebody)
          const { from, reason, to } = data as { from?: string; to?: string; reason?: string }
          return [type, reason ?? (from === undefined ? "" : `${from} ${to}`)].join(" ").trim()
        })
      )
      yield* refresh
      expect(yield* short).toEqual([
        ...(bank.connectionStatus?.status === "connected"
          ? []
          : [`connection.status.changed ${bank.connectionStatus?.status} connected`]),
        "account.added",
        "account.added"
      ])
      yield* refresh
      expect(yield* short).toEqual([])
      upstream.unlisted.add("b")
      yield* refresh
      expect(yield* short).toEqual(["account.missing"])
      upstream.unlisted.delete("b")
      upstream.health = { status: "degraded" }
      yield* refresh
      expect(yield* short).toEqual(["connection.status.changed connected degraded", "account.returned"])
      upstream.health = { status: "reauth_required" }
      yield* refresh
      yield* refresh
      expect(yield* short).toEqual([
        "connection.status.changed degraded reauth_required",
        "connection.requires.attention reauth"
      ])
    })
  )

  it.effect("writes nothing for whom the guard stops", () =>
    Effect.gen(function* () {
      const { bank, banks, kept, states, told, upstream } = yield* arrange
      upstream.health = { status: "degraded" }
      expect(yield* Effect.flip(banks.refresh(bank, Effect.fail("stopped"), somebody))).toBe("stopped")
      expect(yield* kept).toEqual(bank.connectionStatus)
      expect(yield* told).toEqual([])
      expect(yield* states).toEqual({})
    })
  )
})
