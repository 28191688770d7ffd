/** Sessions: what is asked once, what is remembered, and what each page says. */
import { expect } from "@effect/vitest"
import { CalendarDate } from "@millrace/core"
import type { ConnectionHealth, PartCoverage, SyncPage } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { Seeded } from "../model/Seeded.ts"
import { move } from "../upstream/LedgerMoves.ts"
import { refusal } from "./Refusal.ts"
import { asksNothing, type UpstreamCase } from "./UpstreamCase.ts"
import { arrange, connected, expectNoSecrets, lookAround, openSession, pulls } from "./UpstreamUnderTest.ts"

const partsOf = ({ coverage }: SyncPage): ReadonlyArray<PartCoverage> => ("kind" in coverage ? [coverage] : coverage)

export const sessionCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "says of itself what is true: history, pending rows, refresh, data types",
    run: Effect.fnUntraced(function* (options) {
      const { driver } = yield* connected(options)
      const { dataTypes, history, refresh } = driver.capabilities
      expect(history.defaultDays).toBeGreaterThanOrEqual(1)
      expect(history.maxDays).toBeGreaterThanOrEqual(history.defaultDays)
      for (const capability of Object.values(dataTypes)) {
        expect(capability.overlapDays).toBeLessThanOrEqual(Math.max(capability.historyDays, 0))
      }
      for (const dataType of refresh?.dataTypes ?? []) {
        expect(dataType === "balances" || dataTypes[dataType] !== undefined).toBe(true)
      }
      for (const dataType of options.dataTypes) expect(dataTypes[dataType]).toBeDefined()
    })
  },
  {
    title: "finds institutions by a part of their name, and none by what nobody is called",
    run: Effect.fnUntraced(function* (options) {
      const { driver, fake } = yield* arrange(options)
      const query = { countryCodes: [], limit: 50 }
      const found = yield* driver.listInstitutions({ ...query, text: fake.institutions[0]!.name.slice(0, 5) })
      expect(found.length).toBeLessThanOrEqual(1_000)
      for (const { id, name, status } of found) {
        expect([id.trim(), name.trim()]).not.toContain("")
        expect(["ok", "degraded", "down"]).toContain(status)
      }
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
      for (const text of ["", "%", "'\"<>&\\", "\u0000", "名前", "x".repeat(200)]) {
        const exit = yield* Effect.exit(driver.listInstitutions({ ...query, text }))
        if (Exit.isFailure(exit)) yield* refusal(Effect.failCause(exit.cause))
      }
    })
  },
  {
    title: "opens a connection without asking anything that a run may not need",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const before = world.fake.server.requests.length
      yield* openSession(world)
      expect(world.fake.server.requests.length - before).toBeLessThanOrEqual(1)
    })
  },
  {
    title: "tells when its upstream last read from the bank, never later than now",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const health: ConnectionHealth = yield* Effect.flatMap(openSession(world), ({ inspect }) => inspect)
      const now = new Date(yield* Effect.clockWith((clock) => clock.currentTimeMillis)).toISOString()
      if (health.lastUpstreamUpdateAt !== undefined) expect(health.lastUpstreamUpdateAt <= now).toBe(true)
      if (health.consentExpiresAt !== undefined) expect(health.consentExpiresAt > now).toBe(true)
    })
  },
  {
    title: "says of every page what it covers, of accounts that were asked for alone",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const session = yield* openSession(world)
      for (const request of yield* pulls(world, session)) {
        const page = yield* session.pull(request)
        const parts = partsOf(page)
        if (page.end.kind === "more") {
          // Nothing is complete while there is more of it.
          for (const part of parts) {
            if (part.kind !== "delta" && part.providerAccountIds === undefined) expect(part.complete).toBe(false)
          }
        }
        for (const { providerAccountIds = [] } of parts) {
          for (const id of providerAccountIds) expect(request.providerAccountIds).toContain(id)
        }
        for (const { providerAccountIds } of page.troubles ?? []) {
          const covered = parts.flatMap((part) => part.providerAccountIds ?? request.providerAccountIds)
          for (const id of providerAccountIds) expect(covered).not.toContain(id)
        }
      }
    })
  },
  {
    title: "asks for accounts that have a data type, and answers Unsupported for what nobody has",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const session = yield* openSession(world)
      const accounts = yield* session.listAccounts
      for (const account of accounts) {
        expect(account.supports).toContain("balances")
        for (const dataType of account.supports) {
          expect(dataType === "balances" || world.driver.capabilities.dataTypes[dataType] !== undefined).toBe(true)
        }
      }
      for (const dataType of ["trades", "holdings", "loans", "orders"] as const) {
        if (world.driver.capabilities.dataTypes[dataType] !== undefined) continue
        const error = yield* refusal(
          session.pull({
            dataType,
            providerAccountIds: accounts.map(({ providerAccountId }) => providerAccountId),
            from: CalendarDate.make("2026-01-01"),
            to: CalendarDate.make("2026-11-21")
          })
        )
        expect(error._tag).toBe("Unsupported")
      }
    })
  },
  {
    title: "loses its place with an error that says so, and reads everything again then",
    lacks: ({ fake }) => (fake.loseCheckpoints === undefined ? "its upstream has no checkpoints" : undefined),
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const first = yield* openSession(world)
      const request = (yield* pulls(world, first)).find(
        ({ dataType }) => world.driver.capabilities.dataTypes[dataType]!.changeModel === "delta"
      )
      if (request === undefined) return expect.fail("an upstream with checkpoints has a change feed")
      let page = yield* first.pull(request)
      while (page.end.kind === "more") page = yield* first.pull({ ...request, position: page.end.position })
      const { checkpoint } = page.end
      if (checkpoint === undefined) return expect.fail("a change feed ends with a checkpoint")
      world.fake.loseCheckpoints!(world.connection().ref)
      const again = yield* openSession(world)
      expect((yield* refusal(again.pull({ ...request, checkpoint })))._tag).toBe("CheckpointInvalid")
      yield* again.pull(request)
    })
  },
  {
    title: "says while first data are collected that they are not ready, and is no empty account",
    lacks: ({ fake }) => (fake.collecting === undefined ? "its upstream has no such state" : undefined),
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { ref } = world.connection()
      const requests = yield* pulls(world, yield* openSession(world))
      world.fake.collecting!(ref, true)
      const session = yield* openSession(world)
      const health = yield* session.inspect
      const read = yield* Effect.exit(Effect.forEach(requests, (request) => session.pull(request)))
      const isTold =
        health.status !== "connected" ||
        (Exit.isFailure(read) && (yield* refusal(Effect.failCause(read.cause)))._tag === "NotReady") ||
        // What there is so far may be shown, as long as it does not pass for all there is.
        (Exit.isSuccess(read) &&
          read.value.every((page) => partsOf(page).every((part) => part.kind === "delta" || !part.complete)))
      expect(isTold).toBe(true)
      world.fake.collecting!(ref, false)
      yield* lookAround(world)
    })
  },
  {
    title: "asks its upstream to read from the bank now, where it says that it can",
    lacks: ({ capabilities }) => (capabilities.refresh === undefined ? "its upstream cannot be asked to" : undefined),
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const session = yield* openSession(world)
      const { refresh } = session
      if (refresh === undefined) return expect.fail("the capabilities say that it can")
      const { nextRefreshPossibleAt, status } = yield* refresh(world.driver.capabilities.refresh!.dataTypes)
      expect(["refreshing", "not_supported"]).toContain(status)
      if (nextRefreshPossibleAt !== undefined) expect(Date.parse(nextRefreshPossibleAt)).not.toBeNaN()
      expectNoSecrets(world)
    })
  },
  {
    title: "reads the same twice, and what moved in between alone is another",
    lacks: asksNothing,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const read = Effect.gen(function* () {
        const session = yield* openSession(world)
        const rows: Array<string> = []
        for (const request of yield* pulls(world, session)) {
          let position: string | undefined
          do {
            const page = yield* session.pull(position === undefined ? request : { ...request, position })
            rows.push(...page.upserted.map((row) => JSON.stringify([request.dataType, row])))
            position = page.end.kind === "more" ? page.end.position : undefined
          } while (position !== undefined)
        }
        return rows.toSorted()
      })
      const first = yield* read
      expect(first.length).toBeGreaterThan(0)
      expect(yield* read).toEqual(first)
      if (!options.dataTypes.includes("transactions")) return
      const { ledger } = world.upstream
      const account = ledger.listed.find(({ supports }) => supports.includes("transactions"))
      if (account === undefined) return expect.fail("an account has transactions")
      yield* TestClock.adjust("1 hour")
      move(ledger, new Seeded(7), { account: account.key, kinds: [["posted", 1]] })
      yield* TestClock.adjust("1 hour")
      const later = yield* read
      expect(later).not.toEqual(first)
    })
  }
]
