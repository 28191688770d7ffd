/**
 * The PostgreSQL that comes with the server: started in the data folder, on a port of its own, and stopped
 * with the server. It is a real PostgreSQL with fsync on; only its administration is ours.
 */
import { execFile, spawn, type ChildProcess, type SpawnOptions } from "node:child_process"
import { randomBytes } from "node:crypto"
import { lchown, mkdir, open, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { userInfo } from "node:os"
import { basename, dirname, join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { boundedLog, type BoundedLog } from "./BoundedLog.ts"
import { binaries, type Binaries } from "./Binaries.ts"
import { removeAbandoned } from "./AbandonedClusters.ts"
import { clusterFolder, home } from "./ClusterFolder.ts"
import { endWithServer } from "./EndWithServer.ts"
import { durableSettings, machineOf, machineSettings } from "./MachineSettings.ts"
import { PostgresFailure } from "./PostgresFailure.ts"

export interface PostgresAddress {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
}

export interface RunningPostgres extends PostgresAddress {
  readonly pid: number
  /** Ends when the server process ends by itself, with a sentence that says why and what to do. */
  readonly ended: Effect.Effect<string>
}

export interface PostgresOptions {
  /** Folder of the cluster; made when it does not exist. */
  readonly folder: string
  /** `false` turns fsync off: for tests that do not cut the power. */
  readonly durable: boolean
  /** A free one when absent. */
  readonly port?: number
  /** Finds a port where none is named; by default the system does. */
  readonly freePort?: () => Promise<number>
  /** More settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

const username = "millrace"

/** PostgreSQL refuses to run as root; then it runs as this user of the system, who owns its folder. */
interface RunAs {
  readonly uid: number
  readonly gid: number
}

const readIds = async (name: string): Promise<RunAs | undefined> => {
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n")
  const fields = lines.map((line) => line.split(":")).find((parts) => parts[0] === name)
  return fields === undefined ? undefined : { uid: Number(fields[2]), gid: Number(fields[3]) }
}

const runAs = async (): Promise<RunAs | undefined> => {
  if (process.platform === "win32" || userInfo().uid !== 0) return undefined
  return (await readIds("postgres")) ?? (await readIds("nobody")) ?? { uid: 65_534, gid: 65_534 }
}

const systemPort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const failure = (message: string) => (cause: unknown) => new PostgresFailure({ message, cause })

/** Runs a program to its end; what it printed goes into the failure. */
const runToEnd = (program: string, args: ReadonlyArray<string>, options: SpawnOptions) =>
  Effect.callback<void, PostgresFailure>((resume) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    let printed = ""
    child.stdout?.on("data", (chunk) => (printed += String(chunk)))
    child.stderr?.on("data", (chunk) => (printed += String(chunk)))
    child.once("error", (cause) => resume(Effect.fail(failure(`${program} could not be started.`)(cause))))
    child.once("close", (code) =>
      resume(code === 0 ? Effect.void : Effect.fail(new PostgresFailure({ message: `${program} failed:\n${printed}` })))
    )
  })

/** What a program needs to be found and loaded. Nothing else is passed on: our settings hold secrets, its user is another. */
const passedOn = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot", "TEMP", "TMP"]

const environment = (): Record<string, string> => ({
  ...Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  ),
  LC_ALL: "C",
  TZ: "UTC"
})

/** The cluster's superuser password is next to it, readable by us alone. */
const passwordOf = async (file: string): Promise<string> => {
  const known = await readFile(file, "utf8").catch(() => undefined)
  if (known !== undefined && known.trim() !== "") return known.trim()
  const password = randomBytes(24).toString("hex")
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  return password
}

const isInitialised = (folder: string): Promise<boolean> =>
  readFile(join(folder, "PG_VERSION"), "utf8").then(
    () => true,
    () => false
  )

/**
 * Beside the folder until it is complete: `initdb` writes the version long before its end, and it outlives a
 * server that is killed. What an earlier one left is removed, and ends it if it still runs.
 */
const makeDraft = async (folder: string, user: RunAs | undefined): Promise<string> => {
  const parent = dirname(folder)
  const prefix = `.${basename(folder)}-`
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const draft = join(parent, `${prefix}${randomBytes(4).toString("hex")}`)
  await mkdir(draft, { mode: 0o700 })
  if (user !== undefined) await lchown(draft, user.uid, user.gid)
  return draft
}

const initialise = Effect.fnUntraced(function* (
  programs: Binaries,
  folder: string,
  password: string,
  user: RunAs | undefined
) {
  const made = failure(`The folder ${folder} cannot be made.`)
  const draft = yield* Effect.tryPromise({ try: () => makeDraft(folder, user), catch: made })
  const passwordFile = `${draft}.password`
  const writePassword = async () => {
    // Made here and now; what exists already is not written to.
    const file = await open(passwordFile, "wx", 0o600)
    try {
      await file.writeFile(`${password}\n`)
      if (user !== undefined) await file.chown(user.uid, user.gid)
    } finally {
      await file.close()
    }
  }
  const args = [
    `--pgdata=${draft}`,
    `--username=${username}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8"
  ]
  yield* Effect.tryPromise({ try: writePassword, catch: made }).pipe(
    Effect.andThen(runToEnd(programs.initdb, args, { ...user, env: environment() })),
    Effect.ensuring(Effect.promise(() => rm(passwordFile, { force: true })))
  )
  yield* Effect.tryPromise({
    try: async () => {
      // A folder without a version holds no cluster.
      await rm(folder, { recursive: true, force: true })
      await rename(draft, folder)
    },
    catch: made
  })
})

/** What the process runs; `""` when there is none. */
const commandOf = async (pid: string): Promise<string> => {
  if (!/^\d+$/.test(pid)) return ""
  const ps = () =>
    new Promise<string>((resolve) => execFile("ps", ["-p", pid, "-o", "command="], (_, out) => resolve(out.trim())))
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => (process.platform === "linux" ? "" : ps()))
}

/** What PostgreSQL keeps of itself in its folder while it runs; no lines when there is nothing. */
const keptLines = (folder: string): Promise<ReadonlyArray<string>> =>
  readFile(join(folder, "postmaster.pid"), "utf8").then(
    (text) => text.split("\n"),
    () => []
  )

/** Whether it takes connections, as it says itself. */
const saysReady = (lines: ReadonlyArray<string>): boolean => lines[7]?.trim() === "ready"

const processOf = async (folder: string): Promise<number | undefined> => {
  const [pid, path] = await keptLines(folder)
  if (pid === undefined || path !== folder) return undefined
  return (await commandOf(pid)).includes("postgres") ? Number(pid) : undefined
}

/** A server that was killed leaves its PostgreSQL behind; it is ended in order before a new one begins. */
const endOrphan = (folder: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const pid = yield* Effect.promise(() => processOf(folder))
    if (pid === undefined) return
    yield* Effect.logInfo("Ending the PostgreSQL that an earlier server left behind", { pid })
    yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGINT")))
    for (let tries = 0; tries < 200; tries++) {
      if ((yield* Effect.promise(() => processOf(folder))) === undefined) return
      yield* Effect.sleep("50 millis")
    }
    yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGQUIT")))
    yield* Effect.sleep("1 second")
  })

/** The PostgreSQL of a server that runs: for programs beside it. Undefined while it starts or stops. */
export const addressOf = (options: { readonly folder: string }): Effect.Effect<PostgresAddress | undefined> =>
  Effect.promise(async () => {
    const folder = await readlink(options.folder).catch(() => options.folder)
    const lines = await keptLines(folder)
    const password = await readFile(`${options.folder}.password`, "utf8").catch(() => "")
    return saysReady(lines) && (await processOf(folder)) !== undefined
      ? { host: "127.0.0.1", port: Number(lines[3]), username, password: password.trim() }
      : undefined
  })

const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    // Fast: roll back what is open, write a checkpoint, end.
    child.kill("SIGINT")
    const force = setTimeout(() => child.kill("SIGQUIT"), 5_000)
    child.once("exit", () => clearTimeout(force))
  })

/** PostgreSQL ends where it cannot write its log; that a statement found no room does not end it. */
const endedFull = /(?:PANIC|FATAL): .*(?:No space left on device|Disk quota exceeded)/

/** Why it ended or did not start, by what it printed last. */
const endingOf = (printed: string, folder: string): string =>
  endedFull.test(printed)
    ? `The disk of ${folder} is full: free some space, then start again. Nothing that was stored is lost.`
    : `It said last:\n${printed}`

const logBytes = 4 * 1_048_576

/** A port that was free a moment ago may be taken by another program, or by a connection that goes out. */
const portTries = 5

const isTaken = ({ message }: PostgresFailure): boolean => /could not create any TCP\/IP sockets/.test(message)

/** After a crash all of the log is read again, which takes seconds, and minutes on a slow disk. */
const startMillis = 600_000

/** How often it is asked whether it has started, besides reading its log. */
const lookMillis = 100

const launch = Effect.fnUntraced(function* (
  programs: Binaries,
  options: PostgresOptions,
  port: number,
  user: RunAs | undefined,
  log: BoundedLog
) {
  const machine = yield* Effect.promise(() => machineOf(options.folder))
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "100",
    log_line_prefix: "%m [%p] ",
    // Its log tells what went wrong, and quotes neither values nor statements.
    log_error_verbosity: "terse",
    log_min_error_statement: "panic",
    ...machineSettings(machine),
    ...(options.durable ? durableSettings : { fsync: "off" }),
    ...options.settings
  }
  const args = ["-D", options.folder, "-p", String(port)]
  for (const [name, value] of Object.entries(settings)) args.push("-c", `${name}=${value}`)
  const ended = yield* Deferred.make<string>()
  const postgres = yield* Effect.acquireRelease(
    Effect.callback<ChildProcess, PostgresFailure>((resume) => {
      // In a process group of its own, so that Ctrl-C reaches us alone and we can drain first.
      const child = spawn(programs.postgres, args, {
        ...user,
        env: environment(),
        detached: true,
        stdio: ["ignore", "ignore", "pipe"]
      })
      // Anyone who leaves without waiting for it, as a stop that took too long does, lets it end by itself.
      const endWithUs = () => void child.kill("SIGINT")
      process.once("exit", endWithUs)
      const endWatch =
        child.pid === undefined
          ? () => undefined
          : endWithServer(child.pid, options.folder, { ...user, env: environment() })
      let printed = ""
      const tooLong = setTimeout(() => child.kill("SIGQUIT"), startMillis)
      // Its log tells first, unless a setting such as logging_collector sends that elsewhere.
      const look = setInterval(async () => {
        const lines = await keptLines(options.folder)
        if (lines[0] === String(child.pid) && saysReady(lines)) begin()
      }, lookMillis)
      const settled = (): void => {
        clearTimeout(tooLong)
        clearInterval(look)
      }
      const begin = (): void => {
        settled()
        resume(Effect.succeed(child))
      }
      child.stderr?.on("data", (chunk: Buffer) => {
        log.write(chunk)
        printed = (printed + String(chunk)).slice(-10_000)
        if (printed.includes("database system is ready to accept connections")) begin()
      })
      child.once("error", (cause) => resume(Effect.fail(failure("PostgreSQL could not be started.")(cause))))
      child.once("exit", () => {
        process.removeListener("exit", endWithUs)
        endWatch()
        settled()
        const why = endingOf(printed, options.folder)
        Deferred.doneUnsafe(ended, Exit.succeed(why))
        resume(Effect.fail(new PostgresFailure({ message: `PostgreSQL did not start. ${why}` })))
      })
    }),
    stop
  )
  return { pid: postgres.pid ?? 0, ended: Deferred.await(ended) }
})

/** Starts PostgreSQL in a folder and stops it with the scope. */
export const start: (options: PostgresOptions) => Effect.Effect<RunningPostgres, PostgresFailure, Scope.Scope> =
  Effect.fn("EmbeddedPostgres.start")(function* (options: PostgresOptions) {
    const user = yield* Effect.promise(runAs)
    const password = yield* Effect.tryPromise({
      try: () => passwordOf(`${options.folder}.password`),
      catch: failure(`The folder ${dirname(options.folder)} cannot be written to. Set MILLRACE_DATA to one that can.`)
    })
    const folder = yield* clusterFolder(options.folder, user !== undefined)
    if (user !== undefined) {
      for (const cluster of yield* removeAbandoned(home)) {
        yield* Effect.logInfo("Removed the database of a data folder that was removed", { cluster })
      }
    }
    const programs = yield* binaries(folder, user !== undefined)
    if (!(yield* Effect.promise(() => isInitialised(folder)))) yield* initialise(programs, folder, password, user)
    yield* endOrphan(folder)
    const log = yield* Effect.acquireRelease(
      Effect.sync(() => boundedLog(`${options.folder}.log`, logBytes)),
      ({ close }) => Effect.sync(close)
    )
    const launchOn = Effect.fnUntraced(function* (port: number) {
      const launched = yield* launch(programs, { ...options, folder }, port, user, log)
      return { host: "127.0.0.1", port, username, password, ...launched }
    })
    if (options.port !== undefined) return yield* launchOn(options.port)
    const findPort = Effect.tryPromise({ try: options.freePort ?? systemPort, catch: failure("No port is free.") })
    return yield* findPort.pipe(Effect.flatMap(launchOn), Effect.retry({ times: portTries - 1, while: isTaken }))
  })
