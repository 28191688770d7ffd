import { it } from "@effect/vitest"
import { CalendarDate } from "@millrace/core"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { calledCorrect, calledNormal } from "../../../../src/enrichment/kinds/anomaly/Feedback.ts"
import { tailOf } from "../../../../src/enrichment/kinds/anomaly/Score.ts"
import { bought, claimed, planned, usual } from "./Scene.ts"

const cents = (amount: number): string => String(Math.round(amount * 100) / 100)

/** Fourteen payments with the median 38.20 and the median distance 0.21 on the logarithmic scale. */
const distances = [0, 0, 0.05, 0.1, 0.21, 0.3, -0.05, -0.1, -0.21, -0.3, -0.4, -0.4]
const fourteen = [...distances.map((off) => cents(38.2 * Math.exp(off))), "71.5", "90"].map((amount, n) =>
  bought(CalendarDate.addDays(CalendarDate.make("2025-06-01"), n * 7), amount)
)
const enrichmentId = "enr_00000000000000000000000001" as Parameters<typeof calledNormal>[0]
const day = (n: number) => CalendarDate.addDays(CalendarDate.make("2025-06-01"), n)

/** Scores of a payment that is far off, with amounts times a factor, and each usual one there so many times. */
const scoresOf = (factor: number, times: number) => {
  const records = usual(15).flatMap((one) =>
    Array.from({ length: times }, (_, n) =>
      bought(
        CalendarDate.addDays(CalendarDate.make(String(one.fields["date"])), n),
        cents(-Number(one.fields["amount"]) * factor)
      )
    )
  )
  return planned("2025-04-02", [...records, bought("2025-04-01", cents(600 * factor))], {
    detectors: ["amount"]
  }).pipe(Effect.map((world) => Object.values(claimed(world, "score")).map(Number)))
}

const types = (world: Effect.Success<ReturnType<typeof planned>>) =>
  world.said.flatMap(([, { events }]) => events.map(({ type }) => type))

const kindsOf = (records: Parameters<typeof planned>[1], config?: object) =>
  planned("2025-12-31", records, config).pipe(Effect.map((world) => Object.values(claimed(world, "kinds"))))

describe("an amount that is unusual at its merchant", () => {
  it.effect("has the figures of the example", () =>
    Effect.gen(function* () {
      const high = bought(day(100), "236")
      const world = yield* planned("2025-09-15", [...fourteen, high])
      expect(claimed(world, "kinds")).toEqual({ [high.recordId]: "amount" })
      expect(claimed(world, "score")).toEqual({ [high.recordId]: "5.85" })
      expect(claimed(world, "threshold")).toEqual({ [high.recordId]: "5.46" })
      expect(claimed(world, "severity")).toEqual({ [high.recordId]: "low" })
      expect(claimed(world, "baseline")).toEqual({
        [high.recordId]: "center=38.20 spread=0.210 n=14 level=merchant"
      })
      // 71.50 times 1.25 is 89.38: where two were as high before, nothing is new about it.
      expect(
        claimed(
          yield* planned("2025-09-15", [...fourteen, bought(day(99), "200"), bought(day(98), "210"), high]),
          "kinds"
        )
      ).not.toHaveProperty([high.recordId])
    })
  )

  it.effect("is not told of its own day, of refunds, transfers, fees, or of little money", () =>
    Effect.gen(function* () {
      const records = usual(20)
      const at = "2025-04-01"
      const flagged = (more: object, amount = "500") =>
        planned("2025-04-02", [...records, bought(at, amount, more as never)]).pipe(
          Effect.map((world) => Object.values(claimed(world, "kinds")))
        )
      expect(yield* flagged({})).toEqual(["amount"])
      expect(yield* flagged({ "transfer.kind": "internal", "transfer.state": "auto" })).toEqual([])
      expect(yield* flagged({ "fee.isFee": true })).toEqual([])
      expect(yield* flagged({ type: "REFUND" })).toEqual([])
      expect(yield* flagged({}, "59")).toEqual([])
      expect(yield* flagged({ "recurring.seriesId": "ser_1", "recurring.amountKind": "stepped" })).toEqual([])
    })
  )

  it.effect("has the same score in another unit of money, and none that is higher when the usual is there twice", () =>
    Effect.gen(function* () {
      const [plain] = yield* scoresOf(1, 1)
      expect((yield* scoresOf(100, 1))[0]).toBe(plain)
      expect((yield* scoresOf(1, 2))[0]!).toBeLessThanOrEqual(plain!)
    })
  )

  it.effect("is told as an event where it is new, of a pending one after two days, and when it is cleared", () =>
    Effect.gen(function* () {
      const high = bought("2025-04-01", "500")
      expect(types(yield* planned("2025-04-15", [...usual(20), high]))).toEqual(["anomaly.flagged"])
      expect(types(yield* planned("2025-04-16", [...usual(20), high]))).toEqual([])
      const pending = bought("2025-04-01", "500", { pending: true })
      const early = yield* planned("2025-04-03", [...usual(20), pending])
      expect([types(early), early.said[0]![1].due]).toEqual([[], "2025-04-04"])
      expect(types(yield* planned("2025-04-04", [...usual(20), pending]))).toEqual(["anomaly.flagged"])
      const world = yield* planned("2025-04-03", [...usual(20), high])
      world.put({ ...high, fields: { ...high.fields, amount: "-50" } })
      expect(types(yield* world.plan())).toEqual(["anomaly.cleared"])
    })
  )
})

describe("what people say of warnings", () => {
  it.effect("makes fewer of them where it is usual, and keeps what was right out of what is usual", () =>
    Effect.gen(function* () {
      const first = bought("2025-04-01", "120")
      const second = bought("2025-05-01", "155")
      const records = [...usual(20, 4_000, 25), first, second]
      const flags = (facts: Parameters<typeof planned>[3]) =>
        planned("2025-05-02", records, { sensitivity: "high" }, facts).pipe(
          Effect.map((world) => Object.keys(claimed(world, "kinds")))
        )
      const plain = yield* flags([])
      expect(plain).toContain(first.recordId)
      const normal = yield* flags(calledNormal(enrichmentId, first.recordId, ["amount"]))
      expect(normal).not.toContain(first.recordId)
      expect(normal.filter((id) => !plain.includes(id))).toEqual([])
      expect(yield* flags(calledCorrect(enrichmentId, first.recordId, ["amount"]))).toContain(second.recordId)
    })
  )
})

describe("other things that are unusual", () => {
  it.effect("are a charge that came twice, but not where that is usual or was paid back", () =>
    Effect.gen(function* () {
      const twice = [bought("2025-11-01", "49.9"), bought("2025-11-02", "49.9")]
      expect(yield* kindsOf(twice)).toEqual(["duplicateCharge"])
      expect(yield* kindsOf([twice[0]!, bought("2025-11-05", "49.9")])).toEqual([])
      expect(yield* kindsOf(twice, { repeatCategories: ["food_and_drink"] })).toEqual([])
      expect(yield* kindsOf([bought("2025-11-01", "4.9"), bought("2025-11-01", "4.9")])).toEqual([])
      const back = bought("2025-11-03", "49.9")
      expect(yield* kindsOf([...twice, { ...back, fields: { ...back.fields, amount: "49.9" } }])).toEqual([])
      const often = Array.from({ length: 12 }, (_, n) => bought(day(Math.floor(n / 2) * 20), "49.9"))
      expect((yield* kindsOf([...often, ...twice])).length).toBeLessThan(6)
    })
  )

  it.effect("are a first payment in a currency, a large one at a new merchant, and many on one day", () =>
    Effect.gen(function* () {
      expect(yield* kindsOf([...usual(3), bought("2025-03-01", "100", { currency: "CZK" })])).toEqual([
        "foreignCurrency"
      ])
      const large = bought("2025-07-01", "900", { description: "Piano Palace" })
      expect(yield* kindsOf([...usual(40), large], { detectors: ["newMerchant"] })).toEqual(["newMerchant"])
      const rush = Array.from({ length: 9 }, (_, n) =>
        bought("2025-07-02", `${n + 3}`, { description: `Shop ${"abcdefghi"[n]!.repeat(4)}` })
      )
      expect(yield* kindsOf([...usual(40), ...rush], { detectors: ["velocity"] })).toEqual(["velocity"])
      expect(tailOf(6, 0.5)).toBeCloseTo(1.4e-5, 6)
    })
  )

  it.effect("are a price that changed and a payment that is missing, of series that are sure", () =>
    Effect.gen(function* () {
      const series = Array.from({ length: 5 }, (_, n) =>
        bought(day(n * 30), n < 3 ? "9.9" : "11.9", {
          description: "Streamly",
          "recurring.seriesId": "ser_1",
          "recurring.amountKind": "stepped",
          "recurring.state": "late",
          ...(n === 3 ? { "recurring.amountDelta": "2" } : {}),
          ...(n === 4 ? { "recurring.expectedDate": "2025-10-29" } : {})
        })
      )
      expect(yield* kindsOf(series)).toEqual(["priceChange", "missedRecurring"])
      expect(yield* kindsOf(series.slice(3))).toEqual([])
    })
  )
})
