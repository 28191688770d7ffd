import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Goals, judge } from "../harness/Goals.ts"
import { comparisonText, judgedText, short } from "../harness/Report.ts"

const folder = join(import.meta.dirname, "..")

describe("judge", () => {
  it("is met at the goal itself, and not below or above", () => {
    const goals = { low: { min: 2 }, exact: { min: 2 }, high: { max: 2 }, over: { max: 2 } }
    const measured = [
      { name: "low", value: 1.99 },
      { name: "exact", value: 2 },
      { name: "high", value: 2 },
      { name: "over", value: 2.01 }
    ]
    expect(judge(goals, measured).map(({ name, met }) => [name, met])).toEqual([
      ["low", false],
      ["exact", true],
      ["high", true],
      ["over", false]
    ])
  })

  it("asks nothing of a ratio without a goal, also one named like what objects inherit", () => {
    expect(judge({}, [{ name: "toString", value: 0 }])).toEqual([
      { name: "toString", value: 0, goal: undefined, met: true }
    ])
  })

  it("takes a goal for missed that nothing was measured for", () => {
    expect(judge({ gone: { min: 1 } }, [])).toEqual([{ name: "gone", value: undefined, goal: { min: 1 }, met: false }])
  })

  it("takes a ratio for missed that is not a number", () => {
    expect(judge({ a: { min: 1 } }, [{ name: "a", value: Number.NaN }])[0]!.met).toBe(false)
  })
})

describe("goals.json", () => {
  it.effect("has goals for benchmarks that exist", () =>
    Effect.gen(function* () {
      const text = readFileSync(join(folder, "goals.json"), "utf8")
      const goals = yield* Schema.decodeEffect(Schema.fromJsonString(Goals))(text)
      const names = readdirSync(folder).flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? [])
      expect(names.length).toBeGreaterThan(0)
      expect(names).toEqual(expect.arrayContaining(Object.keys(goals)))
    })
  )
})

describe("report", () => {
  it("says which goals are met, missed and not measured", () => {
    const text = judgedText(
      judge({ a: { min: 2 }, b: { max: 1 }, c: { min: 1 } }, [
        { name: "a", value: 2.345 },
        { name: "b", value: 3 },
        { name: "d", value: 1 }
      ])
    )
    expect(text.split("\n").map((line) => line.split(/ {2,}/).map((cell) => cell.trim()))).toEqual(
      [
        ["ratio or figure", "measured", "goal", ""],
        ["", "a", "2.35", "at least 2", "met"],
        ["", "b", "3", "at most 1", "SHORT"],
        ["", "d", "1", "", ""],
        ["", "c", "-", "at least 1", "NOT MEASURED"]
      ].map((cells) => expect.arrayContaining(cells))
    )
  })

  it("shows speeds with three digits", () => {
    expect([0.0123456, 5, 1234.5, 12_345, 1_234_567].map(short)).toEqual(["0.0123", "5", "1230", "12.3k", "1.23M"])
    expect(comparisonText({ name: "CSV", unit: "MB", speeds: { ours: 61.25 }, ratios: [] })).toBe(
      "CSV     MB/s\n  ours  61.3"
    )
  })
})
