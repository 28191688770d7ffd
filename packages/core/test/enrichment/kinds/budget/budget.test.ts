import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rememberedAmounts } from "../../../../src/enrichment/kinds/budget/BudgetConfig.ts"
import { foldPeriods } from "../../../../src/enrichment/kinds/budget/Fold.ts"
import { projections } from "../../../../src/enrichment/kinds/budget/Projection.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import * as Result from "effect/Result"
import { budget, is, line, record, sumsOf, tableOf, worldOf } from "./BudgetWorld.ts"

const groceries = line({ key: "groceries", name: "Groceries", match: is("category", "groceries"), carry: "both" })

const transfer = (id: string, kind: string, state = "auto") =>
  record(id, "2026-03-01", "-10", { "transfer.kind": kind, "transfer.state": state })
const dollars = (id: string, date: string) => record(id, date, "-0.01", { currency: "USD" })
const shoes = (id: string, date: string, amount: string) => record(id, date, amount, { merchantName: "Shoe Store" })
const crossingKey = (threshold: string, n: number) => `1:2026-03-01:fact:${threshold}:${n}:all`
const bill = (id: string, date: string, state = "mature") =>
  record(id, date, "-30", {
    "recurring.seriesId": "rent",
    "recurring.cadence": "monthly",
    "recurring.state": state
  })

const cells = Effect.fnUntraced(function* (config: object, records: Parameters<typeof record>[], options = {}) {
  const world = worldOf(config, options)
  world.put(...records.map((one) => record(...one)))
  const table = yield* tableOf(world)
  const decoded = Result.getOrThrow(decode(budget.Config, config))
  const { recurrence } = budget.prepare(decoded, catalogOf("transactions"))
  const today = CalendarDate.make("2026-03-10")
  const past = (options as { past?: Array<{ until: string; amounts: Record<string, string> }> }).past ?? []
  return foldPeriods(table?.rows ?? [], {
    config: decoded,
    recurrence,
    digits: 2,
    today,
    past: past.map(({ amounts, until }) => ({ until: CalendarDate.make(until), remembered: { amounts } }))
  }).map(([cell]) => [cell!.start, cell!.carriedIn, cell!.spent, cell!.available, cell!.carriedOut].map(String))
})

describe("what is left of a period", () => {
  const two: Parameters<typeof record>[] = [
    ["a", "2026-01-20", "-350.25"],
    ["b", "2026-02-03", "-480.10"]
  ]

  it.effect("goes into the next one as the line says, cut at its cap", () =>
    Effect.gen(function* () {
      const positive = yield* cells({ lines: [line({ carry: "positive", carryCap: "100" })] }, two)
      expect(positive).toEqual([
        ["2026-01-01", "0", "35025", "4975", "4975"],
        ["2026-02-01", "4975", "48010", "-3035", "0"],
        ["2026-03-01", "0", "0", "40000", "10000"]
      ])
      const both = yield* cells({ lines: [line({ carry: "both" })] }, two)
      expect(both[2]).toEqual(["2026-03-01", "-3035", "0", "36965", "36965"])
      const negative = yield* cells({ lines: [line({ carry: "negative", carryCap: "20" })] }, two)
      expect(negative.map(([, carried]) => carried)).toEqual(["0", "0", "-2000"])
    })
  )

  it.effect("follows the amounts that were in force: a changed budget leaves closed periods as they were", () =>
    Effect.gen(function* () {
      const options = {
        past: [
          { until: "2026-02-01", amounts: { all: "360" } },
          { until: "2026-02-28", amounts: { all: "500", other: "1" } }
        ]
      }
      const found = yield* cells({ lines: [line()] }, two, options)
      // January closed under 360, February under 400, since 500 was replaced on its last day.
      expect(found.map(([start, , , available]) => [start, available])).toEqual([
        ["2026-01-01", "975"],
        ["2026-02-01", "-8010"],
        ["2026-03-01", "40000"]
      ])
      const added = yield* cells({ lines: [line({ key: "new" })] }, two, options)
      expect(added[0]![3]).toBe("4975")
      expect(rememberedAmounts(Result.getOrThrow(decode(budget.Config, { lines: [line()] })))).toEqual({
        amounts: { all: "400" }
      })
    })
  )

  it.effect("is counted from the period of the first day on, and not before it", () =>
    Effect.gen(function* () {
      const found = yield* cells({ lines: [line({ carry: "both" })], startDate: "2026-02-14" }, two)
      expect(found[0]).toEqual(["2026-02-01", "0", "48010", "-8010", "-8010"])
    })
  )
})

describe("what counts", () => {
  const sums = Effect.fnUntraced(function* (config: object, ...records: ReadonlyArray<ReturnType<typeof record>>) {
    const world = worldOf(config)
    world.put(...records)
    return Object.fromEntries(yield* sumsOf(world))
  })

  it.effect("is spending without transfers between own accounts, unless their kind is named", () =>
    Effect.gen(function* () {
      const records = [
        transfer("a", "internal"),
        transfer("b", "loan_payment"),
        transfer("c", "internal", "suggested"),
        transfer("d", "cash", "confirmed")
      ]
      expect(yield* sums({ lines: [line()] }, ...records)).toEqual({ "2026-03-01 all": 2000n })
      expect(yield* sums({ lines: [line()], includeTransferKinds: ["cash"] }, ...records)).toEqual({
        "2026-03-01 all": 2000n
      })
      expect(yield* sums({ lines: [line()], includeTransferKinds: [] }, ...records)).toEqual({
        "2026-03-01 all": 1000n
      })
    })
  )

  it.effect("is what goes out, what comes in, or both: refunds reduce spending and wages do not", () =>
    Effect.gen(function* () {
      const records = [
        record("shop", "2026-03-01", "-50"),
        record("refund", "2026-03-02", "20"),
        record("wage", "2026-03-03", "1000", { category: "INCOME" }),
        record("corrected", "2026-03-04", "-100", { category: "Income: wages" })
      ]
      const of = (flow: string) => sums({ lines: [line()], flow }, ...records)
      expect(yield* of("spending")).toEqual({ "2026-03-01 all": 3000n })
      expect(yield* of("income")).toEqual({ "2026-03-01 all": 92_000n })
      expect(yield* of("net")).toEqual({ "2026-03-01 all": -87_000n })
    })
  )

  it.effect("goes to the first line that takes it, or to all of them", () =>
    Effect.gen(function* () {
      const records = [record("a", "2026-03-01", "-5", { category: "Groceries" }), record("b", "2026-03-01", "-1")]
      const lines = [groceries, line()]
      expect(yield* sums({ lines }, ...records)).toEqual({ "2026-03-01 groceries": 500n, "2026-03-01 all": 100n })
      expect(yield* sums({ lines, assignment: "all" }, ...records)).toEqual({
        "2026-03-01 groceries": 500n,
        "2026-03-01 all": 600n
      })
    })
  )

  it.effect("can leave what is pending until it is booked", () =>
    Effect.gen(function* () {
      const records = [record("a", "2026-03-01", "-5", { pending: true }), record("b", "2026-03-01", "-1")]
      expect(yield* sums({ lines: [line()] }, ...records)).toEqual({ "2026-03-01 all": 600n })
      expect(yield* sums({ lines: [line()], pending: "exclude" }, ...records)).toEqual({ "2026-03-01 all": 100n })
    })
  )

  it.effect("is converted on its day, rounded before it is summed, and listed where there is no rate", () =>
    Effect.gen(function* () {
      const world = worldOf({ lines: [line()] })
      world.put(dollars("a", "2026-01-05"), dollars("b", "2026-01-12"), dollars("c", "2026-01-13"))
      world.put(record("d", "2026-01-06", "-10", { currency: "JPY" }), dollars("e", "2026-01-04"))
      const table = yield* tableOf(world)
      expect(table!.rows[0]).toMatchObject({
        booked: [["2026-01-01", "all", "2"]],
        unconverted: [
          ["all", "JPY", 1, "-10"],
          ["all", "USD", 2, "-0.02"]
        ]
      })
    })
  )

  it.effect("takes a refund to the period of its purchase where the budget says so, each purchase once", () =>
    Effect.gen(function* () {
      const config = { lines: [line()], refunds: "original" }
      const bought = shoes("a", "2026-01-10", "-80")
      const back = shoes("b", "2026-03-02", "80")
      const world = worldOf(config)
      world.put(back, shoes("c", "2026-03-03", "80"))
      expect(Object.fromEntries(yield* sumsOf(world))).toEqual({ "2026-03-01 all": -16_000n })
      // The purchase arrives late.
      world.put(bought)
      expect(Object.fromEntries(yield* sumsOf(world))).toEqual({ "2026-01-01 all": 0n, "2026-03-01 all": -8_000n })
      world.remove(bought.recordId)
      expect(Object.fromEntries(yield* sumsOf(world))).toEqual({ "2026-03-01 all": -16_000n })
    })
  )

  it.effect("leaves out what a person does not want counted, until that is lifted", () =>
    Effect.gen(function* () {
      const world = worldOf({ lines: [line()] })
      world.put(record("a", "2026-03-01", "-5"), record("b:line", "2026-03-01", "-1"))
      yield* world.plan()
      const silent = (recordId: string, n: number): (typeof world.facts)[number] => ({
        ...budget.undo({ enrichmentId: world.enrichmentId, recordId })[0]!,
        id: `fct_0000000000000000000000000${n}` as never,
        workspaceId: "ws_00000000000000000000000001" as never,
        dataType: "transactions",
        by: { kind: "user", userId: "usr_1" },
        at: "2026-03-01T00:00:00.000Z" as never
      })
      world.facts = [silent("a", 1), silent("b", 2)]
      world.disturb()
      expect([...(yield* sumsOf(world))]).toEqual([])
      world.facts = []
      world.disturb()
      expect([...(yield* sumsOf(world))]).toEqual([["2026-03-01 all", 600n]])
    })
  )
})

describe("thresholds", () => {
  const facts = { notify: { fact: true, projection: false } }

  it.effect("are told once when they are crossed, and again after the budget recovered", () =>
    Effect.gen(function* () {
      const world = worldOf({ lines: [line({ amount: "100" })], ...facts })
      const spend = Effect.fnUntraced(function* (amount: string) {
        world.put(record("a", "2026-03-01", amount))
        const before = world.told.length
        yield* world.plan()
        return world.told.slice(before)
      })
      expect(yield* spend("-79.99")).toEqual([])
      expect(yield* spend("-80")).toEqual([crossingKey("0.8", 1)])
      expect(yield* spend("-78.01")).toEqual([])
      expect(yield* spend("-80")).toEqual([])
      expect(yield* spend("-100")).toEqual([crossingKey("1", 1)])
      expect(yield* spend("-78")).toEqual([`${crossingKey("0.8", 1)}:recovered`, `${crossingKey("1", 1)}:recovered`])
      expect(yield* spend("-99")).toEqual([crossingKey("0.8", 2)])
    })
  )

  it.effect(
    "are findings while they are crossed: the highest of a line, what is spent before what is to be expected",
    () =>
      Effect.gen(function* () {
        const world = worldOf({ lines: [line({ amount: "100" })], thresholds: ["0.8", 1, 2] })
        const findings = Effect.fnUntraced(function* (amount: string, change: Record<string, string> = {}) {
          world.put(record("a", "2026-03-01", amount, change))
          yield* world.plan()
          return world.said.flatMap(([, plan]) => plan.findings ?? []).map(({ title }) => title)
        })
        expect(yield* findings("-30")).toEqual([
          "All from 2026-03-01: 80 % of the budget will probably be spent (100.00 EUR)"
        ])
        expect(yield* findings("-90")).toEqual([
          "All from 2026-03-01: 80 % of the budget is spent (100.00 EUR)",
          "All from 2026-03-01: 200 % of the budget will probably be spent (100.00 EUR)"
        ])
        expect(yield* findings("-1", { currency: "JPY" })).toEqual(["Amounts in JPY are not counted: there is no rate"])
        expect(yield* findings("-1")).toEqual([])
      })
  )

  it.effect("are all crossed by any spending where nothing was planned", () =>
    Effect.gen(function* () {
      const world = worldOf({ lines: [line({ amount: "0" })], ...facts })
      world.put(record("a", "2026-03-01", "-0.01"))
      yield* world.plan()
      expect(world.told.length).toBe(2)
    })
  )

  it.effect("look at the period that runs and the one before it, and not at older ones", () =>
    Effect.gen(function* () {
      const world = worldOf({ lines: [line({ amount: "1" })], thresholds: [1], ...facts })
      for (const month of ["01", "02", "03"]) world.put(record(month, `2026-${month}-05`, "-5"))
      yield* world.plan()
      expect(world.told.map((key) => key.slice(2, 12))).toEqual(["2026-02-01", "2026-03-01"])
    })
  )

  it.effect("are looked at again when the day moves what will probably be spent, else when the period ends", () =>
    Effect.gen(function* () {
      const dueOf = Effect.fnUntraced(function* (config: object) {
        const world = worldOf({ lines: [line()], ...config })
        world.put(record("a", "2026-03-01", "-5"))
        yield* world.plan()
        return world.said.find(([key]) => key === "table")![1].due
      })
      expect(yield* dueOf({})).toBe("2026-03-11")
      expect(yield* dueOf(facts)).toBe("2026-04-01")
    })
  )
})

describe("what a period will probably come to", () => {
  const projected = Effect.fnUntraced(function* (day: string, ...records: ReadonlyArray<ReturnType<typeof record>>) {
    const config = Result.getOrThrow(decode(budget.Config, { lines: [line()] }))
    const { recurrence } = budget.prepare(config, catalogOf("transactions"))
    const world = worldOf({ lines: [line()] }, { today: day })
    world.put(...records)
    const { rows } = (yield* tableOf(world))!
    const today = CalendarDate.make(day)
    const periods = foldPeriods(rows, { config, recurrence, digits: 2, past: [], today })
    return projections(periods.at(-1)!, rows, recurrence, today)[0]
  })
  it.effect("is what was spent, bills that are still due, and the pace of the rest", () =>
    Effect.gen(function* () {
      const spent = record("a", "2026-03-02", "-10")
      // 10 in ten days, 21 days to go.
      expect(yield* projected("2026-03-10", spent)).toBe(3_100n)
      expect(yield* projected("2026-03-10", spent, bill("b", "2026-02-20"))).toBe(6_100n)
      expect(yield* projected("2026-03-10", spent, bill("b", "2026-02-05"))).toBe(6_100n)
      expect(yield* projected("2026-03-10", spent, bill("b", "2026-02-20"), bill("c", "2026-03-01"))).toBe(6_100n)
      expect(yield* projected("2026-03-10", spent, bill("b", "2026-02-20", "ended"))).toBe(3_100n)
    })
  )

  it.effect("looks at the rest of the three periods before while the period is young", () =>
    Effect.gen(function* () {
      const old = [
        record("a", "2026-01-02", "-1000"),
        record("b", "2026-01-20", "-60"),
        record("c", "2026-02-20", "-30"),
        record("d", "2026-03-01", "-5")
      ]
      expect(yield* projected("2026-03-02", ...old)).toBe(5_00n + 45_00n)
      expect(yield* projected("2026-03-02", record("d", "2026-03-01", "-5"))).toBe(5_00n)
    })
  )
})
