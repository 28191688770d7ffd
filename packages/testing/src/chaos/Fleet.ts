/** Several workers on one database, each of which can be killed, ended, stopped and cut off by itself. */
import { join, resolve } from "node:path"
import { startTcpProxy, type TcpProxy } from "../fault/TcpProxy.ts"
import { type Ending, lastingPort, type ServerProcess, startServer } from "../process/ServerProcess.ts"
import type { FileModel } from "./WorkerAdapters.ts"

const program = resolve(import.meta.dirname, "worker.ts")

/** Milliseconds after which a worker that was told to end is taken for one that never will. */
const endMillis = 30_000

export interface FleetOptions {
  readonly workers: number
  readonly databaseUrl: string
  /** Where files are written to, and the compile cache of the workers. */
  readonly folder: string
  readonly secret: string
  readonly bankUrl: string
  readonly destinationUrl: string
  readonly model: FileModel
  /** Seconds. */
  readonly lease: number
  readonly slots: number
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

interface Held {
  member: Member
  /** Every process that it was, the present one last. */
  readonly processes: Array<ServerProcess>
  process: ServerProcess | undefined
  up: boolean
  disturbedAt: number
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
  private readonly held: Array<Held> = []
  private readonly options: FleetOptions

  private constructor(options: FleetOptions) {
    this.options = options
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options)
    for (let n = 0; n < options.workers; n++) {
      const port = await lastingPort()
      const proxy = n === 0 ? await startTcpProxy({ port: Number(new URL(options.databaseUrl).port) }) : undefined
      const held: Held = { member: undefined as never, processes: [], process: undefined, up: false, disturbedAt: 0 }
      held.member = {
        name: `worker-${n}`,
        port,
        url: `http://127.0.0.1:${port}`,
        proxy,
        process: () => held.process!,
        isUp: () => held.up,
        disturbedAt: () => held.disturbedAt
      }
      fleet.held.push(held)
    }
    // The first one makes the schema; the others find it.
    for (const { member } of fleet.held) await fleet.startMember(member)
    return fleet
  }

  get members(): ReadonlyArray<Member> {
    return this.held.map(({ member }) => member)
  }

  /** Those that can be expected to answer. */
  get up(): ReadonlyArray<Member> {
    return this.members.filter((member) => member.isUp())
  }

  private of(member: Member): Held {
    return this.held.find((held) => held.member === member)!
  }

  async startMember(member: Member): Promise<void> {
    const held = this.of(member)
    const { bankUrl, databaseUrl, destinationUrl, folder, lease, model, secret, slots } = this.options
    const process = await startServer({
      program,
      port: member.port,
      environment: {
        MILLRACE_DATA: folder,
        MILLRACE_FILES: folder,
        MILLRACE_SECRET: secret,
        MILLRACE_JOB_LEASE: String(lease),
        MILLRACE_SLOTS: String(slots),
        DATABASE_URL: member.proxy === undefined ? databaseUrl : through(databaseUrl, member.proxy.port),
        CHAOS_WORKER: member.name,
        CHAOS_BANK: bankUrl,
        CHAOS_DESTINATION: destinationUrl,
        CHAOS_MODEL: model,
        // Half of a start is compiling.
        NODE_COMPILE_CACHE: join(folder, "compiled")
      }
    })
    held.process = process
    held.processes.push(process)
    void process.ended.then(({ code, signal }) => {
      if (held.process !== process || !held.up) return
      held.up = false
      this.surprises.push(`${member.name} ended by itself (${signal ?? code}): ${process.stderr().slice(-1_000)}`)
    })
    await process.line(/Serving/)
    held.disturbedAt = performance.now()
    held.up = true
  }

  /** Sends the signal; answers how it ended. What does not end by itself is killed. */
  async kill(member: Member, signal: "SIGKILL" | "SIGTERM"): Promise<Ending> {
    const { process: running } = this.disturb(member)
    const late = setTimeout(() => void running!.kill("SIGKILL"), endMillis)
    const ending = await running!.kill(signal)
    clearTimeout(late)
    return ending
  }

  /** Stops it in the middle of whatever it does. */
  stop(member: Member): void {
    process.kill(this.disturb(member).process!.pid, "SIGSTOP")
  }

  continue(member: Member): void {
    process.kill(this.of(member).process!.pid, "SIGCONT")
    this.restore(member)
  }

  /** Says that nothing can be expected of it. */
  disturb(member: Member): Held {
    const held = this.of(member)
    held.up = false
    held.disturbedAt = performance.now()
    return held
  }

  restore(member: Member): void {
    const held = this.of(member)
    held.disturbedAt = performance.now()
    held.up = true
  }

  /** What the workers wrote to standard error in all their lives. */
  logs(): ReadonlyArray<{ readonly name: string; readonly text: string }> {
    return this.held.map(({ member, processes }) => ({
      name: member.name,
      text: processes.map((process) => process.stderr()).join("--- started again\n")
    }))
  }

  async end(): Promise<void> {
    for (const held of this.held) held.up = false
    await Promise.all(
      this.held.map(async ({ member, process: running }) => {
        if (running !== undefined) {
          running.kill("SIGCONT").catch(() => undefined)
          await running.kill("SIGKILL")
        }
        await member.proxy?.close()
      })
    )
  }
}
