/** The server of the benchmark as seen from outside: it is asked, looked at and ended. */
import { type ChildProcess, fork } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import { toRun } from "@millrace/verification/process/Programs"
import { freePort } from "@millrace/verification/process/ServerProcess"
import { sourceCondition } from "@millrace/verification/process/SourceCondition"
import { secondsOf } from "./CpuTime.ts"
import type { Order, Place, Reply, Request } from "./Messages.ts"

export interface ServerUnderTest {
  readonly ask: (order: Order) => Promise<unknown>
  /** Forgets what the process held at most: the next figure begins now. */
  readonly forgetPeak: () => Promise<void>
  /** Most memory that it held since then, in bytes. */
  readonly peakMemory: () => Promise<number>
  /** Processor time that it has taken so far, in seconds. */
  readonly processorSeconds: () => Promise<number>
  /** Bytes of the files that its feeds have written. */
  readonly fileBytes: () => Promise<number>
  readonly end: () => Promise<void>
}

const running = new Set<ChildProcess>()
// A benchmark that is cut short takes its servers with it.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

const bytesBelow = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  }
  return bytes
}

/** In an empty database. */
export const startServer = async (address: PostgresAddress, database: string): Promise<ServerUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), "millrace-scale-"))
  const { password, port, username } = address
  const place: Place = { port, username, password, database, apiPort: await freePort(), folder }
  const program = (await toRun(join(import.meta.dirname, "main.ts"))).at(-1)!
  const child = fork(program, [JSON.stringify(place)], {
    // As `millrace-server` does it: on machines with much memory Node lets garbage lie for long.
    execArgv: [sourceCondition, "--max-semi-space-size=16", "--heap-growing-percent=30"],
    env: { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072", ...process.env },
    stdio: ["ignore", "pipe", "pipe", "ipc"]
  })
  running.add(child)
  let printed = ""
  const keep = (chunk: unknown) => void (printed = (printed + String(chunk)).slice(-4_000))
  child.stdout!.on("data", keep)
  child.stderr!.on("data", keep)
  const waiting = new Map<
    number,
    { readonly answer: (value: unknown) => void; readonly refuse: (fault: Error) => void }
  >()
  const ended = new Promise<void>((answer) =>
    child.once("close", () => {
      running.delete(child)
      for (const { refuse } of waiting.values()) refuse(new Error(`the server ended:\n${printed}`))
      answer()
    })
  )
  await new Promise<void>((answer, refuse) => {
    child.on("message", (reply: Reply) => {
      if ("ready" in reply) return answer()
      const asked = waiting.get(reply.n)!
      waiting.delete(reply.n)
      if ("fault" in reply) asked.refuse(new Error(`${reply.fault}\n${printed}`))
      else asked.answer(reply.value)
    })
    void ended.then(() => refuse(new Error(`the server ended at its start:\n${printed}`)))
  })
  let asked = 0
  return {
    ask: (order) =>
      new Promise((answer, refuse) => {
        const n = asked++
        waiting.set(n, { answer, refuse })
        child.send({ n, ...order } satisfies Request)
      }),
    forgetPeak: () => writeFile(`/proc/${child.pid}/clear_refs`, "5"),
    peakMemory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8")
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1_024
    },
    processorSeconds: () => secondsOf(child.pid!),
    fileBytes: () => bytesBelow(folder),
    end: async () => {
      child.kill("SIGTERM")
      await ended
      await rm(folder, { recursive: true, force: true })
    }
  }
}
