/** Several workers on one database, each of which can be killed, ended, stopped and cut off by itself. */
import { resolve } from "node:path"
import { startTcpProxy, type TcpProxy } from "../fault/TcpProxy.ts"
import { type Ending, freePort, type ServerProcess, startServer } from "../process/ServerProcess.ts"
import type { FileModel } from "./WorkerAdapters.ts"

const program = resolve(import.meta.dirname, "worker.ts")

/** A start takes a second; on a machine that does many other things, far more. */
const startMillis = 300_000

/** Milliseconds after which a worker that was told to end is taken for one that never will. */
const endMillis = 120_000

export interface FleetOptions {
  readonly workers: number
  readonly databaseUrl: string
  /** Where files are written to. */
  readonly folder: string
  readonly secret: string
  readonly bankUrl: string
  readonly destinationUrl: string
  readonly model: FileModel
  /** Seconds. */
  readonly lease: number
  readonly slots: number
  /** More settings of the worker of that number, from 0. */
  readonly environment?: (n: number) => Readonly<Record<string, string>>
}

export interface Member {
  readonly name: string
  readonly port: number
  readonly url: string
  /** Between it and the database; the first member alone has one. */
  readonly proxy: TcpProxy | undefined
  readonly process: () => ServerProcess
  /** Whether requests can be expected to be answered. */
  readonly isUp: () => boolean
  /** When it was last disturbed, by `performance.now()`. */
  readonly disturbedAt: () => number
}

class Worker implements Member {
  readonly name: string
  readonly port: number
  readonly url: string
  readonly proxy: TcpProxy | undefined
  readonly environment: Readonly<Record<string, string>>
  /** Every process that it was, the present one last. */
  readonly processes: Array<ServerProcess> = []
  up = false
  disturbed = 0

  constructor(n: number, port: number, proxy: TcpProxy | undefined, environment: Worker["environment"]) {
    this.name = `worker-${n}`
    this.port = port
    this.url = `http://127.0.0.1:${port}`
    this.proxy = proxy
    this.environment = environment
  }

  process(): ServerProcess {
    return this.processes.at(-1)!
  }

  isUp(): boolean {
    return this.up
  }

  disturbedAt(): number {
    return this.disturbed
  }
}

/** The same database by another port. */
const through = (url: string, port: number): string => {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}

export class Fleet {
  /** Ends that nobody asked for. */
  readonly surprises: Array<string> = []
  private readonly workers: Array<Worker> = []
  private readonly options: FleetOptions

  private constructor(options: FleetOptions) {
    this.options = options
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options)
    for (let n = 0; n < options.workers; n++) {
      const proxy = n === 0 ? await startTcpProxy({ port: Number(new URL(options.databaseUrl).port) }) : undefined
      fleet.workers.push(new Worker(n, await freePort(), proxy, options.environment?.(n) ?? {}))
    }
    // The first one makes the schema; the others find it.
    const [first, ...others] = fleet.workers
    await fleet.startMember(first!)
    await Promise.all(others.map((worker) => fleet.startMember(worker)))
    return fleet
  }

  get members(): ReadonlyArray<Member> {
    return this.workers
  }

  /** Those that can be expected to answer. */
  get up(): ReadonlyArray<Member> {
    return this.workers.filter((worker) => worker.up)
  }

  private of(member: Member): Worker {
    return this.workers.find((worker) => worker === member)!
  }

  async startMember(member: Member): Promise<void> {
    const worker = this.of(member)
    const { bankUrl, databaseUrl, destinationUrl, folder, lease, model, secret, slots } = this.options
    const started = await startServer({
      program,
      port: worker.port,
      environment: {
        MILLRACE_DATA: folder,
        MILLRACE_FILES: folder,
        MILLRACE_SECRET: secret,
        MILLRACE_JOB_LEASE: String(lease),
        MILLRACE_SLOTS: String(slots),
        DATABASE_URL: worker.proxy === undefined ? databaseUrl : through(databaseUrl, worker.proxy.port),
        CHAOS_WORKER: worker.name,
        CHAOS_BANK: bankUrl,
        CHAOS_DESTINATION: destinationUrl,
        CHAOS_MODEL: model,
        ...worker.environment
      }
    })
    worker.processes.push(started)
    void started.ended.then(({ code, signal }) => {
      if (worker.process() !== started || !worker.up) return
      worker.up = false
      this.surprises.push(`${worker.name} ended by itself (${signal ?? code}): ${started.stderr().slice(-1_000)}`)
    })
    await started.line(/Serving/, startMillis)
    this.restore(worker)
  }

  /** Starts those that are down, after a disturbance that was given up in the middle. */
  async startAll(): Promise<void> {
    for (const worker of this.workers) {
      if (worker.up) continue
      worker.proxy?.set("pass")
      await worker.processes.at(-1)?.kill("SIGKILL")
      await this.startMember(worker)
    }
  }

  /** Sends the signal; answers how it ended. What does not end by itself is killed. */
  async kill(member: Member, signal: "SIGKILL" | "SIGTERM"): Promise<Ending> {
    this.disturb(member)
    const running = member.process()
    const late = setTimeout(() => void running.kill("SIGKILL"), endMillis)
    const ending = await running.kill(signal)
    clearTimeout(late)
    return ending
  }

  /** Stops it in the middle of whatever it does. */
  stop(member: Member): void {
    this.disturb(member)
    process.kill(member.process().pid, "SIGSTOP")
  }

  continue(member: Member): void {
    process.kill(member.process().pid, "SIGCONT")
    this.restore(member)
  }

  /** Says that nothing can be expected of it, until `restore`. */
  disturb(member: Member): void {
    const worker = this.of(member)
    worker.up = false
    worker.disturbed = performance.now()
  }

  restore(member: Member): void {
    const worker = this.of(member)
    worker.disturbed = performance.now()
    worker.up = true
  }

  /** What the workers wrote to standard error in all their lives. */
  logs(): ReadonlyArray<{ readonly name: string; readonly text: string }> {
    return this.workers.map(({ name, processes }) => ({
      name,
      text: processes.map((one) => one.stderr()).join("--- started again\n")
    }))
  }

  async end(): Promise<void> {
    for (const worker of this.workers) worker.up = false
    await Promise.all(
      this.workers.map(async (worker) => {
        // One that stands still ends like any other by this signal.
        await worker.processes.at(-1)?.kill("SIGKILL")
        await worker.proxy?.close()
      })
    )
  }
}
