/** The built-in PostgreSQL as a process: what it is told, and what it leaves of what it says. */
import { execFile, execFileSync, spawn } from "node:child_process"
import { access, copyFile, cp, readFile, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { promisify } from "node:util"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { client } from "@millrace/verification/postgres/TestPostgres"
import { freePort } from "@millrace/verification/process/ServerProcess"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { afterAll, beforeAll, expect, it } from "vitest"
import { boundedLog } from "../src/postgres/BoundedLog.ts"
import { type RunningPostgres, start } from "../src/postgres/EmbeddedPostgres.ts"

const secrets = { MILLRACE_SECRET: "for the server alone", DATABASE_URL: "postgres://u:hidden@h/d", HOME: "/not/its" }
const scope = Scope.makeUnsafe()
let folder: DataFolder
let postgres: RunningPostgres
const before = { ...process.env }

/** What a first start makes, of which each test takes a copy: to make it takes as long as all of the rest of a start. */
let made: DataFolder

/** A folder in which a server was started and stopped. */
const startedBefore = async (name: string, of = folder): Promise<string> => {
  const path = join(of.path, name)
  const { gid, uid } = await stat(join(made.path, "postgres"))
  await cp(join(made.path, "postgres"), path, { recursive: true })
  execFileSync("chown", ["-R", `${uid}:${gid}`, path])
  await copyFile(join(made.path, "postgres.password"), `${path}.password`)
  return path
}

beforeAll(async () => {
  Object.assign(process.env, secrets)
  made = await makeDataFolder()
  await Effect.runPromise(Effect.scoped(start({ folder: join(made.path, "postgres"), durable: false })))
  folder = await makeDataFolder()
  await startedBefore("postgres")
  postgres = await Effect.runPromise(
    start({ folder: join(folder.path, "postgres"), durable: false }).pipe(Scope.provide(scope))
  )
})

afterAll(async () => {
  for (const name of Object.keys(secrets)) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await folder.remove()
  await made.remove()
})

const query = <Row extends object>(...statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let rows: ReadonlyArray<Row> = []
    for (const statement of statements) rows = yield* sql.unsafe<Row>(statement)
    return rows
  }).pipe(Effect.provide(client(postgres, "postgres", 1)))

it("knows nothing of our settings: what it runs is told no secret", async () => {
  const lines = await Effect.runPromise(
    query<{ readonly line: string }>(
      "create table public.environment (line text)",
      "copy public.environment from program 'env' with (delimiter e'\\x01')",
      "select line from public.environment"
    )
  )
  const names = lines.map(({ line }) => line.split("=")[0])
  expect(names).toContain("PATH")
  for (const name of Object.keys(secrets)) expect(names).not.toContain(name)
  expect(lines.map(({ line }) => line).join("\n")).not.toMatch(/alone|hidden/)
})

it("ends when the program that started it leaves without stopping it", async () => {
  const other = await startedBefore("left")
  const program = resolve(import.meta.dirname, "leavesAtOnce.ts")
  const { stdout } = await promisify(execFile)(process.execPath, [program, other])
  // Lines of the log may stand before it.
  expect(Number(stdout.split("\n").at(-1))).toBeGreaterThan(0)
  const isThere = () =>
    access(join(other, "postmaster.pid")).then(
      () => true,
      () => false
    )
  for (let tries = 0; tries < 600 && (await isThere()); tries++) await wait(100)
  expect(await isThere()).toBe(false)
  expect(await readFile(`${other}.log`, "utf8")).toContain("database system is ready to accept connections")
})

const stillRuns = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it("ends when the whole process group of the program that started it is killed", async () => {
  const other = await startedBefore("killed")
  const program = resolve(import.meta.dirname, "leavesAtOnce.ts")
  const child = spawn(process.execPath, [program, other, "stay"], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const pid = await new Promise<number>((answer) => child.stdout.once("data", (text) => answer(Number(String(text)))))
  expect([pid > 0, stillRuns(pid)]).toEqual([true, true])
  process.kill(-child.pid!, "SIGKILL")
  for (let tries = 0; tries < 300 && stillRuns(pid); tries++) await wait(100)
  expect(stillRuns(pid)).toBe(false)
  // In order: what was open was rolled back, and its file is gone.
  await expect(access(join(other, "postmaster.pid"))).rejects.toThrow("ENOENT")
})

it("keeps its log beside its folder, for us alone, with what went wrong and without what was written", async () => {
  await Effect.runPromise(
    Effect.exit(
      query(
        "create table public.account (number text unique)",
        "insert into public.account values ('DE89370400440532013000')",
        "insert into public.account values ('DE89370400440532013000')"
      )
    )
  )
  const path = join(folder.path, "postgres.log")
  const log = await readFile(path, "utf8")
  expect(log).toContain("database system is ready to accept connections")
  expect(log).toMatch(/ERROR: +duplicate key value violates unique constraint "account_number_key"/)
  expect(log).not.toContain("DE8937")
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

it("keeps no more of the log than twice its bound, and the newest of it", async () => {
  const path = join(folder.path, "bounded.log")
  const log = boundedLog(path, 1_000)
  for (let n = 0; n < 450; n++) log.write(Buffer.from(`line ${String(n).padStart(4, "0")}\n`))
  log.close()
  const [now, earlier] = [await readFile(path, "utf8"), await readFile(`${path}.1`, "utf8")]
  expect([now.length <= 1_000, earlier.length]).toEqual([true, 1_000])
  expect(`${earlier}${now}`.endsWith("line 0449\n")).toBe(true)
  const again = boundedLog(path, 1_000)
  again.write(Buffer.from("line of the next start\n"))
  again.close()
  expect(await readFile(path, "utf8")).toContain("line 0449\nline of the next start\n")
})

const ask = (address: RunningPostgres, statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ readonly name: string; readonly setting: string }>(statement)
  ).pipe(Effect.provide(client(address, "postgres", 1)), Effect.runPromise)

it("keeps what a commit promises and takes the settings of the machine, also in a folder that says otherwise", async () => {
  const path = await startedBefore("earlier")
  const running = async <A>(look: (address: RunningPostgres) => Promise<A>): Promise<A> => {
    const life = Scope.makeUnsafe()
    try {
      return await look(await Effect.runPromise(start({ folder: path, durable: true }).pipe(Scope.provide(life))))
    } finally {
      await Effect.runPromise(Scope.close(life, Exit.void))
    }
  }
  // As an earlier version, or somebody else, left it.
  await running(async (address) => {
    for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
      await ask(address, `alter system set ${name} = off`)
    }
    await ask(address, "alter system set wal_compression = off")
    await ask(address, "alter system set max_wal_size = '64MB'")
  })
  const found = await running((address) =>
    ask(
      address,
      `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes',
        'wal_compression', 'checkpoint_timeout', 'max_wal_size')`
    )
  )
  const { max_wal_size: most, ...rest } = Object.fromEntries(found.map(({ name, setting }) => [name, setting]))
  expect(rest).toEqual({
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    wal_compression: "pglz",
    checkpoint_timeout: "900"
  })
  expect(Number(most)).toBeGreaterThanOrEqual(256)
})

it("takes another port where the free one was taken meanwhile, and says of a named one that it is taken", async () => {
  const other = await makeDataFolder()
  const folderOfOther = await startedBefore("postgres", other)
  try {
    const ports = [postgres.port, undefined]
    const started = await Effect.runPromise(
      Effect.scoped(
        Effect.map(
          start({
            folder: folderOfOther,
            durable: false,
            freePort: async () => ports.shift() ?? (await freePort())
          }),
          ({ port }) => port
        )
      )
    )
    expect(ports).toEqual([])
    expect(started).not.toBe(postgres.port)
    const refused = await Effect.runPromise(
      Effect.flip(Effect.scoped(start({ folder: folderOfOther, durable: false, port: postgres.port })))
    )
    expect(refused.message).toMatch(/Address already in use/)
  } finally {
    await other.remove()
  }
}, 120_000)

it("starts where its log goes to files of its own", async () => {
  const path = await startedBefore("collected")
  const settings = { logging_collector: "on" }
  const found = await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(start({ folder: path, durable: false, settings }), (address) =>
        Effect.promise(() => ask(address, "select name, setting from pg_settings where name = 'logging_collector'"))
      )
    )
  )
  expect(found).toEqual([{ name: "logging_collector", setting: "on" }])
  expect(await readFile(`${path}.log`, "utf8")).not.toContain("ready to accept connections")
})
