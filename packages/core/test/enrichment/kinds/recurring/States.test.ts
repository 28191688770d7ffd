import { it } from "@effect/vitest"
import { CalendarDate } from "@millrace/core"
import type { EnrichmentFact, FactRequest, SetRecord } from "@millrace/core/enrichment"
import { Seeded, type SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import {
  confirmSeries,
  endSeries,
  mergeSeries,
  nameSeries,
  rejectSeries,
  splitSeries
} from "../../../../src/enrichment/kinds/recurring/SeriesFacts.ts"
import { claimed, payment, recurring, worldOn } from "./Scene.ts"

const monthly = (months: number, day: string, amount: string, name?: string): ReadonlyArray<SetRecord> =>
  Array.from({ length: months }, (_, n) => {
    const month = String((n % 12) + 1).padStart(2, "0")
    return payment(`${2025 + Math.floor(n / 12)}-${month}-${day}`, amount, name)
  })

const planned = Effect.fnUntraced(function* (
  today: string,
  records: ReadonlyArray<SetRecord>,
  facts: ReadonlyArray<FactRequest> = [],
  config?: object
) {
  const world = worldOn(today, config)
  world.facts = facts.map((fact, n): EnrichmentFact => ({
    ...fact,
    id: `fct_${String(n).padStart(26, "0")}` as EnrichmentFact["id"],
    workspaceId: "ws_00000000000000000000000001" as EnrichmentFact["workspaceId"],
    dataType: "transactions",
    by: { kind: "user", userId: "usr_1" },
    at: "2026-05-31T00:00:00.000Z" as EnrichmentFact["at"]
  }))
  world.put(...records)
  return yield* world.plan()
})

const statesOf = (world: SetWorld) => [...new Set(Object.values(claimed(world, "state")))]
const seriesIn = (world: SetWorld) => new Set(Object.values(claimed(world, "seriesId"))).size
const duesOf = (world: SetWorld) => world.said.map(([, { due }]) => due)
const toldOf = (world: SetWorld, what: string) =>
  world.said.flatMap(([, { events }]) =>
    events.flatMap(({ data, type }) => (type === `recurring.${what}` ? [data] : []))
  )

const rent = monthly(6, "03", "-900")
const ids = rent.map(({ recordId }) => recordId)
const enrichmentId = worldOn("2025-01-01").enrichmentId
const ref = { enrichmentId, partition: "EUR|str", recordIds: ids.slice(0, 2) }

describe("the state of a series", () => {
  it.effect("is early, mature, late and ended when its time has come", () =>
    Effect.gen(function* () {
      expect(statesOf(yield* planned("2025-03-10", rent.slice(0, 3)))).toEqual(["early"])
      const onTime = yield* planned("2025-06-10", rent)
      expect(statesOf(onTime)).toEqual(["mature"])
      // Expected on 3 July, with five days of tolerance and two of grace.
      expect(duesOf(onTime)).toEqual(["2025-07-11"])
      expect(statesOf(yield* planned("2025-07-10", rent))).toEqual(["mature"])
      const late = yield* planned("2025-07-11", rent)
      expect(statesOf(late)).toEqual(["late"])
      expect(toldOf(late, "late")).toMatchObject([{ expectedDate: "2025-07-03" }])
      expect(duesOf(late)).toEqual(["2025-08-10"])
      expect(statesOf(yield* planned("2025-08-09", rent))).toEqual(["late"])
      const over = yield* planned("2025-08-10", rent)
      expect(statesOf(over)).toEqual(["ended"])
      expect(claimed(over, "expectedDate")).toEqual({})
      expect(toldOf(over, "ended")).toHaveLength(1)
      expect(over.said.flatMap(([, { findings = [] }]) => findings)).toEqual([])
    })
  )

  it.effect("is back when the newest payment is taken away", () =>
    Effect.gen(function* () {
      const world = yield* planned("2025-06-10", rent.slice(0, 4))
      const before = world.text
      world.put(rent[4]!)
      yield* world.plan()
      expect(world.text).not.toBe(before)
      world.remove(rent[4]!.recordId)
      yield* world.plan()
      expect(world.text).toBe(before)
    })
  )

  it.effect("counts a pending payment as come, and says that it is provisional", () =>
    Effect.gen(function* () {
      const pending = payment("2025-07-04", "-900", undefined, { pending: true })
      const world = yield* planned("2025-07-12", [...rent, pending])
      expect(statesOf(world)).toEqual(["mature"])
      expect(claimed(world, "provisional")).toEqual({ [pending.recordId]: true })
      expect(Object.keys(claimed(world, "expectedDate"))).toEqual([pending.recordId])
    })
  )

  it.effect("resumes after it was over", () =>
    Effect.gen(function* () {
      const long = monthly(14, "03", "-900").filter((_, n) => n !== 11 && n !== 12)
      const world = yield* planned("2026-02-05", long)
      expect(statesOf(world)).toEqual(["mature"])
      expect(toldOf(world, "resumed")).toMatchObject([{ date: "2026-02-03" }])
    })
  )

  it.effect("goes on when a card is replaced", () =>
    Effect.gen(function* () {
      const records = rent.map((one, n) =>
        n < 4 ? one : payment(String(one.fields["date"]), "-900", "Streamly", {}, 2)
      )
      const world = yield* planned("2025-06-10", records)
      expect(seriesIn(world)).toBe(1)
      expect(Object.keys(claimed(world, "seriesId"))).toHaveLength(6)
    })
  )

  it.effect("leaves out what was paid back, and refunds", () =>
    Effect.gen(function* () {
      const back = payment("2025-04-04", "900", "Streamly")
      const world = yield* planned("2025-06-10", [...rent, back])
      expect(claimed(world, "seriesId")).not.toHaveProperty([back.recordId])
      expect(claimed(world, "seriesId")).not.toHaveProperty([rent[3]!.recordId])
    })
  )

  it.effect("is not shown while it is early, where only sure ones are wanted", () =>
    Effect.gen(function* () {
      const config = { minConfidence: "mature" }
      expect(seriesIn(yield* planned("2025-03-10", rent.slice(0, 3), [], config))).toBe(0)
      expect(seriesIn(yield* planned("2025-03-10", rent.slice(0, 3), confirmSeries(ref), config))).toBe(1)
      expect(seriesIn(yield* planned("2025-04-10", rent.slice(0, 4), [], config))).toBe(1)
    })
  )
})

describe("what people say of a series", () => {
  it.effect("gives it a name, confirms it, ends it, and says that it is none", () =>
    Effect.gen(function* () {
      const named = yield* planned("2025-06-10", rent, nameSeries(ref, "Rent of the flat"))
      expect(named.said.flatMap(([, { findings = [] }]) => findings)).toMatchObject([
        { data: { name: "Rent of the flat" } }
      ])
      expect(statesOf(yield* planned("2025-03-10", rent.slice(0, 3), confirmSeries(ref)))).toEqual(["mature"])
      expect(statesOf(yield* planned("2025-06-10", rent, endSeries(ref, "2025-06-05")))).toEqual(["ended"])
      // What came after that day brings it back.
      expect(statesOf(yield* planned("2025-06-10", rent, endSeries(ref, "2025-05-20")))).toEqual(["mature"])
      expect(seriesIn(yield* planned("2025-06-10", rent, rejectSeries(ref)))).toBe(0)
    })
  )

  it.effect("follows from what they decide about its finding", () =>
    Effect.gen(function* () {
      const world = yield* planned("2025-06-10", rent)
      const [finding] = world.said.flatMap(([, { findings = [] }]) => findings)
      const after = (status: "dismissed" | "confirmed" | "resolved") =>
        planned("2025-06-10", rent, recurring.feedback!(enrichmentId, finding!, status))
      expect(seriesIn(yield* after("dismissed"))).toBe(0)
      expect(statesOf(yield* after("resolved"))).toEqual(["ended"])
      expect(statesOf(yield* after("confirmed"))).toEqual(["mature"])
    })
  )

  it.effect("splits it in two, and makes one of two merchants", () =>
    Effect.gen(function* () {
      expect(seriesIn(yield* planned("2025-06-10", rent, splitSeries(enrichmentId, ids[1]!, ids[3]!)))).toBe(2)
      const renamed = rent.map((one, n) => (n < 3 ? one : payment(String(one.fields["date"]), "-900", "Kilnworks")))
      const [a, b] = [renamed[0]!.recordId, renamed[3]!.recordId]
      expect(seriesIn(yield* planned("2025-06-10", renamed))).toBe(2)
      const merge = mergeSeries({ ...ref, recordIds: [a] }, { enrichmentId, partition: "EUR|kil", recordIds: [b] })
      const world = yield* planned("2025-06-10", renamed, merge)
      expect(seriesIn(world)).toBe(1)
      expect(Object.keys(claimed(world, "seriesId"))).toHaveLength(6)
      // Whichever side is looked at again, the same is said.
      const { text } = world
      world.put(renamed[5]!)
      yield* world.plan()
      expect(world.text).toBe(text)
    })
  )
})

/** Histories of all sorts: what recurs, what does not, gaps, changes of prices and days. */
const history = (seed: number): ReadonlyArray<SetRecord> => {
  const random = new Seeded(seed)
  const records = new Map<string, SetRecord>()
  for (const name of ["Streamly", "Kilnworks", "Market Hall"].slice(0, 1 + random.below(3))) {
    const step = [7, 14, 28, 30, 61, 91][random.below(6)]!
    let amount = 500 + random.below(5_000)
    for (let day = random.below(40); day < 700; day += step) {
      if (random.below(10) === 0) continue
      if (random.below(12) === 0) amount += random.below(300)
      const date = CalendarDate.addDays(CalendarDate.make("2024-06-01"), day + random.below(3))
      const one = payment(
        date,
        `-${amount / 100}`,
        name,
        { pending: random.below(20) === 0 },
        random.below(8) === 0 ? 2 : 1
      )
      records.set(one.recordId, one)
    }
  }
  return [...records.values()]
}

describe("series of any history", () => {
  const runs = process.env["MILLRACE_LONG"] === "1" ? 500 : 5
  it.effect(
    "hold each payment once, expect the next one after the last, and do not depend on the order of arrival",
    () =>
      Effect.gen(function* () {
        for (let seed = 1; seed <= runs; seed++) {
          const records = history(seed)
          const whole = yield* planned("2026-05-05", records)
          for (const [, { claims, state }] of whole.said) {
            const { series } = state as { readonly series: ReadonlyArray<{ last: string; expected: string }> }
            for (const { expected, last } of series) expect(expected > last).toBe(true)
            const said = claims.map(({ field, recordId }) => `${field} ${recordId}`)
            expect(new Set(said).size).toBe(said.length)
          }
          const slowly = worldOn("2026-05-05")
          const random = new Seeded(seed)
          const shuffled = records
            .map((record) => [random.below(1_000_000), record] as const)
            .toSorted(([a], [b]) => a - b)
          for (let at = 0; at < shuffled.length; at += 40) {
            slowly.put(...shuffled.slice(at, at + 40).map(([, record]) => record))
            yield* slowly.plan()
          }
          expect(slowly.text).toBe(whole.text)
        }
      })
  )
})
