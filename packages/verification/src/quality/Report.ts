/** Figures of quality as people and programs read them. */
import * as Schema from "effect/Schema"
import { elsewhere } from "./Elsewhere.ts"
import { isMet, type Effort, type Figure, type Goal, type Scene } from "./identity/Scene.ts"

const Row = Schema.Struct({
  scene: Schema.String,
  figure: Schema.String,
  value: Schema.Finite,
  goal: Schema.optionalKey(
    Schema.Union([Schema.Struct({ max: Schema.Finite }), Schema.Struct({ min: Schema.Finite })])
  ),
  met: Schema.Boolean,
  /** The day on which it was measured, where that is not the day of the report. */
  date: Schema.optionalKey(Schema.String)
})
export type Row = typeof Row.Type

/** What is written as JSON. */
export const Report = Schema.Struct({
  /** The day on which the last of it was measured. */
  date: Schema.String,
  seed: Schema.Finite,
  size: Schema.String,
  rows: Schema.Array(Row)
})
export type Report = typeof Report.Type

/** Figures are reported to three decimals, and judged as they are reported. */
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

export const rowsOf = (scene: Scene, figures: ReadonlyArray<Figure>): ReadonlyArray<Row> =>
  figures.map(({ goal, name, value }) => {
    const told = { name, value: rounded(value), ...(goal === undefined ? {} : { goal }) }
    return {
      scene: scene.name,
      figure: name,
      value: told.value,
      ...(goal === undefined ? {} : { goal }),
      met: isMet(told)
    }
  })

export const reportOf = (date: string, { seed, size }: Effort, rows: ReadonlyArray<Row>): Report => ({
  date,
  seed,
  size,
  rows
})

/**
 * The report with the rows of these scenes in the place of those that it had of them: in the order in which scenes are reported.
 * What was measured before says when.
 */
export const withRows = (
  { date, rows: before, ...kept }: Report,
  fresh: Report,
  order: ReadonlyArray<string>
): Report => {
  const measured = new Set(fresh.rows.map(({ scene }) => scene))
  const old = before.flatMap((row) => (measured.has(row.scene) ? [] : date === fresh.date ? [row] : [{ date, ...row }]))
  const rows = [...old, ...fresh.rows].toSorted((a, b) => order.indexOf(a.scene) - order.indexOf(b.scene))
  return { ...kept, date: fresh.date, rows }
}

/** The day on which each scene was measured. */
export const datesOf = ({ date, rows }: Report): ReadonlyMap<string, string> =>
  new Map(rows.map((row) => [row.scene, row.date ?? date]))

const goalText = (goal: Goal | undefined): string =>
  goal === undefined ? "" : "max" in goal ? `at most ${goal.max}` : `at least ${goal.min}`

const head = ["scene", "figure", "measured", "to reach", "", "best known elsewhere"]

const cells = ({ figure, goal, met, scene, value }: Row): ReadonlyArray<string> => [
  scene,
  figure,
  String(value),
  goalText(goal),
  goal === undefined ? "" : met ? "met" : "NOT MET",
  elsewhere(scene, figure, goal !== undefined)
]

/** The table for a terminal. */
export const tableText = (rows: ReadonlyArray<Row>): string => {
  const lines = [head, ...rows.map(cells)]
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  return lines
    .map((line) => line.map((cell, i) => (i === 2 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join("  "))
    .map((line) => line.trimEnd())
    .join("\n")
}

/** The table for a page. */
export const tableMarkdown = (rows: ReadonlyArray<Row>): string =>
  [head, head.map(() => "---"), ...rows.map(cells)].map((line) => `| ${line.join(" | ")} |`).join("\n")
