/** Budgets against a calculation of their own; `MILLRACE_LONG=1` takes a hundred thousand ledgers. */
import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { foldPeriods } from "../../../../src/enrichment/kinds/budget/Fold.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { budget, everything, is, record, sumsOf, tableOf, worldOf } from "./BudgetWorld.ts"

const ledgers = process.env["MILLRACE_LONG"] === "1" ? 100_000 : 120
const today = "2026-03-10"
const from = CalendarDate.toEpochDay(CalendarDate.make("2025-12-20"))

const categories = ["rent", "food", "fun"] as const
const amountOf = (cents: number): string =>
  `${cents < 0 ? "-" : ""}${Math.trunc(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, "0")}`

interface Row {
  readonly id: string
  readonly day: number
  readonly cents: number
  readonly category: (typeof categories)[number]
  readonly pending: boolean
  readonly internal: boolean
}

const rowOf = (random: Seeded, id: string): Row => ({
  id,
  day: from + random.below(100),
  cents: random.below(20_000) - 15_000,
  category: random.pick(categories),
  pending: random.once(5),
  internal: random.once(6)
})

const asRecord = ({ category, cents, day, id, internal, pending }: Row) =>
  record(id, CalendarDate.fromEpochDay(day), amountOf(cents), {
    category,
    pending,
    ...(internal ? { "transfer.kind": "internal", "transfer.state": "auto" } : {})
  })

const configOf = (random: Seeded) => {
  const carry = () => random.pick(["none", "positive", "negative", "both"] as const)
  const lineOf = (key: string, match: object) => {
    const kind = carry()
    return {
      key,
      name: key,
      match,
      amount: amountOf(random.below(40_000)),
      carry: kind,
      ...(kind !== "none" && random.once(2) ? { carryCap: amountOf(random.below(10_000)) } : {})
    }
  }
  return {
    lines: [lineOf("food", is("category", "food")), lineOf("rest", everything)],
    assignment: random.pick(["first", "all"] as const),
    pending: random.pick(["include", "exclude"] as const)
  }
}

const cents = (text: string) => Math.round(Number(text) * 100)

/** Months as people count them, in whole cents: nothing of the budget is used. */
const expected = (config: ReturnType<typeof configOf>, rows: ReadonlyArray<Row>) => {
  const months = ["2025-12", "2026-01", "2026-02", "2026-03"]
  const monthOf = ({ day }: Row) => new Date(day * 86_400_000).toISOString().slice(0, 7)
  const counted = rows.filter((row) => !row.internal && !(config.pending === "exclude" && row.pending))
  const taken = (row: Row, at: number) =>
    at === 0 ? row.category === "food" : config.assignment === "all" || row.category !== "food"
  const begun = counted.map(monthOf).toSorted()[0]
  return config.lines.map((line, at) => {
    let carried = 0
    return months
      .filter((month) => begun !== undefined && month >= begun)
      .map((month) => {
        let spent = 0
        for (const row of counted) if (taken(row, at) && monthOf(row) === month) spent -= row.cents
        const available = cents(line.amount) + carried - spent
        const goes = available > 0 ? ["positive", "both"] : ["negative", "both"]
        const cap = line.carryCap === undefined ? Infinity : cents(line.carryCap)
        carried = goes.includes(line.carry) ? Math.max(-cap, Math.min(cap, available)) : 0
        return [month, spent, available, carried].join(" ").replaceAll("-0", "0")
      })
  })
}

const found = Effect.fnUntraced(function* (config: object, world: ReturnType<typeof worldOf>) {
  const decoded = Result.getOrThrow(decode(budget.Config, config))
  const { recurrence } = budget.prepare(decoded, catalogOf("transactions"))
  const rows = (yield* tableOf(world))?.rows ?? []
  if (rows.length === 0) return decoded.lines.map(() => [])
  const options = { config: decoded, recurrence, digits: 2, past: [], today: CalendarDate.make(today) }
  const periods = foldPeriods(rows, options)
  return decoded.lines.map((_, at) =>
    periods.map((cells) => {
      const { available, carriedOut, spent, start } = cells[at]!
      return [start.slice(0, 7), spent, available, carriedOut].join(" ").replaceAll("-0", "0")
    })
  )
})

describe("budgets over random ledgers", () => {
  it.effect(
    "come to what a calculation from zero comes to, however the records came",
    () =>
      Effect.gen(function* () {
        const random = new Seeded(20_260_310)
        for (let n = 0; n < ledgers; n++) {
          const config = configOf(random)
          const rows = new Map<string, Row>()
          const world = worldOf(config)
          for (let change = 0, changes = 1 + random.below(12); change < changes; change++) {
            for (let some = random.below(6); some >= 0; some--) {
              const id = `r${random.below(20)}`
              if (random.once(4)) {
                rows.delete(id)
                world.remove(id)
              } else {
                const row = rowOf(random, id)
                rows.set(id, row)
                world.put(asRecord(row))
              }
            }
            if (random.once(2)) yield* world.plan()
          }
          expect([n, yield* found(config, world)]).toEqual([n, expected(config, [...rows.values()])])
        }
      }),
    0
  )

  it.effect("move by exactly the amount of a record that moves, and spend no more than there is under `first`", () =>
    Effect.gen(function* () {
      const random = new Seeded(31)
      for (let n = 0; n < ledgers / 10; n++) {
        const config = { ...configOf(random), assignment: "first", pending: "include" }
        const rows = Array.from({ length: 12 }, (_, at) => ({ ...rowOf(random, `r${at}`), internal: false }))
        const world = worldOf(config)
        world.put(...rows.map(asRecord))
        const before = yield* sumsOf(world)
        const total = [...before.values()].reduce((sum, units) => sum + units, 0n)
        expect(total).toBe(BigInt(-rows.reduce((sum, row) => sum + row.cents, 0)))
        const row = random.pick(rows)
        const moved = { ...row, day: from + random.below(100) }
        world.put(asRecord(moved))
        const after = yield* sumsOf(world)
        const change = new Map<string, bigint>()
        const key = ({ category, day }: Row) =>
          `${CalendarDate.fromEpochDay(day).slice(0, 7)}-01 ${category === "food" ? "food" : "rest"}`
        change.set(key(row), BigInt(row.cents))
        change.set(key(moved), (change.get(key(moved)) ?? 0n) - BigInt(row.cents))
        for (const place of new Set([...before.keys(), ...after.keys()])) {
          expect((after.get(place) ?? 0n) - (before.get(place) ?? 0n)).toBe(change.get(place) ?? 0n)
        }
      }
    })
  )
})
