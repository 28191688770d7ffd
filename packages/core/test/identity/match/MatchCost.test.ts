import { pairCost, type HeldRow, type PairContext } from "../../../src/identity/match/MatchCost.ts"
import { defaultMatchConfig, type MatchConfig } from "../../../src/identity/match/Matching.ts"
import { RowReader } from "../../../src/identity/match/MatchRow.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Decimal from "../../../src/shared/Decimal.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

interface Row {
  readonly day?: string | null
  readonly amount?: string
  readonly text?: string
  readonly pending?: boolean
  readonly currency?: string
}

const reader = new RowReader()

const row = ({ amount = "-40", currency = "EUR", day = "2026-03-10", pending = false, text = "desk maker" }: Row) =>
  reader.read(
    { amount, currency, description: text, originalDescription: text },
    day === null ? null : CalendarDate.make(day),
    pending
  )!

interface Pair {
  readonly observed?: Row
  readonly held?: Row
  readonly about?: Partial<HeldRow>
  readonly config?: Partial<MatchConfig>
  readonly context?: Partial<PairContext>
}

const cost = ({ about, config, context, held = {}, observed = {} }: Pair) =>
  pairCost(
    row(observed),
    { ...row(held), removed: false, listed: false, absent: true, ...about },
    { ...defaultMatchConfig, ...config },
    { sameId: false, amountElsewhere: () => false, ...context }
  )

const pending: Row = { pending: true }
const posted = (day: string, change: Row = {}): Row => ({ day, ...change })

const parts = (held: string, observed: string, change: Pair = {}) =>
  cost({
    ...change,
    held: { pending: true, amount: held, ...change.held },
    observed: { amount: observed, ...change.observed }
  })?.parts

/** Two posted rows. */
const change = (held: string, observed: string, about: Partial<HeldRow> = {}) =>
  cost({ held: { amount: held }, observed: { amount: observed }, about })?.parts

const scaled = (value: number, zeros: string) => Decimal.make(`-${value}${zeros}.5`)

describe("the cost of a date", () => {
  it.each([
    ["2026-03-10", 0],
    ["2026-03-11", 18],
    ["2026-03-14", 60 + 48],
    ["2026-03-24", 210 + 588],
    ["2026-03-25", undefined],
    ["2026-03-09", 80],
    ["2026-03-08", 160],
    ["2026-03-07", undefined]
  ])("of a pending row of 10 March that is posted on %s is %s", (day, points) => {
    expect(cost({ held: pending, observed: posted(day) })?.parts["date"]).toBe(points)
  })

  it.each([
    ["2026-03-10", 0],
    ["2026-03-13", 360],
    ["2026-03-07", 360],
    ["2026-03-14", undefined]
  ])("of a posted row of 10 March that moves to %s is %s", (day, points) => {
    expect(cost({ observed: posted(day) })?.parts["date"]).toBe(points)
  })

  it("is shorter where the amount differs, unless it was a hold", () => {
    const late = (held: string, observed: string) =>
      cost({
        held: { ...pending, amount: held },
        observed: posted("2026-03-14", { amount: observed }),
        config: { changedWindowDays: 3 }
      })
    expect(late("-40", "-41")).toBeUndefined()
    expect(late("-50", "-51")?.parts["hold"]).toBe(650)
    expect(late("-50", "-50")?.cost).toBe(108)
    expect(cost({ held: pending, observed: posted("2026-03-18", { amount: "-41" }) })?.parts["date"]).toBe(120 + 192)
  })

  it("is fixed where the pending row has none", () => {
    expect(cost({ held: { pending: true, day: null } })?.parts["date"]).toBe(50)
  })
})

describe("the cost of an amount", () => {
  it.each([
    ["-42", "-42", "amount", 0],
    ["-42", "-49.56", "tip", 430],
    ["-40", "-54", "tip", 600],
    ["-40", "-54.01", "", undefined],
    ["-40", "-20", "partialCapture", 800],
    ["-40", "-19.99", "", undefined],
    ["-40", "-39", "partialCapture", 420],
    ["-1", "-87.13", "hold", 650],
    ["-0.5", "-87.13", "hold", 650],
    ["-125", "-31.2", "hold", 650],
    ["-125.01", "-31.2", "", undefined],
    ["-25", "-26", "tip", 290],
    ["40", "41", "tip", 275],
    ["-40", "40", "", undefined],
    ["0", "-40", "", undefined],
    ["0", "0", "", undefined]
  ])("from %s to %s is %s %s", (held, observed, name, points) => {
    expect(parts(held, observed)?.[name]).toBe(points)
    if (points === undefined) expect(parts(held, observed)).toBeUndefined()
  })

  it("allows a re-rating where the text tells of another currency", () => {
    const abroad = { text: "desk maker 10.00 USD" }
    expect(parts("-400", "-404", { held: abroad })).toMatchObject({ rerating: 250 })
    expect(parts("-400", "-416", { held: abroad })).toMatchObject({ tip: 290 })
    expect(parts("-410", "-400", { observed: abroad })).toMatchObject({ rerating: 322 })
    expect(parts("-410", "-400", { observed: { text: "desk maker 10.00 EUR" } })).toMatchObject({ partialCapture: 420 })
  })

  it("needs a likely text for every difference", () => {
    const half = { text: "desk shop of wood" }
    expect(parts("-40", "-41", { observed: half })).toMatchObject({ tip: 275 })
    expect(parts("-40", "-39", { observed: half })).toBeUndefined()
    expect(parts("-50", "-70", { observed: half })).toBeUndefined()
    expect(parts("-40", "-41", { observed: { text: "lamp" } })).toBeUndefined()
  })

  it("takes tips and holds only from pending rows, and any difference only from rows that are known to be away", () => {
    expect(change("-40", "-41")).toBeUndefined()
    expect(change("-50", "-90")).toBeUndefined()
    expect(change("-40", "-39")).toMatchObject({ partialCapture: 420 })
    expect(change("-40", "-39", { absent: false })).toBeUndefined()
  })

  it("follows the configuration", () => {
    expect(parts("-40", "-41", { config: { tipBandPercent: 2 } })).toBeUndefined()
    expect(parts("-50", "-90", { config: { holds: false } })).toBeUndefined()
    expect(cost({ observed: posted("2026-03-12"), config: { shiftDays: 1 } })).toBeUndefined()
    expect(cost({ held: pending, observed: posted("2026-03-12"), config: { exactWindowDays: 1 } })).toBeUndefined()
  })

  it("counts exactly what doubles cannot hold", () => {
    expect(parts("-90071992547409.93", "-90071992547409.94")).toMatchObject({ tip: 250 })
    expect(parts("-4000000000000.01", "-5400000000000.0135")).toMatchObject({ tip: 600 })
    expect(parts("-4000000000000.01", "-5400000000000.0136")).toBeUndefined()
  })
})

describe("the cost of what speaks against a pair", () => {
  it("has the texts in it", () => {
    expect(cost({ observed: { text: "desk maker berlin" } })?.parts["text"]).toBe(70)
    expect(cost({ held: pending, observed: { text: "" } })?.parts["text"]).toBe(350)
    expect(cost({ held: pending, observed: { text: "lamp" } })?.parts["text"]).toBe(700)
  })

  it("is higher where another row has the amount, or two posted texts differ", () => {
    const elsewhere = { amountElsewhere: () => true }
    expect(cost({ held: pending, observed: { text: "lamp" }, context: elsewhere })).toBeUndefined()
    expect(cost({ held: pending, observed: { text: "desk" }, context: elsewhere })?.cost).toBe(70)
    const wood = { observed: { text: "desk shop of wood" } }
    expect(cost({ ...wood, about: { absent: false } })?.parts["unlikeText"]).toBe(400)
    expect(cost(wood)?.parts["unlikeText"]).toBeUndefined()
    expect(cost({ held: pending, observed: { text: "desk shop of wood" } })?.parts["unlikeText"]).toBeUndefined()
  })

  it("lets a posted row that may be there still not move while another row has its amount", () => {
    const moved = { observed: posted("2026-03-11"), about: { absent: false } }
    expect(cost(moved)?.cost).toBe(120)
    expect(cost({ ...moved, context: { amountElsewhere: () => true } })).toBeUndefined()
    expect(cost({ ...moved, about: { absent: true }, context: { amountElsewhere: () => true } })?.cost).toBe(120)
  })

  it("adds what is known of the record, and never goes below zero", () => {
    expect(cost({ about: { removed: true } })?.cost).toBe(150)
    expect(cost({ held: pending, about: { absent: false } })?.cost).toBe(200)
    expect(cost({ about: { listed: true } })).toMatchObject({ cost: 0, parts: { listedAsRemoved: -100 } })
    expect(cost({ observed: posted("2026-03-11"), context: { sameId: true } })?.cost).toBe(70)
  })

  it("keeps a pending row from being the later form of a posted one", () => {
    expect(cost({ observed: pending })).toBeUndefined()
  })
})

describe("the cost of any pair", () => {
  it("is a whole number below that of a new record, and the sum of its parts", () => {
    const random = new Seeded(7)
    const any = (): Row => ({
      day: `2026-03-${String(1 + random.below(20)).padStart(2, "0")}`,
      amount: random.pick(["-1", "-40", "-41.5", "-50", "-75", "40", "0", "-0.001"]),
      text: random.pick(["desk maker", "desk", "lamp desk 5.00 USD", "", "wood"]),
      pending: random.once(2),
      currency: random.pick(["EUR", "EUR", "USD"])
    })
    let made = 0
    for (let n = 0; n < 20_000; n++) {
      const found = cost({
        observed: any(),
        held: any(),
        about: {
          removed: random.once(4),
          listed: random.once(4),
          absent: random.once(2)
        },
        context: { sameId: random.once(4), amountElsewhere: () => n % 2 === 0 }
      })
      if (found === undefined) continue
      made++
      const total = Object.values(found.parts).reduce((sum, points) => sum + points, 0)
      expect(found.cost).toBe(Math.max(0, total))
      expect(Number.isInteger(found.cost) && found.cost < 1_000).toBe(true)
    }
    expect(made).toBeGreaterThan(300)
  })

  it("does not depend on how an amount is scaled", () => {
    const random = new Seeded(8)
    for (let n = 0; n < 2_000; n++) {
      const [a, b] = [1 + random.below(9_999), 1 + random.below(9_999)]
      const small = cost({
        held: { ...pending, amount: `-${a * 10 + 5}` },
        observed: { amount: `-${b * 10 + 5}` },
        config: { holds: false }
      })
      const large = cost({
        held: { ...pending, amount: Decimal.fromUnits(Decimal.toUnits(scaled(a, ""), 1) * 10n ** 15n, 0) },
        observed: { amount: Decimal.fromUnits(Decimal.toUnits(scaled(b, ""), 1) * 10n ** 15n, 0) },
        config: { holds: false }
      })
      expect(large?.parts).toEqual(small?.parts)
    }
  })
})
