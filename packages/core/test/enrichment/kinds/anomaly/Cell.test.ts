import { Seeded } from "@millrace/testing/model"
import { Cell } from "../../../../src/enrichment/kinds/anomaly/Cell.ts"
import { expect, it } from "vitest"

const middle = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[at]! : (sorted[at - 1]! + sorted[at]!) / 2
}

it("knows the median of its values, and the median distance from it to the last bit", () => {
  const random = new Seeded(11)
  for (let n = 0; n < 1_000; n++) {
    const isCoarse = random.once(2)
    const all = Array.from({ length: 1 + random.below(40) }, () =>
      isCoarse ? random.below(5) - 2 : Math.log(1 + random.below(100_000) / 100)
    )
    const cell = new Cell()
    all.forEach((value, day) => cell.add(day, value))
    const center = middle(all)
    const usual = cell.usual()!
    expect([usual.n, usual.center]).toEqual([all.length, center])
    expect(usual.mad).toBe(middle(all.map((value) => Math.abs(value - center))))
  }
})
