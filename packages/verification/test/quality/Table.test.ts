import { parseOptions } from "@millrace/verification/quality/Options"
import { datesOf, reportOf, rowsOf, tableMarkdown, tableText, withRows } from "@millrace/verification/quality/Report"
import type { Scene } from "@millrace/verification/quality/identity/Scene"
import { scenes } from "@millrace/verification/quality/Scenes"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"

const scene: Scene = {
  name: "late",
  title: "late",
  play: () => Effect.succeed([])
}

/** Scenes that were measured on a day, each with a figure of its own. */
const measured = (date: string, ...names: ReadonlyArray<string>) =>
  reportOf(
    date,
    { seed: 1, size: "full" },
    names.flatMap((name) => rowsOf({ ...scene, name }, [{ name: "played", value: Number(date.at(-1)) }]))
  )

describe("the table of quality", () => {
  const rows = rowsOf(scene, [
    { name: "lost, %", value: 1.0004, goal: { max: 1 } },
    { name: "kept, %", value: 87.999, goal: { min: 88 } },
    { name: "played", value: 12 }
  ])

  it("judges figures as it tells them, to three decimals", () => {
    expect(rows.map(({ met, value }) => [value, met])).toEqual([
      [1, true],
      [87.999, false],
      [12, true]
    ])
  })

  it("tells what was measured beside what is to be reached", () => {
    expect(tableText(rows).split("\n")).toEqual([
      "scene  figure   measured  to reach              best known elsewhere",
      "late   lost, %         1  at most 1    met      none published",
      "late   kept, %    87.999  at least 88  NOT MET  none published",
      "late   played         12"
    ])
    expect(tableMarkdown(rows)).toContain("| late | kept, % | 87.999 | at least 88 | NOT MET | none published |")
    expect(reportOf("2026-03-14", { seed: 1, size: "full" }, rows)).toMatchObject({ date: "2026-03-14", seed: 1, rows })
  })

  it("keeps what was measured of other scenes, with its day", () => {
    const order = ["early", "late", "never"]
    const first = withRows(measured("2026-03-11", "late", "early"), measured("2026-03-12", "late"), order)
    expect(first.rows.map((row) => [row.scene, row.value])).toEqual([
      ["early", 1],
      ["late", 2]
    ])
    const second = withRows(first, measured("2026-03-13", "never"), order)
    expect([...datesOf(second)]).toEqual([
      ["early", "2026-03-11"],
      ["late", "2026-03-12"],
      ["never", "2026-03-13"]
    ])
  })

  it("has scenes of different names", () => {
    expect(new Set(scenes.map(({ name }) => name)).size).toBe(scenes.length)
  })
})

const parse = (...args: ReadonlyArray<string>) => parseOptions(args, ["late", "split"])

describe("what is asked of npm run quality", () => {
  it("plays everything in full, unless told otherwise", () => {
    expect(parse()).toEqual({ seed: 1, size: "full", only: [], record: false })
    expect(parse("--quick", "--seed", "7", "--only", "late", "--only", "split")).toEqual({
      seed: 7,
      size: "quick",
      only: ["late", "split"],
      record: false
    })
  })

  it.each([
    [["--seed", "one"], '--seed: give a whole number of up to 9 digits, not "one"'],
    [["--only", "early"], '--only: there is no scene "early"; there are late, split'],
    [["--fast"], "there is no option --fast"],
    [["--quick", "--record"], "--record: only figures in full"]
  ])("refuses %j", (args, problem) => {
    expect(parse(...args)).toMatchObject({ problem: expect.stringContaining(problem) })
  })
})
