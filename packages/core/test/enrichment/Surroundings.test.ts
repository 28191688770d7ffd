/** What plans depend on that is in no record: rates, business days, configurations of the past. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import {
  makeEnrichment,
  makeWrite,
  ownerOf,
  scopeOf,
  storeAccount,
  storeBank,
  storeFeed,
  storeWorkspace
} from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { BankStore } from "../../src/bank/BankStore.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Analysis } from "../../src/enrichment/Analysis.ts"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { Enrichments } from "../../src/enrichment/Enrichments.ts"
import { FeedPipelines } from "../../src/enrichment/FeedPipelines.ts"
import { type AnyKind, Kinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { Rates } from "../../src/enrichment/kinds/Rates.ts"
import type { PlanInput } from "../../src/enrichment/kinds/SetKind.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { limits } from "../../src/shared/Limits.ts"
import { noRates } from "../../src/shared/RateTable.ts"
import { Tasks } from "../../src/task/Tasks.ts"
import { monthSum } from "./MonthSum.ts"

const today = CalendarDate.make("2026-03-20")

const config = (limit: string) => ({ limit, field: "amount" })

const layerOf = (kind: AnyKind, rates = { version: "none" }) =>
  Layer.mergeAll(Analysis.layer, Enrichments.layer).pipe(
    Layer.provide(Cursors.layer(Redacted.make("a secret that only this test has"))),
    Layer.provideMerge(FeedPipelines.layer),
    Layer.provideMerge(Tasks.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        MemoryStorage.layer,
        NodeDigest.layer,
        Ids.layer,
        Layer.succeed(Kinds, kindsOf([kind])),
        Layer.succeed(Rates, { read: Effect.sync(() => ({ ...noRates, version: rates.version })) })
      )
    )
  )

const opened = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const bank = yield* storeBank(workspace)
  const account = yield* storeAccount(bank)
  const sourceConfig = { type: "sync" as const, accounts: [{ bankId: bank.id, accountId: account.id }] }
  yield* storeFeed(workspace, { sourceConfig })
  const records = yield* RecordStore
  const analysis = yield* Analysis
  const store = yield* EnrichmentStore
  const run = Effect.fnUntraced(function* (enrichments?: Parameters<typeof analysis.run>[0]["enrichments"]) {
    const cause = { kind: "system", reason: "test" } as const
    const of = { workspace, dataType: "transactions", accounts: [{ bank, account }], today, cause } as const
    const all = enrichments ?? (yield* store.list([workspace.id]))
    expect(yield* analysis.run({ ...of, enrichments: all, guard: Effect.void })).toEqual([])
  })
  const write = Effect.fnUntraced(function* (amount: string) {
    const date = "2026-03-01"
    const made = yield* makeWrite({ date: CalendarDate.make(date) })
    const fields = { description: "SHOP", date, amount }
    const one = { ...made, hash: `${made.id} ${amount}`, fields }
    yield* records.write(scopeOf(account), [one])
    return one
  })
  const told = Effect.flatMap(EventStore, (events) => events.read(workspace.id, 0, 100)).pipe(
    Effect.map((events) => events.map(({ type }) => type))
  )
  return { account, records, workspace, run, told, write }
})

/** With what every plan was given, and rates that a test sets. */
const arrange = () => {
  const inputs: Array<Pick<PlanInput<unknown, unknown>, "rates" | "revision" | "past">> = []
  const rates = { version: "one" }
  const kind = {
    ...monthSum,
    watches: ["rates" as const],
    remembers: ({ limit }: { readonly limit: string }) => limit,
    plan: (input: Parameters<typeof monthSum.plan>[0]) => {
      inputs.push({ rates: input.rates, revision: input.revision, past: input.past })
      return monthSum.plan(input)
    }
  }
  const services = layerOf(kind, rates)
  const given = Effect.map(opened, (one) => ({
    ...one,
    run: (enrichments?: Parameters<typeof one.run>[0]) => Effect.map(one.run(enrichments), () => inputs.splice(0))
  }))
  return { rates, services, given }
}

describe("rates that change", () => {
  it.effect("have those planned again that watch them: state stays, and what happens meanwhile is told", () => {
    const { given, rates, services } = arrange()
    return Effect.gen(function* () {
      const { run, told, workspace, write } = yield* given
      const sum = yield* makeEnrichment(workspace, { type: "month_sum", config: config("50") })
      yield* write("10")
      expect((yield* run([sum])).map((input) => input.rates.version)).toEqual(["one"])
      expect(yield* run([sum])).toEqual([])
      rates.version = "two"
      expect((yield* run([sum])).map((input) => input.rates.version)).toEqual(["two"])
      expect(yield* run([sum])).toEqual([])
      yield* write("45")
      rates.version = "three"
      yield* run([sum])
      expect(yield* told).toContain("month.over")
    }).pipe(Effect.provide(services))
  })
})

describe("configurations that were replaced", () => {
  it.effect("are remembered with the day until which they held, in the zone of the workspace", () => {
    const { given, services } = arrange()
    return Effect.gen(function* () {
      const { run, workspace, write } = yield* given
      const enrichments = yield* Enrichments
      const caller = ownerOf(workspace)
      const request = { name: "Months", type: "month_sum", dataType: "transactions", allFeeds: true } as const
      const { id } = (yield* enrichments.create(caller, { ...request, config: config("50") })).enrichment
      yield* write("10")
      expect(yield* run()).toMatchObject([{ revision: 1, past: [] }])
      yield* TestClock.setTime(Date.UTC(2026, 2, 5, 12))
      yield* enrichments.update(caller, id, { config: config("60") })
      yield* enrichments.update(caller, id, { order: 7, name: "By month" })
      expect(yield* run()).toMatchObject([{ revision: 3, past: [{ until: "2026-03-05", remembered: "50" }] }])
      for (let n = 1; n <= limits.enrichmentPast; n++) yield* enrichments.update(caller, id, { config: config(`${n}`) })
      const [input] = yield* run()
      // The first one is never forgotten.
      expect(input!.past.map(({ remembered }) => remembered)).toEqual([
        "50",
        ...Array.from({ length: limits.enrichmentPast - 1 }, (_, n) => `${n + 1}`)
      ])
    }).pipe(Effect.provide(services))
  })
})

describe("the status of accounts", () => {
  it.effect("has the pulse of a kind planned where it changed, and nothing where it did not", () => {
    const keys: Array<ReadonlyArray<string>> = []
    const balances: Array<string | undefined> = []
    const services = layerOf({
      ...monthSum,
      pulse: "accounts",
      removed: true,
      plan: Effect.fnUntraced(function* (input: Parameters<typeof monthSum.plan>[0]) {
        keys.push(input.dirty)
        balances.push(...Array.from(input.accounts.values(), ({ status }) => status?.balance))
        const known = yield* input.read(input.dirty)
        const state = { sum: "0", over: false }
        return {
          next: new Map(
            input.dirty.map((key) => [
              key,
              {
                state: {
                  ...state,
                  sum: known
                    .get(key)!
                    .records.map(({ fields }) => `${fields["removed"]}`)
                    .join()
                },
                claims: [],
                links: [],
                events: []
              }
            ])
          )
        }
      })
    })
    return Effect.gen(function* () {
      const { account, records, run, workspace, write } = yield* opened
      const sum = yield* makeEnrichment(workspace, { type: "month_sum", config: config("50") })
      const one = yield* write("10")
      yield* run([sum])
      yield* run([sum])
      expect(keys).toEqual([["2026-03", "accounts"].toSorted()])
      yield* Effect.flatMap(BankStore, (banks) => banks.putAccounts([{ ...account, balance: Decimal.make("12.5") }]))
      yield* run([sum])
      expect([keys[1], balances[1]]).toEqual([["accounts"], "12.5"])
      yield* records.write(scopeOf(account), [{ ...one, state: "removed" }])
      yield* run([sum])
      const analysis = yield* AnalysisStore
      const scope = { workspaceId: workspace.id, dataType: "transactions" } as const
      expect(yield* analysis.partitions(scope, sum.id, ["2026-03"])).toMatchObject([{ state: { sum: "true" } }])
    }).pipe(Effect.provide(services))
  })
})
