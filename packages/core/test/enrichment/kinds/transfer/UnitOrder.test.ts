import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"
import { inOrder } from "../../../../src/enrichment/kinds/transfer/UnitOrder.ts"

const random = new Seeded(4)

/** Of any size up to `most`, small ones as often as large ones. */
const sizes = (count: number, most: number): Float64Array =>
  Float64Array.from({ length: count }, () => Math.floor(most / 2 ** random.below(60)) + random.below(3))

describe("amounts in order", () => {
  it("are those that comparing them gives, however many and of whatever size", () => {
    for (const most of [0, 1, 500, 2 ** 31 - 2, 2 ** 31 + 2, 2 ** 40, 2 ** 50, 2 ** 53, 1e22]) {
      for (const count of [0, 1, 63, 64, 65, 1_000, 5_000]) {
        const units = sizes(count, most)
        const before = [...units]
        expect([...inOrder(units)]).toEqual(before.toSorted((a, b) => a - b))
        expect([...units]).toEqual(before)
      }
    }
  })

  it("may be the same many times, and next to each other", () => {
    const units = Float64Array.from({ length: 4_000 }, (_, n) => 15_000_000 + (random.once(2) ? 0 : n % 40))
    expect([...inOrder(units)]).toEqual([...units].toSorted((a, b) => a - b))
  })
})
