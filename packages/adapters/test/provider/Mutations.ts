/** Answers that were changed at random: what a driver makes of them is an error that has a name, or records that can be kept. */
import { expect } from "@effect/vitest"
import { CalendarDate, Decimal } from "@millrace/core"
import { type CompletedConnection, isUsable, type ProviderDriver, type PullRequest } from "@millrace/core/provider"
import type { FakeUpstream } from "@millrace/testing/upstream"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Kept, open } from "./OnFake.ts"

const types = ["transactions", "trades", "holdings", "loans"] as const

/** The whole of what a run asks for. */
const read = Effect.fnUntraced(function* (driver: ProviderDriver, completed: CompletedConnection, kept: Kept) {
  const session = yield* open(driver, completed, kept)
  const health = yield* session.inspect
  if (!isUsable(health.status)) return []
  const accounts = yield* session.listAccounts
  const records = []
  for (const dataType of types) {
    const ids = accounts.flatMap(({ providerAccountId, supports }) =>
      supports.includes(dataType) ? [providerAccountId] : []
    )
    if (ids.length === 0 || driver.capabilities.dataTypes[dataType] === undefined) continue
    const from = CalendarDate.make("2025-12-01")
    const request: PullRequest = { dataType, providerAccountIds: ids, from, to: CalendarDate.make("2026-11-21") }
    for (let [pages, place] = [0, {} as Pick<PullRequest, "position">]; ; pages++) {
      expect(pages, "the pages do not end").toBeLessThan(200)
      const page = yield* session.pull({ ...request, ...place })
      records.push(...page.upserted)
      if (page.end.kind === "done") break
      place = { position: page.end.position }
    }
  }
  return records
})

/** Reads as often as there are seeds, each time with one answer that was changed. */
export const survivesMutations = Effect.fnUntraced(function* (
  driver: ProviderDriver,
  fake: FakeUpstream,
  completed: CompletedConnection,
  kept: Kept,
  seeds: number
) {
  const errors = new Map<string, number>()
  for (let seed = 1; seed <= seeds; seed++) {
    fake.server.calm()
    let left = seed % 6
    fake.server.plan({ incident: { kind: "mutated", seed }, only: () => left-- === 0 })
    const exit = yield* Effect.exit(read(driver, completed, kept))
    if (Exit.isSuccess(exit)) {
      for (const { fields, providerId } of exit.value) {
        expect(providerId.trim(), `seed ${seed}`).not.toBe("")
        for (const key of ["amount", "quantity", "price", "principalBalance"]) {
          expect(fields[key] === undefined || Decimal.is(fields[key]), `seed ${seed}: ${key}`).toBe(true)
        }
        expect(fields["date"] === undefined || CalendarDate.is(fields["date"]), `seed ${seed}: date`).toBe(true)
      }
      continue
    }
    const failed = exit.cause.reasons.find(Cause.isFailReason)
    if (failed === undefined) expect.fail(`seed ${seed}: ${Cause.pretty(exit.cause)}`)
    const { _tag, message } = failed!.error
    errors.set(_tag, (errors.get(_tag) ?? 0) + 1)
    for (const secret of fake.secrets) expect(message).not.toContain(secret)
  }
  return errors
})
