import { describe, expect, it } from "@effect/vitest"
import { BlockDigests, unsettled } from "../../../src/identity/match/BlockDigests.ts"

const of = (entries: ReadonlyArray<readonly [block: number, digest: string]>): BlockDigests => {
  const digests = BlockDigests.none()
  for (const [block, digest] of entries) digests.set(block, digest)
  return digests
}

describe("digests of blocks", () => {
  it("come back from their texts, wherever the blocks are", () => {
    const entries = [
      [-125_000, unsettled],
      [-9, "a-_b"],
      [-8, "c"],
      [0, "d"],
      [7, "e"],
      [8, unsettled],
      [19_006, "f"]
    ] as const
    const back = BlockDigests.from(of(entries).texts)
    for (const [block, digest] of entries) expect([block, back.get(block)]).toEqual([block, digest])
    for (const block of [-124_999, -10, 1, 6, 9, 19_007, 30_000]) expect(back.get(block)).toBeUndefined()
  })

  it("are the same text in whatever order they were given, and without what was taken away", () => {
    const one = of([
      [3, "a"],
      [40, "b"],
      [-2, "c"]
    ])
    const other = of([
      [-2, "c"],
      [5, "x"],
      [40, "b"],
      [3, "a"],
      [90, "y"]
    ])
    other.delete(5)
    other.delete(90)
    other.delete(1_000)
    expect(other.texts).toEqual(one.texts)
  })

  it("are apart where one says something else or nothing, and where they are not settled", () => {
    const before = BlockDigests.from(
      of([
        [0, "a"],
        [1, "b"],
        [2, unsettled],
        [8, "c"],
        [16, "d"],
        [24, "e"]
      ]).texts
    )
    const now = of([
      [0, "a"],
      [1, "other"],
      [2, unsettled],
      [8, "c"],
      [17, "new"],
      [24, "e"],
      [30, "behind"]
    ])
    expect(before.apart(now).toSorted((a, b) => a - b)).toEqual([1, 2, 16, 17, 30])
    expect(now.apart(before).toSorted((a, b) => a - b)).toEqual([1, 2, 16, 17, 30])
  })

  it("change by themselves once they are copied", () => {
    const before = BlockDigests.from(of([[1, "a"]]).texts)
    expect(before.get(1)).toBe("a")
    const after = before.copy
    after.set(1, "b")
    after.set(2, unsettled)
    expect([before.get(1), before.get(2)]).toEqual(["a", undefined])
    expect([after.get(1), after.get(2)]).toEqual(["b", unsettled])
  })
})
