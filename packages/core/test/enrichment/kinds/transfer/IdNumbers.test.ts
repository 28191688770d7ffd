import { describe, expect, it } from "@effect/vitest"
import { IdNumbers } from "../../../../src/enrichment/kinds/transfer/IdNumbers.ts"

describe("numbers of ids", () => {
  it("run from 0 on in the order in which ids come, and are equal for equal ids alone", () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `txn_${n.toString(36)}`)
    // As many as it was made for, and none: each has its place.
    const numbers = new IdNumbers(ids.length + 1)
    expect(ids.map((id) => numbers.of(id))).toEqual(ids.map((_, n) => n))
    expect(numbers.of("")).toBe(ids.length)
    for (const [n, id] of ids.toReversed().entries()) expect(numbers.of(id.slice())).toBe(ids.length - 1 - n)
  })
})
