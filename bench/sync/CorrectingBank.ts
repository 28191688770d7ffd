/**
 * A bank that corrects another hundredth of its rows each time. It has a thread to itself: as objects in ours, its rows would be
 * looked through whenever a sync collects its garbage, which a bank elsewhere costs nobody.
 */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import type { GenerateOptions } from "../generate.ts"
import type { StatementFile } from "./StatementFile.ts"

export interface Correction {
  readonly files: ReadonlyArray<StatementFile>
  /** How many rows it corrected. */
  readonly count: number
}

/** Begins with the accounts of `generate`. Each run corrects again. */
export const correctingBank = (options: GenerateOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Worker(new URL("correctingThread.ts", import.meta.url), { workerData: options })),
      (worker) => Effect.promise(() => worker.terminate())
    ),
    (worker): Effect.Effect<Correction> =>
      Effect.promise(async () => {
        const answered = once(worker, "message")
        worker.postMessage("next", [])
        const [correction] = await answered
        return correction as Correction
      })
  )
