/** Rows of an account, put together to blocks. */
import { Blocks } from "../../../src/identity/match/Blocks.ts"
import { undatedDay } from "../../../src/identity/match/EpochDays.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"

/** Days of rows that come so often: `perDay` each day. */
const daysOf = (days: number, perDay: number): Int32Array =>
  Int32Array.from({ length: Math.round(days * perDay) }, (_, at) => 20_000 + Math.floor(at / perDay))

const fitting = (perDay: number): string => Blocks.fitting(daysOf(800, perDay)).text
const dayAt = CalendarDate.fromEpochDay

/** Blocks of a day that has four of them. */
const parts = (day: number, ...some: ReadonlyArray<number>) => some.map((part) => day * 4 + part)

describe("blocks of rows", () => {
  it("have about four rows of some days, or eight to sixteen of one where many come in it", () => {
    expect([1 / 20, 1 / 5, 1, 3, 12, 16, 67, 3_000].map(fitting)).toEqual([
      "32/1",
      "16/1",
      "4/1",
      "1/1",
      "1/1",
      "1/2",
      "1/8",
      "1/32"
    ])
    expect(Blocks.fitting(Int32Array.from([undatedDay, undatedDay])).text).toBe("1/1")
  })

  it("come back from their text, and are like those that are twice or half as large", () => {
    const one = Blocks.parse(Blocks.fitting(daysOf(100, 67)).text)
    expect([one.days, one.parts]).toEqual([1, 8])
    const likes = ["2/1", "1/1", "1/2", "1/4", "1/8", "1/16", "1/32"].map((text) => one.isLike(Blocks.parse(text)))
    expect(likes).toEqual([false, false, false, true, true, true, false])
    expect(Blocks.parse("2/1").isLike(Blocks.parse("1/1"))).toBe(true)
    expect(Blocks.parse("2/1").isLike(Blocks.parse("1/2"))).toBe(false)
  })

  it("hold all rows of a day between its first and its last, and say of which days they are", () => {
    const random = new Seeded(5)
    for (const text of ["32/1", "4/1", "1/1", "1/4", "1/32"]) {
      const blocks = Blocks.parse(text)
      for (let round = 0; round < 300; round++) {
        const day = random.below(60_000) - 30_000
        const block = blocks.of(day, `id-${random.below(1_000_000)}`)
        expect(block).toBeGreaterThanOrEqual(blocks.from(day))
        expect(block).toBeLessThan(blocks.after(day))
        expect([...blocks.within({ from: dayAt(day), to: dayAt(day) })]).toContain(block)
        const [days] = blocks.daysOf([block])
        expect(days!.from <= dayAt(day) && dayAt(day) <= days!.to).toBe(true)
        expect(CalendarDate.toEpochDay(days!.to) - CalendarDate.toEpochDay(days!.from) + 1).toBe(blocks.days)
      }
      expect(blocks.daysOf([blocks.of(undatedDay, "u1"), blocks.of(undatedDay, "u2")])).toEqual([])
    }
  })

  it("put days that follow each other together where the same parts of them are meant", () => {
    const blocks = Blocks.parse("1/4")
    expect(blocks.daysOf([...parts(6, 2, 0), ...parts(5, 0, 2), ...parts(7, 1), ...parts(9, 1)])).toEqual([
      { from: dayAt(5), to: dayAt(6), idParts: { of: 4, which: 0b101 } },
      { from: dayAt(7), to: dayAt(7), idParts: { of: 4, which: 0b10 } },
      { from: dayAt(9), to: dayAt(9), idParts: { of: 4, which: 0b10 } }
    ])
    expect(Blocks.parse("2/1").daysOf([3, 4, 8])).toEqual([
      { from: dayAt(6), to: dayAt(9) },
      { from: dayAt(16), to: dayAt(17) }
    ])
  })

  it("part the rows of a day by ids that are counted, evenly", () => {
    const blocks = Blocks.parse("1/8")
    const rows = new Map<number, number>()
    for (let id = 0; id < 8_000; id++) {
      const block = blocks.of(3, `txn-${id}`)
      rows.set(block, (rows.get(block) ?? 0) + 1)
    }
    expect(rows.size).toBe(8)
    expect(Math.min(...rows.values())).toBeGreaterThan(700)
  })
})
