/** A runner as the benchmark sees it: a process of its own that tells what it does. */
import { type ChildProcess, fork } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { freePort } from "@millrace/verification/process/ServerProcess"
import { sourceCondition } from "@millrace/verification/process/SourceCondition"
import type { Contestant } from "./Contestant.ts"
import type { Order, Told } from "./Messages.ts"
import type { Place } from "./Shape.ts"

export interface RunnerProcess {
  readonly send: (order: Order) => void
  /** Answers when it has ended, however it does. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  readonly ended: Promise<void>
  /** Most memory that it ever held, in bytes. */
  readonly peakMemory: () => Promise<number>
}

const running = new Set<ChildProcess>()
// A benchmark that is cut short takes its runners with it.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** Resolves when it is ready to run jobs; what it tells from then on goes to `listen`. */
export const startRunner = async (
  { module }: Contestant,
  place: Place,
  slots: number,
  listen: (told: Told) => void
): Promise<RunnerProcess> => {
  const config = JSON.stringify({ ...place, slots, ownPort: await freePort() })
  const child = fork(join(import.meta.dirname, "main.ts"), [module, config], {
    // As `npm start` does it: on machines with much memory Node lets garbage lie for long.
    execArgv: [sourceCondition, "--max-semi-space-size=16", "--heap-growing-percent=30"],
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
  running.add(child)
  let printed = ""
  child.stderr!.on("data", (chunk) => (printed = (printed + String(chunk)).slice(-4_000)))
  const ended = new Promise<void>((answer) =>
    child.once("close", () => {
      running.delete(child)
      answer()
    })
  )
  await new Promise<void>((answer, refuse) => {
    child.on("message", (told: Told) => (told.kind === "ready" ? answer() : listen(told)))
    void ended.then(() => refuse(new Error(`a runner of ${module} ended at its start:\n${printed}`)))
  })
  return {
    send: (order) => void child.send(order),
    end: (signal) => {
      child.kill(signal)
      return ended
    },
    ended,
    peakMemory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8")
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1_024
    }
  }
}
