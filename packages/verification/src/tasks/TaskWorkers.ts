/** Processes that run tasks on one database, each of which may be killed at any time and is started again. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { resolve } from "node:path"
import { forget, guard } from "../process/Guardian.ts"
import type { PostgresAddress } from "../postgres/PostgresServer.ts"
import { toRun } from "../process/Programs.ts"

const program = resolve(import.meta.dirname, "worker.ts")

/** What a worker has to know. */
export interface WorkerPlace extends PostgresAddress {
  readonly database: string
  /** What its tasks tell outside of storage is appended to it. */
  readonly file: string
  /** Seconds of the lease of a task. */
  readonly lease: number
  readonly name: string
}

export class TaskWorkers {
  readonly #place: Omit<WorkerPlace, "name">
  readonly #workers: Array<ChildProcess> = []
  #started = 0
  #errors = ""

  constructor(place: Omit<WorkerPlace, "name">) {
    this.#place = place
  }

  /** How many of them run tasks. */
  get running(): number {
    return this.#workers.length
  }

  /** What the workers wrote to standard error. */
  get errors(): string {
    return this.#errors
  }

  /** Starts one, and returns when it runs tasks. */
  async start(): Promise<void> {
    const place: WorkerPlace = { ...this.#place, name: `worker ${++this.#started}` }
    const child = spawn(process.execPath, await toRun(program), {
      env: { ...process.env, TASK_WORKER: JSON.stringify(place) },
      stdio: ["ignore", "pipe", "pipe"]
    })
    guard({ pid: child.pid!, signal: "SIGKILL" })
    child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()))
    child.once("exit", () => forget(child.pid!))
    const said = new Promise<void>((running, ended) => {
      child.stdout.on("data", () => running())
      child.once("exit", (code) => ended(new Error(`A worker ended with ${code}: ${this.#errors}`)))
    })
    await said
    this.#workers.push(child)
  }

  /** Kills the one of that number, modulo how many run, without a warning. */
  async kill(n: number): Promise<void> {
    const [child] = this.#workers.splice(n % this.#workers.length, 1)
    if (child === undefined) return
    const exit = once(child, "exit")
    child.kill("SIGKILL")
    await exit
  }

  async killAll(): Promise<void> {
    while (this.#workers.length > 0) await this.kill(0)
  }
}
