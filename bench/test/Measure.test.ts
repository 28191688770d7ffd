import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Comparison, Contender } from "../harness/Bench.ts"
import { measure, median } from "../harness/Measure.ts"

/** Takes these milliseconds, one after the other, and the last again and again. */
const taking = (name: string, millis: ReadonlyArray<number>, outcome: string | number = "same"): Contender => {
  let run = 0
  return {
    name,
    run: Effect.suspend(() => TestClock.adjust(millis[Math.min(run++, millis.length - 1)]!)).pipe(
      Effect.as(() => outcome)
    )
  }
}

const comparison = (contenders: ReadonlyArray<Contender>): Comparison => ({
  name: "work",
  amount: 100,
  unit: "rows",
  contenders,
  ratios: [{ name: "a to b", of: "a", by: "b" }]
})

const effort = { rounds: 3, minMillis: 1, settle: Effect.void }

describe("measure", () => {
  it.effect("gives the median of the ratios of the rounds, without the one that warms up", () =>
    Effect.gen(function* () {
      // b always takes 100 ms; a takes 1 ms in the round that does not count, then 50, 100 and 20.
      const result = yield* measure(comparison([taking("a", [1, 50, 100, 20]), taking("b", [100])]), effort)
      expect(result.ratios).toEqual([{ name: "a to b", value: 2, rounds: [2, 1, 5] }])
      expect(result.speeds).toEqual({ a: 2_000, b: 1_000 })
    })
  )

  it.effect("runs a fast contender until the time of a round is spent", () =>
    Effect.gen(function* () {
      let runs = 0
      const counted: Contender = {
        name: "a",
        run: Effect.suspend(() => {
          runs++
          return Effect.as(TestClock.adjust(3), () => "same")
        })
      }
      yield* measure(comparison([counted, taking("b", [10])]), { ...effort, rounds: 1, minMillis: 10 })
      // 3, 6, 9, 12 ms in each of the two rounds.
      expect(runs).toBe(8)
    })
  )

  it.effect("does not count the time before a run, nor that of settling", () =>
    Effect.gen(function* () {
      const prepared = { ...taking("a", [10]), before: TestClock.adjust(500) }
      const result = yield* measure(comparison([prepared, taking("b", [10])]), {
        ...effort,
        settle: TestClock.adjust(1_000)
      })
      expect(result.ratios[0]!.value).toBe(1)
    })
  )

  it.effect("compares speeds, not times, where a slow peer does a slice", () =>
    Effect.gen(function* () {
      const slice = { ...taking("b", [10], "another result"), amount: 10 }
      const result = yield* measure(comparison([taking("a", [10]), slice]), effort)
      expect(result.ratios[0]!.value).toBe(10)
    })
  )

  it.effect("refuses contenders that come to different results", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(
        measure(comparison([taking("a", [10], "7 rows"), taking("b", [10], "8 rows")]), effort)
      )
      expect(fault).toMatchObject({ _tag: "BenchFault", message: "work: a came to 7 rows, b to 8 rows" })
    })
  )

  it.effect("refuses a slice that does not come to what is expected of it", () =>
    Effect.gen(function* () {
      const slice = { ...taking("b", [10], "1 row"), amount: 10, expected: "2 rows" }
      const fault = yield* Effect.flip(measure(comparison([taking("a", [10], "7 rows"), slice]), effort))
      expect(fault).toMatchObject({ _tag: "BenchFault", message: "work: b came to 1 row and not to 2 rows" })
    })
  )

  it.effect("compares no result of a contender that does other work", () =>
    Effect.gen(function* () {
      const limit: Contender = { name: "b", run: Effect.as(TestClock.adjust(10), () => undefined) }
      const result = yield* measure(comparison([taking("a", [20], "7 rows"), limit]), effort)
      expect(result.ratios[0]!.value).toBe(0.5)
    })
  )

  it.effect("refuses a ratio of a contender that is not there", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(measure(comparison([taking("a", [10])]), effort))
      expect(fault).toMatchObject({ _tag: "BenchFault", message: expect.stringContaining('"a to b" names b') })
    })
  )
})

describe("median", () => {
  it("is the middle one, or the mean of the two in the middle", () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([])).toBeNaN()
  })
})
