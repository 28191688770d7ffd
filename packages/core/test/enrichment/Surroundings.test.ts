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
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Analysis } from "../../src/enrichment/Analysis.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { Enrichments } from "../../src/enrichment/Enrichments.ts"
import { FeedPipelines } from "../../src/enrichment/FeedPipelines.ts"
import { Kinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { Rates } from "../../src/enrichment/kinds/Rates.ts"
import type { PlanInput } from "../../src/enrichment/kinds/SetKind.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { limits } from "../../src/shared/Limits.ts"
import { noRates } from "../../src/shared/RateTable.ts"
import { Tasks } from "../../src/task/Tasks.ts"
import { monthSum } from "./MonthSum.ts"

const today = CalendarDate.make("2026-03-20")

const config = (limit: string) => ({ limit, field: "amount" })

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
  const services = Layer.mergeAll(Analysis.layer, Enrichments.layer).pipe(
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
      return inputs.splice(0)
    })
    const write = Effect.fnUntraced(function* (amount: string) {
      const date = "2026-03-01"
      const made = yield* makeWrite({ date: CalendarDate.make(date) })
      const fields = { description: "SHOP", date, amount }
      yield* records.write(scopeOf(account), [{ ...made, hash: `${made.id} ${amount}`, fields }])
    })
    const told = Effect.flatMap(EventStore, (events) => events.read(workspace.id, 0, 100)).pipe(
      Effect.map((events) => events.map(({ type }) => type))
    )
    return { workspace, run, told, write }
  })
  return { rates, services, opened }
}

describe("rates that change", () => {
  it.effect("have those planned again that watch them: state stays, and what happens meanwhile is told", () => {
    const { opened, rates, services } = arrange()
    return Effect.gen(function* () {
      const { run, told, workspace, write } = yield* opened
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
    const { opened, services } = arrange()
    return Effect.gen(function* () {
      const { run, workspace, write } = yield* opened
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
