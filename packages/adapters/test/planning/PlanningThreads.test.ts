import { describe, expect, it } from "@effect/vitest"
import {
  type SetKind,
  SetPlanner,
  type SetPlanRequest,
  bundledKinds,
  planHere,
  tooMuchWork
} from "@millrace/core/enrichment"
import { catalogOf } from "@millrace/core/record"
import { BusinessCalendar, CalendarDate, Currency, limits, RateTable, Timestamp, Work } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sha256 } from "../../src/digest/NodeDigest.ts"
import { re2Patterns } from "../../src/pattern/Re2Patterns.ts"
import * as PlanningThreads from "../../src/planning/PlanningThreads.ts"

const kinds = bundledKinds({ patterns: re2Patterns, sha256 })
const catalog = catalogOf("transactions")
const accountId = "acct_00000000000000000000000001" as never
const today = CalendarDate.make("2026-03-14")

const configs: Readonly<Record<string, object>> = {
  transfer_match: {},
  fees: { setCategory: "Fees" },
  recurring: {},
  anomaly: {},
  budget: {
    currency: "EUR",
    lines: [
      {
        key: "all",
        name: "All",
        match: { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "0" }] },
        amount: "10"
      }
    ]
  },
  alert: {
    conditions: { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "-40" }] },
    destinations: [{ type: "email", recipients: ["owner@example.com"] }]
  }
}

const records = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    recordId: `txn_${String(n).padStart(26, "0")}`,
    accountId,
    fields: {
      date: CalendarDate.addDays(today, -(n % 300)),
      amount: `-${(n * 7) % 90}.50`,
      currency: "EUR",
      description: n % 30 === 0 ? "OVERDRAFT FEE" : `SHOP ${n % 17}`
    }
  }))

/** The request for all partitions of a kind. */
const requestOf = (type: string, count: number, change: Partial<SetPlanRequest> = {}): SetPlanRequest => {
  const kind = kinds.find((one): one is SetKind => one.family === "set" && one.type === type)!
  const config = configs[type]!
  const prepared = kind.prepare(Schema.decodeUnknownSync(kind.Config)(config), catalog)
  const placed = new Map<string, Array<ReturnType<typeof records>[number]>>()
  for (const record of records(count)) {
    for (const key of kind.partitions(prepared, record, new Work())) {
      placed.set(key, [...(placed.get(key) ?? []), record])
    }
  }
  return {
    kind,
    prepared,
    config: config as never,
    catalog,
    units: limits.setWork,
    data: {
      workspaceId: "ws_00000000000000000000000001" as never,
      enrichmentId: "enr_00000000000000000000000001" as never,
      dataType: "transactions",
      name: "One",
      locale: "en",
      at: Timestamp.make("2026-03-14T12:00:00.000Z"),
      timezone: "UTC",
      revision: 1,
      past: [],
      baseCurrency: Currency.make("EUR"),
      rates: RateTable.noRates,
      calendar: BusinessCalendar.standardWeek,
      accounts: new Map([
        [
          accountId,
          {
            accountId,
            bankId: "bank_00000000000000000000000001" as never,
            bankName: "Bank",
            accountName: "Current",
            accountNumber: "****0001",
            accountType: "checking",
            currency: Currency.make("EUR")
          }
        ]
      ]),
      today,
      dirty: [...placed.keys()].toSorted(),
      facts: []
    },
    isPast: () => false,
    sha256,
    figures: Effect.succeed([]),
    read: (keys) =>
      Effect.succeed(new Map(keys.map((key) => [key, { records: placed.get(key) ?? [], state: undefined }]))),
    ...change
  }
}

/** A thread that does this with what it is asked. */
const threadOf = (body: string): URL =>
  new URL(
    `data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { ${body} }); parentPort.postMessage({ kind: "ready" })`
  )
const endless = threadOf("for (;;);")
const greedy = threadOf("const all = []; for (;;) all.push(Array.from({ length: 1000 }, Math.random))")

const inThreads = (request: SetPlanRequest) => Effect.flatMap(SetPlanner, ({ plan }) => plan(request))

describe("plans in threads", () => {
  it.live(
    "are those of this thread, to the byte, for all kinds that it was tried with",
    () =>
      Effect.gen(function* () {
        let plans = 0
        for (const type of Object.keys(configs)) {
          const request = requestOf(type, 2_500)
          const here = yield* planHere(request)
          const there = yield* inThreads(request)
          plans += here.size
          expect(JSON.stringify([...there]), type).toBe(JSON.stringify([...here]))
        }
        expect(plans).toBeGreaterThan(20)
      }).pipe(Effect.provide(PlanningThreads.layer({ threads: 1 }))),
    120_000
  )

  it.live(
    "stop at their limit of work, and leave the thread for the next plan",
    () =>
      Effect.gen(function* () {
        const request = requestOf("budget", 500)
        expect((yield* SetPlanner).isApart(request.kind)).toBe(true)
        for (const plan of [planHere, inThreads]) {
          expect(yield* Effect.flip(plan({ ...request, units: 100 }))).toBe(tooMuchWork)
          expect((yield* plan(request)).size).toBeGreaterThan(0)
        }
      }).pipe(Effect.provide(PlanningThreads.layer({ threads: 1 }))),
    120_000
  )

  it.live("end where they take too long, and their enrichment is set aside", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 2; n++) expect(yield* Effect.flip(inThreads(requestOf("fees", 10)))).toBe(tooMuchWork)
    }).pipe(Effect.provide(PlanningThreads.layer({ threads: 1, seconds: 1, entry: endless })))
  )

  it.live("end where they need too much memory, and their enrichment is set aside", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 2; n++) expect(yield* Effect.flip(inThreads(requestOf("fees", 10)))).toBe(tooMuchWork)
    }).pipe(Effect.provide(PlanningThreads.layer({ threads: 1, megabytes: 16, entry: greedy })))
  )

  it.live(
    "end with whoever asked for them",
    () =>
      Effect.gen(function* () {
        const request = requestOf("fees", 500, { read: () => Effect.never })
        expect(yield* Effect.timeoutOption(inThreads(request), 500)).toMatchObject({ _tag: "None" })
        expect((yield* inThreads(requestOf("fees", 500))).size).toBeGreaterThan(0)
      }).pipe(Effect.provide(PlanningThreads.layer({ threads: 1 }))),
    120_000
  )
})
