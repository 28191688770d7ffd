/** A thread that plays the lives and sweeps it is told to, one after the other. */
import { parentPort } from "node:worker_threads"
import { sweep, sweepCells, type Places, type SweepReport } from "./CrashSweep.ts"
import { live } from "./Life.ts"
import type { LifeReport } from "./LifeReport.ts"

/** Lives by their seeds, or one cell of the sweep. */
export type Task = { readonly seeds: ReadonlyArray<number> } | { readonly cell: number; readonly places: Places }

export type Answer = { readonly lives: ReadonlyArray<LifeReport> } | { readonly sweep: SweepReport }

// Stacks are only looked at where a life is played again by itself.
Error.stackTraceLimit = 3

parentPort?.on("message", (task: Task) => {
  const answer: Answer =
    "cell" in task ? { sweep: sweep(sweepCells[task.cell]!, task.places) } : { lives: task.seeds.map(live) }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer)
})
