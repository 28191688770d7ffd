import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { Decisions } from "../../src/explain/Decisions.ts"
import { EnrichmentInsights } from "../../src/explain/EnrichmentInsights.ts"
import type { Simulation } from "@millrace/verification/simulation/Simulation"
import { enrichmentOf } from "../sync/FilteredScenes.ts"
import { fed, scene } from "./ExplainScenes.ts"

/** Payments of two merchants, each month of the last half year, and an enrichment that looks at them. */
const opened = Effect.fnUntraced(function* (simulation: Simulation, type: Enrichment["type"], config: object) {
  const world = yield* fed(simulation)
  for (let month = 0; month < 6; month++) {
    world.post("GREEN ENERGY", "-40", 5 + month * 30)
    world.post("BLUE HERON CAFE 4471", "-9.9", 12 + month * 30)
  }
  const enrichment = yield* enrichmentOf(world.workspace, type, config as never)
  yield* world.run
  const insights = yield* EnrichmentInsights
  const decisions = yield* Decisions
  const list = Effect.map(decisions.list(world.caller, enrichment.id, {}), ({ rows }) => rows)
  const series = insights.series(world.caller, enrichment.id)
  return { ...world, enrichment, insights, decisions, list, series }
})

const faultOf = (error: unknown) => (error as { details?: ReadonlyArray<unknown> }).details?.[0]

const refused = <R>(effect: Effect.Effect<unknown, unknown, R>) => Effect.map(Effect.flip(effect), faultOf)

describe("decisions about what enrichments say", () => {
  scene("names a series for good, until that is taken back", (simulation) =>
    Effect.gen(function* () {
      const { caller, decisions, enrichment, list, post, run, series } = yield* opened(simulation, "recurring", {})
      const names = Effect.map(series, (all) => all.map(({ merchant, name }) => name ?? merchant))
      const before = yield* series
      expect(yield* names).toEqual(["blue heron cafe", "green energy"])
      const { id } = before[1]!
      expect((yield* decisions.nameSeries(caller, enrichment.id, id, "Power")).name).toBe("Power")
      // Another payment makes another fit.
      post("GREEN ENERGY", "-41", 0)
      yield* run
      expect(yield* names).toEqual(["Power", "blue heron cafe"])
      yield* decisions.nameSeries(caller, enrichment.id, id, "Electricity")
      yield* run
      expect(yield* names).toEqual(["Electricity", "blue heron cafe"])
      const told = yield* list
      expect(told.map(({ sentence }) => sentence)).toEqual(['Named "Electricity"'])
      yield* decisions.undo(caller, enrichment.id, told[0]!.id)
      yield* run
      expect(yield* names).toEqual(["blue heron cafe", "green energy"])
      expect(yield* list).toEqual([])
      expect(yield* Effect.flip(decisions.undo(caller, enrichment.id, told[0]!.id))).toMatchObject({ _tag: "NotFound" })
      yield* decisions.nameSeries(caller, enrichment.id, id, "Power")
      yield* decisions.nameSeries(caller, enrichment.id, id, null)
      expect(yield* list).toEqual([])
    })
  )

  scene("makes one series of two and two of one, and takes both back to what was", (simulation) =>
    Effect.gen(function* () {
      const { caller, decisions, enrichment, list, run, series } = yield* opened(simulation, "recurring", {})
      const before = yield* series
      const [cafe, energy] = before
      const split = yield* decisions.splitSeries(caller, enrichment.id, energy!.id, energy!.recordIds[3]!)
      expect(split).toMatchObject({ kind: "forbid", recordIds: energy!.recordIds.slice(2, 4) })
      yield* run
      const parted = (yield* series).filter(({ merchant }) => merchant === energy!.merchant)
      expect(parted.map(({ recordIds }) => recordIds.length).toSorted()).toEqual([3, 3])
      yield* decisions.mergeSeries(caller, enrichment.id, cafe!.id, parted[0]!.id)
      yield* run
      expect(yield* series).not.toEqual(before)
      for (const { id } of yield* list) yield* decisions.undo(caller, enrichment.id, id)
      yield* run
      expect(yield* series).toEqual(before)
      const first = energy!.recordIds[0]!
      expect(yield* refused(decisions.splitSeries(caller, enrichment.id, energy!.id, first))).toEqual({
        field: "recordId",
        message: "is the first payment: nothing is left before it"
      })
      expect(yield* refused(decisions.splitSeries(caller, enrichment.id, cafe!.id, first))).toEqual({
        field: "recordId",
        message: "is no payment of the series"
      })
      expect(yield* refused(decisions.mergeSeries(caller, enrichment.id, cafe!.id, cafe!.id))).toMatchObject({
        field: "seriesId"
      })
      const periods = (yield* EnrichmentInsights).periods(caller, enrichment.id, {})
      expect(yield* refused(periods)).toEqual({
        field: "enrichment_id",
        message: "is of type recurring: this is for budget alone"
      })
    })
  )

  scene(
    "calls a merchant otherwise on all of its records, and by its former name once that is taken back",
    (simulation) =>
      Effect.gen(function* () {
        const { caller, decisions, enrichment, list, rows, run } = yield* opened(simulation, "ai_merchant", {})
        const named = (name: string) =>
          Effect.map(
            rows,
            (all) => all.filter((row) => row.includes(`merchantName=${name};`) || row.endsWith(name)).length
          )
        expect([yield* named("Blue Heron Cafe"), yield* named("Blue Heron")]).toEqual([6, 0])
        yield* decisions.mergeMerchants(caller, enrichment.id, "Blue Heron Cafe", "Blue Heron")
        yield* run
        // Rows of older days are not delivered again for a decision.
        expect([yield* named("Blue Heron Cafe"), yield* named("Blue Heron")]).toEqual([4, 2])
        expect(
          faultOf(yield* Effect.flip(decisions.mergeMerchants(caller, enrichment.id, "Blue Heron", "Blue Heron Cafe")))
        ).toMatchObject({ field: "into" })
        const [told] = yield* list
        expect(told?.sentence).toBe('What is called "Blue Heron Cafe" is "Blue Heron"')
        yield* decisions.undo(caller, enrichment.id, told!.id)
        yield* run
        expect([yield* named("Blue Heron Cafe"), yield* named("Blue Heron")]).toEqual([6, 0])
      })
  )

  scene("tells plan and fact of each period of a budget, exactly", (simulation) =>
    Effect.gen(function* () {
      const lines = [
        {
          key: "power",
          name: "Power",
          match: { logic: "and", conditions: [{ field: "description", operator: "contains", value: "GREEN" }] },
          amount: "45.05",
          carry: "positive"
        }
      ]
      const period = { unit: "day", length: 30, anchor: "2020-01-01" }
      const { caller, enrichment, insights } = yield* opened(simulation, "budget", { currency: "USD", period, lines })
      const all = yield* insights.periods(caller, enrichment.id, {})
      expect(all.filter(({ current }) => current)).toEqual([all[0]])
      expect(all.length).toBeGreaterThanOrEqual(6)
      let carried = "0"
      for (const { lines: own } of all.toReversed()) {
        const [line] = own
        expect(line).toMatchObject({
          key: "power",
          name: "Power",
          planned: "45.05",
          carriedIn: carried,
          unconverted: []
        })
        const left = (4505 + Math.round(Number(line!.carriedIn) * 100) - Math.round(Number(line!.spent) * 100)) / 100
        expect(Number(line!.left)).toBe(left)
        carried = line!.carriedOut
      }
      expect(all.map(({ lines: [line] }) => Number(line!.spent)).reduce((sum, one) => sum + one, 0)).toBe(240)
      const [last, former] = [all[0]!, all[1]!]
      expect(yield* insights.periods(caller, enrichment.id, { from: last.from })).toEqual([last])
      expect(yield* insights.periods(caller, enrichment.id, { to: former.to })).toEqual(all.slice(1))
    })
  )
})
