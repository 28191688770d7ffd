import { it } from "@effect/vitest"
import { CalendarDate } from "@millrace/core"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { fitBest } from "../../../../src/enrichment/kinds/recurring/Fit.ts"
import { forecast } from "../../../../src/enrichment/kinds/recurring/Forecast.ts"
import { findSeries } from "../../../../src/enrichment/kinds/recurring/SeriesFinder.ts"
import { rhythmText } from "../../../../src/enrichment/kinds/recurring/Rhythm.ts"
import { SlotCalendar } from "../../../../src/enrichment/kinds/recurring/SlotCalendar.ts"
import { standardWeek } from "../../../../src/shared/BusinessCalendar.ts"
import { claimed, payment, recurring, worldOn } from "./Scene.ts"

/** The example of the design: 31 May 2025 is a Saturday, the price changes in June. */
const example = [
  ["2025-01-31", "-14.9"],
  ["2025-02-28", "-14.9"],
  ["2025-03-31", "-14.9"],
  ["2025-04-30", "-14.9"],
  ["2025-06-02", "-14.9"],
  ["2025-06-30", "-16.9"],
  ["2025-07-31", "-16.9"]
].map(([date, amount]) => payment(date!, amount!))

const worldWith = Effect.fnUntraced(function* (today: string, count: number) {
  const world = worldOn(today)
  world.put(...example.slice(0, count))
  return yield* world.plan()
})

describe("a subscription on the last day of the month whose price goes up", () => {
  it("has the figures of the example", () => {
    const slots = new SlotCalendar(standardWeek)
    const observations = example.map(({ accountId, fields, recordId }) => ({
      accountId,
      recordId,
      day: CalendarDate.toEpochDay(CalendarDate.make(String(fields["date"]))),
      amount: Math.round(-Number(fields["amount"]) * 100)
    }))
    const [found, ...others] = findSeries(observations, slots)
    expect(others).toEqual([])
    expect(rhythmText(found!.rhythm)).toBe("monthly/31/following")
    expect(found!.hits.map(({ residual }) => residual)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect([found!.slots, found!.observations, found!.span]).toEqual([7, 7, 181])
    expect(found!.bits).toBeCloseTo(28.2, 1)
    expect(found!.levels.levels.map(({ amount, from }) => [from, amount])).toEqual([
      [0, 1490],
      [5, 1690]
    ])
    const fit = fitBest(
      observations.map(({ day }) => day),
      slots,
      ({ accepted }) => accepted
    )
    expect(Math.floor(fit!.score)).toBe(1_048)
    const { hits, levels, residual90, rhythm } = found!
    const last = hits.at(-1)!
    const series = {
      rhythm,
      residual90,
      levels,
      lastSlot: last.slot,
      lastDay: last.observation.day,
      payments: hits.map(({ observation }) => observation)
    }
    const [next, after] = forecast(series, last.observation.day + 70, slots)
    expect([CalendarDate.fromEpochDay(next!.day), next!.amount]).toEqual(["2025-09-01", 1690])
    expect(CalendarDate.fromEpochDay(after!.day)).toBe("2025-09-30")
    expect(forecast(series, last.observation.day + 365, slots)).toHaveLength(12)
  })

  it.effect("changes its price provisionally at the first payment, for good at the second", () =>
    Effect.gen(function* () {
      const first = yield* worldWith("2025-07-01", 6)
      const changed = example[5]!.recordId
      expect(claimed(first, "amountDelta")).toEqual({ [changed]: "2" })
      expect(claimed(first, "provisional")).toEqual({ [changed]: true })
      const second = yield* worldWith("2025-08-01", 7)
      expect(claimed(second, "amountDelta")).toEqual({ [changed]: "2" })
      expect(claimed(second, "provisional")).toEqual({})
      const prices = second.said.flatMap(([, { events }]) =>
        events.flatMap(({ data, type }) => (type === "recurring.price_changed" ? [data] : []))
      )
      expect(prices).toMatchObject([{ before: "14.9", after: "16.9", percent: "13.4", provisional: false }])
    })
  )

  it.effect("says when the next payment comes, and what it will be", () =>
    Effect.gen(function* () {
      const world = yield* worldWith("2025-08-01", 7)
      const head = example[6]!.recordId
      expect(claimed(world, "expectedDate")).toEqual({ [head]: "2025-09-01" })
      expect(claimed(world, "expectedAmount")).toEqual({ [head]: "-16.9" })
      expect(claimed(world, "schedule")).toEqual({ [head]: "monthly/31/following" })
      expect(new Set(Object.values(claimed(world, "amountKind")))).toEqual(new Set(["stepped"]))
      expect(Object.values(claimed(world, "deltaDays"))).toEqual(["0", "0", "0", "0", "0", "0", "0"])
      expect(Object.values(claimed(world, "cadence"))).toEqual(example.map(() => "monthly"))
      const [finding] = world.said.flatMap(([, { findings = [] }]) => findings)
      expect(finding).toMatchObject({
        kind: "recurring_series",
        title: "streamly: monthly, -16.90 EUR, next on 2025-09-01",
        data: { annualAmount: "-202.8", state: "mature" }
      })
      expect(recurring.capabilities.finds).toContain(finding!.kind)
    })
  )
})
