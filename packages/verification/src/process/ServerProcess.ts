/**
 * The bundled server as people run it: a process of its own, seen from outside.
 *
 * It inherits nothing that would configure it, so the environment of the developer who runs the tests does not matter.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { resolve } from "node:path"
import { forget, guard } from "./Guardian.ts"
import { toRun } from "./Programs.ts"
import { sourceCondition } from "./SourceCondition.ts"

/** Half of a start is compiling, which is the same for all of them. */
const compiled = resolve(import.meta.dirname, "../../../../node_modules/.cache/millrace-compiled")

const bundled = resolve(import.meta.dirname, "../../../server/src/main.ts")

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServerProcess {
  readonly pid: number
  readonly port: number
  /** Origin of the API. */
  readonly url: string
  /** All it printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** The first line of standard output that matches; refused when the server ends or the time is up. */
  readonly line: (pattern: RegExp, timeoutMillis?: number) => Promise<string>
  readonly ended: Promise<Ending>
  /** Sends the signal; answers how it ended. */
  readonly kill: (signal: NodeJS.Signals) => Promise<Ending>
}

export interface ServerOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
  /** The source file to run; the bundled server when absent. */
  readonly program?: string
  /** Runs the source files themselves, as `npm start` does; modules of a configuration file share packages only so. */
  readonly fromSource?: boolean
  /** A free one when absent. */
  readonly port?: number
  /** Runs it as another user; only root can. */
  readonly uid?: number
}

/** A start with a new database takes 3 s on a quiet machine; this is for one that hangs. */
const startMillis = 300_000

const running = new Set<ChildProcess>()
// A test run that is cut short takes its servers with it.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

const isFree = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const probe = createServer()
    probe.once("error", () => answer(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => answer(true)))
  })

/**
 * A free port outside the range that outgoing connections take theirs from: nobody takes it before a server listens, nor
 * while one that comes back to it is down.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (await isFree(port)) return port
  }
}

const inherited = (): Record<string, string | undefined> =>
  Object.fromEntries(["PATH", "HOME", "TMPDIR", "SystemRoot"].map((name) => [name, process.env[name]]))

export const startServer = async (options: ServerOptions): Promise<ServerProcess> => {
  const port = options.port ?? (await freePort())
  const program = options.program ?? bundled
  const toStart = options.fromSource === true ? [sourceCondition, program] : await toRun(program)
  const child = spawn(process.execPath, [...toStart, ...(options.args ?? [])], {
    env: { ...inherited(), NODE_COMPILE_CACHE: compiled, MILLRACE_PORT: String(port), ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid })
  })
  running.add(child)
  if (child.pid !== undefined) guard({ pid: child.pid, signal: "SIGTERM" })
  let stdout = ""
  let stderr = ""
  const watchers = new Set<() => void>()
  const look = () => {
    for (const watcher of watchers) watcher()
  }
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk)
    look()
  })
  child.stderr.on("data", (chunk) => (stderr += String(chunk)))
  let ending: Ending | undefined
  const ended = new Promise<Ending>((answer, refuse) => {
    child.once("error", refuse)
    child.once("close", (code, signal) => {
      running.delete(child)
      if (child.pid !== undefined) forget(child.pid)
      ending = { code, signal }
      answer(ending)
      look()
    })
  })
  const told = () => `--- standard output\n${stdout}\n--- standard error\n${stderr}`

  const line = (pattern: RegExp, timeoutMillis = startMillis): Promise<string> =>
    new Promise((answer, refuse) => {
      const end = (then: () => void) => {
        watchers.delete(check)
        clearTimeout(timer)
        then()
      }
      const check = () => {
        // What follows the last newline may not be a whole line yet.
        const found = stdout
          .split("\n")
          .slice(0, -1)
          .find((text) => pattern.test(text))
        if (found !== undefined) end(() => answer(found))
        else if (ending !== undefined) {
          const how = ending.signal ?? ending.code
          end(() => refuse(new Error(`The server ended (${how}) before it printed ${pattern}\n${told()}`)))
        }
      }
      const timer = setTimeout(
        () => end(() => refuse(new Error(`No ${pattern} within ${timeoutMillis} ms\n${told()}`))),
        timeoutMillis
      )
      watchers.add(check)
      check()
    })

  return {
    pid: child.pid ?? 0,
    port,
    url: `http://127.0.0.1:${port}`,
    stdout: () => stdout,
    stderr: () => stderr,
    line,
    ended,
    kill: (signal) => {
      child.kill(signal)
      return ended
    }
  }
}

/** Runs it to its end, as `--version` and everything that is refused does. */
export const runServer = async (
  options: ServerOptions
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> => {
  const server = await startServer(options)
  const timer = setTimeout(() => void server.kill("SIGKILL"), startMillis)
  const { code } = await server.ended
  clearTimeout(timer)
  return { code, stdout: server.stdout(), stderr: server.stderr() }
}

/** Kills whatever this process started and that still runs. */
export const killServers = async (): Promise<void> => {
  const left = [...running]
  await Promise.all(
    left.map(
      (child) =>
        new Promise<void>((answer) => {
          child.once("close", () => answer())
          child.kill("SIGKILL")
        })
    )
  )
}
