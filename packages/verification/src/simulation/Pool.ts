/** Threads that take tasks as long as there are any. */
import { Worker } from "node:worker_threads"
import { sourceCondition } from "../process/SourceCondition.ts"
import type { Answer, Task } from "./worker.ts"

/** Lives leave nothing behind: with room for a few of them, almost nothing has to be collected. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 }

/** Ends when `next` has nothing more and every task was answered; fails when a thread dies. */
export const runPool = (
  workers: number,
  next: () => Task | undefined,
  answered: (answer: Answer) => void
): Promise<void> => {
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL("worker.ts", import.meta.url), { resourceLimits, execArgv: [sourceCondition] })
      const hand = () => {
        const task = next()
        if (task === undefined) {
          resolve()
          void worker.terminate()
          return
        }
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage(task)
      }
      worker.on("message", (answer: Answer) => {
        answered(answer)
        hand()
      })
      worker.on("error", reject)
      worker.on("online", hand)
    })
  return Promise.all(Array.from({ length: workers }, one)).then(() => {})
}
