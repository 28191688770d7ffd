/** Rows that cannot be read: each is set aside by itself, and the others count. */
import { expect } from "@effect/vitest"
import type { ObservedRecord } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { keyOf, type Run, runIn } from "./ProviderRun.ts"
import { asksNothing, type UpstreamCase } from "./UpstreamCase.ts"
import { stored } from "./UpstreamKernel.ts"
import { connected, expectNoSecrets, openSession, type PulledType, pulls } from "./UpstreamUnderTest.ts"

/** One in the middle that nothing else of the read points to, and that is not what an account is. */
const oneOf = (rows: ReadonlyArray<ObservedRecord>, accounts: ReadonlyArray<string>): ObservedRecord | undefined => {
  const pointedTo = new Set([...accounts, ...rows.flatMap((row) => row.pendingProviderId ?? [])])
  const fit = rows.filter(({ pendingProviderId, providerId }) => {
    return providerId !== "" && pendingProviderId === undefined && !pointedTo.has(providerId)
  })
  return rows.length < 2 ? undefined : fit[Math.floor(fit.length / 2)]
}

/** It is known by its id; or else the page shows all but something that nobody knows, so that no row counts as gone. */
const isHarmless = (row: ObservedRecord, { coverages, quarantined }: Run): boolean =>
  quarantined.every(
    ({ providerId }) =>
      providerId === row.providerId ||
      (providerId === "" && coverages.every((coverage) => coverage.kind === "delta" || !coverage.complete))
  )

const money = ({ fields: { amount, currency, date } }: ObservedRecord) => ({ amount, currency, date })

export const rowCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "sets a row that cannot be read aside with its id and the reason, and reads all others",
    lacks: asksNothing,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { server } = world.fake
      const tried = new Set<PulledType>()
      const accounts = yield* (yield* openSession(world)).listAccounts
      const kept = accounts.map(({ providerAccountId }) => providerAccountId)
      for (const request of yield* pulls(world, yield* openSession(world))) {
        const whole = yield* runIn(openSession(world), request)
        const row = oneOf(whole.upserted, kept)
        if (row === undefined) continue
        server.plan({ incident: { kind: "unreadableRow", id: row.providerId, kept }, times: 10_000 })
        const rest = yield* runIn(openSession(world), request)
        server.calm()
        // Ids that are made of several things are in no answer.
        if (rest.upserted.length === whole.upserted.length && rest.quarantined.length === 0) continue
        tried.add(request.dataType)
        const others = whole.upserted.filter((one) => keyOf(one) !== keyOf(row))
        expect([request.dataType, rest.upserted]).toEqual([request.dataType, others])
        // A row on two pages is reported twice.
        const told = new Set(rest.quarantined.map(({ providerId }) => providerId))
        expect([request.dataType, told.size, isHarmless(row, rest)]).toEqual([request.dataType, 1, true])
        for (const { reason } of rest.quarantined) expect(reason.trim()).not.toBe("")
        expect(rest.coverages.map(({ kind }) => kind)).toEqual(whole.coverages.map(({ kind }) => kind))
      }
      // Most have the id of a transaction in the answer that shows it.
      if (options.dataTypes.includes("transactions")) expect([...tried]).toContain("transactions")
      else expect(tried.size, "no answer has the id of a row").toBeGreaterThan(0)
      expectNoSecrets(world)
    })
  },
  {
    title: "keeps a row whose texts are missing, empty or of another form: it needs an amount and a day",
    lacks: (facts) =>
      asksNothing(facts) ??
      (facts.capabilities.dataTypes.transactions === undefined ? "it has no transactions" : undefined),
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { server } = world.fake
      const accounts = (yield* (yield* openSession(world)).listAccounts).map(
        ({ providerAccountId }) => providerAccountId
      )
      const requests = (yield* pulls(world, yield* openSession(world))).filter(
        ({ dataType }) => dataType === "transactions"
      )
      let tried = 0
      for (const request of requests) {
        const whole = yield* runIn(openSession(world), request)
        const row = oneOf(whole.upserted, accounts)
        if (row === undefined) continue
        const texts = new Set(
          ["description", "originalDescription", "merchantName"].map((key) => String(row.fields[key] ?? "").trim())
        )
        const members = new Set<string>()
        const note = (shown: Readonly<Record<string, unknown>>) => {
          for (const [key, value] of Object.entries(shown)) {
            if (typeof value === "string" && value.trim() !== "" && texts.has(value.trim())) members.add(key)
          }
          return shown
        }
        const struck = (change: typeof note) =>
          Effect.suspend(() => {
            server.plan({ incident: { kind: "row", id: row.providerId, change }, times: 10_000 })
            return Effect.ensuring(
              runIn(openSession(world), request),
              Effect.sync(() => server.calm())
            )
          })
        yield* struck(note)
        for (const value of [undefined, null, "", " ", 7, { odd: true }, ["odd"]]) {
          const odd = Object.fromEntries(Array.from(members, (key) => [key, value]))
          const read = yield* struck((shown) =>
            Object.fromEntries(
              Object.entries({ ...shown, ...odd }).filter(([key, one]) => !(members.has(key) && one === undefined))
            )
          )
          const kept = read.upserted.find(({ providerId }) => providerId === row.providerId)
          expect([value, read.quarantined, kept === undefined ? undefined : money(kept)]).toEqual([
            value,
            [],
            money(row)
          ])
          tried += members.size
        }
      }
      expect(tried, "no answer has the texts of a row").toBeGreaterThan(0)
    })
  },
  {
    title: "a sync stores all rows but the one that cannot be read, and its job tells that one",
    lacks: (facts) =>
      asksNothing(facts) ??
      (facts.capabilities.dataTypes.transactions === undefined ? "it has no transactions" : undefined),
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { server } = world.fake
      const accounts = yield* (yield* openSession(world)).listAccounts
      const kept = accounts.map(({ providerAccountId }) => providerAccountId)
      const requests = (yield* pulls(world, yield* openSession(world))).filter(
        ({ dataType }) => dataType === "transactions"
      )
      const shown = (yield* Effect.forEach(requests, (request) => runIn(openSession(world), request))).flatMap(
        ({ upserted }) => upserted
      )
      const row = oneOf(shown, kept) ?? expect.fail("nobody has two transactions")
      const reader = yield* stored(world)
      server.plan({ incident: { kind: "unreadableRow", id: row.providerId, kept }, times: 100_000 })
      expect(yield* reader.sync).toEqual([])
      server.calm()
      expect([...new Set(reader.setAside)]).toEqual([row.providerId])
      const held = yield* Effect.forEach(yield* reader.accounts, ({ id }) => reader.page(id, "transactions"))
      expect(
        held
          .flat()
          .map(({ providerId }) => providerId)
          .toSorted()
      ).toEqual(shown.flatMap(({ providerId }) => (providerId === row.providerId ? [] : [providerId])).toSorted())
    })
  }
]
