/** One throw-away PostgreSQL server, started the way the bundled server starts its own. */
import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { startPostgres as start } from "@millrace/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { forget, guard } from "../process/Guardian.ts"
import { freePort } from "../process/ServerProcess.ts"

export interface PostgresAddress {
  readonly port: number
  readonly username: string
  readonly password: string
}

export interface PostgresServer extends PostgresAddress {
  /**
   * Ends the server, until `up`. SIGKILL is a crash of its main process; SIGQUIT drops every connection and
   * leaves recovery to the next start; SIGINT is an orderly restart.
   */
  readonly down: (signal: "SIGKILL" | "SIGQUIT" | "SIGINT") => Promise<void>
  /** Starts it again on the same port and data. */
  readonly up: () => Promise<void>
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
}

/** What a crash left running sees that within this time. */
const recoveryMillis = 180_000

const prefix = "millrace-postgres-"

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // It runs, but belongs to somebody else.
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Another user's is theirs to end and to remove. */
const isOurs = async (folder: string): Promise<boolean> => {
  const { uid } = await stat(folder).catch(() => ({ uid: undefined }))
  const own = process.getuid?.()
  return own === undefined || own === 0 || own === uid
}

const removeIfAbandoned = async (name: string): Promise<void> => {
  const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
  if (owner === undefined || isRunning(Number(owner))) return
  const folder = join(tmpdir(), name)
  if (!(await isOurs(folder))) return
  const data = join(folder, "postgres")
  const postmaster = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => undefined)
  const [pid, dataFolder] = postmaster?.split("\n") ?? []
  if (pid !== undefined && dataFolder === data && isRunning(Number(pid))) process.kill(Number(pid), "SIGINT")
  // Another run that begins now may remove it as well.
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
}

/** A run that was killed outright could not end its server: the folder says which process made it. */
const removeAbandoned = async (): Promise<void> => {
  await Promise.all((await readdir(tmpdir())).map(removeIfAbandoned))
}

/**
 * `durable: false` turns fsync off: twice as fast to start, and safe where nothing has to survive a power
 * cut. Benchmarks and crash tests keep it on.
 */
export const startPostgres = async (options: {
  readonly durable: boolean
  /** More settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
}): Promise<PostgresServer> => {
  await removeAbandoned()
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  // The user that PostgreSQL runs as must be able to pass.
  await chmod(folder, 0o755)
  const remove = () => rm(folder, { recursive: true, force: true })
  const port = await freePort()
  const launch = async () => {
    const scope = Scope.makeUnsafe()
    const running = await Effect.runPromise(
      start({ ...options, folder: join(folder, "postgres"), port }).pipe(Scope.provide(scope))
    )
    guard({ pid: running.pid, signal: "SIGINT", folder })
    return {
      ...running,
      end: async () => {
        await Effect.runPromise(Scope.close(scope, Exit.void))
        forget(running.pid)
      }
    }
  }
  const first = await launch().catch(async (cause: unknown) => {
    await remove()
    throw cause
  })
  let running: typeof first | undefined = first
  const { password, username } = first

  const down: PostgresServer["down"] = async (signal) => {
    if (running === undefined) return
    const { end, ended, pid } = running
    running = undefined
    process.kill(pid, signal)
    await Effect.runPromise(ended)
    await end()
  }
  const up = async () => {
    const until = performance.now() + recoveryMillis
    while (running === undefined) {
      try {
        running = await launch()
      } catch (cause) {
        // The children of one that crashed hold its shared memory until they notice.
        if (performance.now() > until) throw cause
        await wait(50)
      }
    }
  }
  return {
    port,
    username,
    password,
    down,
    up,
    stop: async () => {
      await running?.end()
      await remove()
    }
  }
}
