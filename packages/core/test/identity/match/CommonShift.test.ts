/** Reads without ids whose days are all off by the same number. */
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { describe, expect, it } from "vitest"
import { full, held, read, seen, type Row } from "./Rows.ts"

const day = (n: number): string => CalendarDate.addDays(CalendarDate.make("2026-03-01"), n)

/** A coffee of one price every day, and a few purchases like no other. */
const rows = (shops: number): ReadonlyArray<Row> => [
  ...Array.from({ length: 9 }, (_, n) => ({ id: "", day: day(n), amount: "-4.5", text: "COFFEE CORNER" })),
  ...Array.from({ length: shops }, (_, n) => ({ id: "", day: day(2 * n), amount: `-${20 + n}.1`, text: "DESK MAKER" }))
]

const shiftedBy = (days: number, shops = 4) => {
  const all = rows(shops)
  const result = read({
    idTrust: "none",
    coverage: full,
    held: all.map((row, n) => held(`r${n}`, row)),
    observations: all.map((row, n) =>
      seen(`o${n}`, { ...row, day: CalendarDate.addDays(CalendarDate.make(row.day!), days) })
    )
  })
  return { all, result }
}

describe("a read whose days are all off by one", () => {
  it.each([1, -1, 2])("moves each row by %i days and takes none for its neighbour", (days) => {
    const { all, result } = shiftedBy(days)
    expect([result.changed.length, result.missed, result.gone]).toEqual([all.length, [], []])
    for (const { entry, observation } of result.changed) {
      expect(CalendarDate.daysBetween(entry!.date!, observation.date!)).toBe(days)
    }
  })

  it("is read as it is where too few rows tell the shift", () => {
    const { result } = shiftedBy(1, 2)
    // Coffees are taken for those of their day, so that rows at the ends are new.
    expect(result.changed.filter(({ entry }) => entry === undefined).length).toBeGreaterThan(0)
  })

  it("is read as it is where the rows that are like no other stay, or move apart", () => {
    const all = rows(6)
    const moved = all.map((row, n) => ({ ...row, day: day(n < 9 ? n + 1 : 2 * (n - 9) + (n % 2)) }))
    const result = read({
      idTrust: "none",
      coverage: full,
      held: all.map((row, n) => held(`r${n}`, row)),
      observations: moved.map((row, n) => seen(`o${n}`, row))
    })
    expect(result.changed.filter(({ entry }) => entry === undefined).length).toBeGreaterThan(0)
  })
})
