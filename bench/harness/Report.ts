/** What a benchmark came to, as text for people. */
import type { Overview } from "./Bench.ts"
import type { Goal, Judged } from "./Goals.ts"
import type { MeasuredComparison } from "./Measure.ts"

/** Three significant digits. */
export const short = (value: number): string => {
  if (!Number.isFinite(value)) return String(value)
  const [size, unit] = value >= 1e6 ? [1e6, "M"] : value >= 1e4 ? [1e3, "k"] : [1, ""]
  return `${Number((value / size).toPrecision(3))}${unit}`
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "))
    .join("\n")
}

const goalText = (goal: Goal | undefined): string =>
  goal === undefined
    ? ""
    : [
        ...(goal.min === undefined ? [] : [`at least ${goal.min}`]),
        ...(goal.max === undefined ? [] : [`at most ${goal.max}`])
      ].join(", ")

const verdict = ({ goal, met, value }: Judged): string =>
  goal === undefined ? "" : met ? "met" : value === undefined ? "NOT MEASURED" : "SHORT"

export const comparisonText = ({ name, unit, speeds }: MeasuredComparison): string =>
  table([[name, `${unit}/s`], ...Object.entries(speeds).map(([contender, speed]) => [`  ${contender}`, short(speed)])])

export const overviewText = ({ columns, name, rows }: Overview): string =>
  table([
    [name, ...columns],
    ...rows.map(({ name: row, values }) => [
      `  ${row}`,
      ...values.map((value) => (value === Infinity ? "not in time" : short(value)))
    ])
  ])

export const judgedText = (judged: ReadonlyArray<Judged>): string =>
  table([
    ["ratio or figure", "measured", "goal", ""],
    ...judged.map((each) => [
      `  ${each.name}`,
      each.value === undefined ? "-" : short(each.value),
      goalText(each.goal),
      verdict(each)
    ])
  ])
