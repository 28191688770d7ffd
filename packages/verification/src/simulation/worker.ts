/** A thread that plays the scenarios and sweeps it is asked to, one after the other. */
// oxlint-disable-next-line import/no-unassigned-import -- what it does has to be done before the next import
import "./PlainFibers.ts"
import { parentPort } from "node:worker_threads"
import { sweep, sweepCells, type Places, type SweepReport } from "./CrashSweep.ts"
import { live } from "./Scenario.ts"
import type { ScenarioReport } from "./ScenarioReport.ts"

/** Lives by their seeds, or one cell of the sweep. */
export type Task = { readonly seeds: ReadonlyArray<number> } | { readonly cell: number; readonly places: Places }

export type Answer = { readonly scenarios: ReadonlyArray<ScenarioReport> } | { readonly sweep: SweepReport }

/**
 * Most errors of a simulation are thrown on purpose and caught, and traced calls note where they were made, so that
 * stacks cost a tenth of all. What breaks is the same on every play: it is played again with its stacks.
 */
const told = <R extends ScenarioReport | SweepReport>(play: () => R): R => {
  Error.stackTraceLimit = 0
  const report = play()
  if (report.broken === undefined) return report
  Error.stackTraceLimit = 20
  return play()
}

parentPort?.on("message", (task: Task) => {
  const answer: Answer =
    "cell" in task
      ? { sweep: told(() => sweep(sweepCells[task.cell]!, task.places)) }
      : { scenarios: task.seeds.map((seed) => told(() => live(seed))) }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer)
})
