/** Booked rows that the bank corrects under another id: gone and come on one day, with the same text. */
import { Seeded } from "@millrace/testing/model"
import * as Decimal from "../../../src/shared/Decimal.ts"
import { describe, expect, it } from "vitest"
import { delta, full, held, idsOf, matched, read, seen, type Row } from "./Rows.ts"

interface Correction {
  readonly before: Row
  readonly after: Row
  readonly isOfChangeFeed: boolean
}

const digitsOf: Readonly<Record<string, number>> = { EUR: 2, USD: 2, JPY: 0, KWD: 3 }

/** A booked row, and the same with an amount that is larger by `tenths` of a percent. */
const correction = (random: Seeded, tenths: number): Correction => {
  const currency = random.pick(Object.keys(digitsOf))
  const sign = random.pick([1n, -1n])
  const units = 1_000n * BigInt(1 + random.below(100_000))
  const row = (change: bigint): Row => ({
    day: "2026-03-02",
    amount: Decimal.fromUnits(sign * (units + (units * change) / 1_000n), digitsOf[currency]!),
    currency,
    text: "DESK MAKER BERLIN"
  })
  return { before: row(0n), after: row(BigInt(tenths)), isOfChangeFeed: random.once(2) }
}

/** The record that the corrected row goes on as, where the account has older and younger rows besides. */
const recordOf = ({ after, before, isOfChangeFeed }: Correction): string | undefined => {
  const others = ["2026-02-20", "2026-03-09"].map((day) => ({ day, amount: "-3.1", text: "lamp" }))
  const result = read({
    held: [held("r", before, {}, { edited: true }), ...others.map((row, at) => held(`o${at}`, row))],
    observations: [seen("after", after), ...(isOfChangeFeed ? [] : others.map((row, at) => seen(`o${at}`, row)))],
    coverage: isOfChangeFeed ? delta : full,
    removed: new Set(isOfChangeFeed ? ["p-r"] : [])
  })
  const [[id, record] = ["nothing", undefined], ...rest] = matched(result)
  expect([id, rest, result.suggestions]).toEqual(["p-after", [], []])
  expect(idsOf([...result.gone, ...result.missed.map(({ entry }) => entry)])).toEqual(record === undefined ? ["r"] : [])
  return record
}

describe("a booked row that is corrected under another id", () => {
  it("goes on as the record that it was, where the amount is within 2 %", () => {
    const random = new Seeded(10)
    for (let n = 0; n < 300; n++) {
      expect(recordOf(correction(random, random.pick([1, 2, 5, 10, 19, 20, -1, -5, -20])))).toBe("r")
    }
  })

  it("is another row where it is more by more than that, or of another day, text, sign or currency", () => {
    const random = new Seeded(11)
    for (let n = 0; n < 100; n++) {
      expect(recordOf(correction(random, 21 + random.below(400)))).toBeUndefined()
      const { after, ...same } = correction(random, 1 + random.below(20))
      const other = random.pick<Partial<Row>>([
        { day: "2026-03-03" },
        { text: "CHAIR SHOP ROME" },
        { amount: Decimal.negate(after.amount as Decimal.Decimal) },
        { currency: "SEK" }
      ])
      expect(recordOf({ ...same, after: { ...after, ...other } })).toBeUndefined()
    }
  })

  it("is another row while the bank still shows the first", () => {
    const random = new Seeded(12)
    for (let n = 0; n < 50; n++) {
      const { after, before } = correction(random, 1 + random.below(20))
      const result = read({ held: [held("r", before)], observations: [seen("r", before), seen("after", after)] })
      expect(matched(result)).toEqual([["p-after", undefined]])
    }
  })
})
