/** What came of the steps, for people to read. */
import type { Step } from "./Plan.ts"
import type { Figures } from "../Scenario.ts"

export interface Outcome {
  readonly step: Step
  readonly title: string
  readonly seconds: number
  readonly figures: Figures
  /** Acknowledged by a server. */
  readonly jobs: number
  /** Compared at destinations. */
  readonly rows: number
  /** To people, made by enrichments. */
  readonly messages: number
  readonly breaches: ReadonlyArray<string>
}

const columns = ["scenario", "destination", "times", "jobs", "rows", "seconds", "breaches"] as const

const cellsOf = ({ breaches, jobs, rows, seconds, step }: Outcome): ReadonlyArray<string> => [
  step.name,
  step.model,
  String(step.count),
  String(jobs),
  String(rows),
  seconds.toFixed(0),
  String(breaches.length)
]

const isNumber = (text: string): boolean => /^\d+$/.test(text)

export const tableText = (outcomes: ReadonlyArray<Outcome>): string => {
  const lines = [columns, ...outcomes.map(cellsOf)]
  const widths = columns.map((_, n) => Math.max(...lines.map((cells) => cells[n]!.length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, n) => (isNumber(cell) ? cell.padStart(widths[n]!) : cell.padEnd(widths[n]!)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Breaches of one step that are shown; the number tells how many there are. */
const shown = 10

export const outcomeText = ({ breaches, figures, seconds, step, title }: Outcome): string =>
  [
    `${title} (${step.model}): ${breaches.length === 0 ? "held" : `${breaches.length} breaches`} in ${seconds.toFixed(0)} s`,
    ...Object.entries(figures).map(([name, value]) => `  ${name}: ${value}`),
    ...breaches.slice(0, shown).map((breach) => `  BREACH ${breach}`)
  ].join("\n")
