/** Several processes on one database: who runs what, and what happens when one of them goes. */
import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Adapters } from "@millrace/adapters"
import { asOwner, type Caller } from "@millrace/core/access"
import { Banks, Feeds, Tables, Workspaces } from "@millrace/core/kernel"
import { Currency } from "@millrace/core"
import { tuning } from "../../jobs/src/ClusterEngine.ts"
import { call, type Sent } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import {
  freePort,
  killServers,
  runServer,
  type ServerProcess,
  startServer
} from "@millrace/verification/process/ServerProcess"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { layerKernel, layerNoEngine } from "../src/Server.ts"
import { type Bank, type Fetched, makePagedProvider, readLog, refOf } from "./pagedProvider.ts"

const paged = resolve(import.meta.dirname, "pagedServer.ts")
const secret = randomBytes(32).toString("base64")

let folder: DataFolder
let database: ServerDatabase
let log: string
let apiKey: string
let kernel: ManagedRuntime.ManagedRuntime<Layer.Success<ReturnType<typeof layerKernel>>, unknown>
let caller: Caller

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  MILLRACE_DATA: folder.path,
  DATABASE_URL: database.url,
  MILLRACE_SECRET: secret,
  MILLRACE_DEMO: "false",
  PAGED_LOG: log,
  ...more
})

const settings = () => ({
  dataFolder: folder.path,
  databaseUrl: Redacted.make(database.url),
  host: "127.0.0.1",
  port: 0,
  filesFolder: undefined,
  secretKey: Redacted.make(secret),
  demo: false,
  slots: 0,
  jobLease: 6
})

const startApi = async () => {
  const server = await startServer({ environment: environment({ MILLRACE_SLOTS: "0" }), program: paged })
  await server.line(/Serving/, 300_000)
  return server
}

const startWorker = async () => {
  const server = await startServer({
    environment: environment({ MILLRACE_CLUSTER: `127.0.0.1:${await freePort()}`, MILLRACE_SLOTS: "2" }),
    program: paged
  })
  await server.line(/Serving/, 300_000)
  return server
}

/** Waits until it answers something; refused when the time is up. */
const until = async <A>(
  what: string,
  look: () => Promise<A | undefined> | A | undefined,
  millis = 300_000
): Promise<A> => {
  const before = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() - before > millis) throw new Error(`${what}: not within ${millis} ms`)
    await wait(30)
  }
}

/** How many shards each connection holds. */
const shardsHeld = () =>
  database.query<{ readonly pid: number; readonly shards: number }>(
    `select pid, count(*)::int as shards from pg_locks
     where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
     group by pid having count(*) > 1 order by pid`
  )

/**
 * Waits until shards have stopped moving. A machine that joined is seen by each of the others within two seconds, and
 * takes over running jobs then: whose worker is told of before may not be the one that runs it after.
 */
const shardsStay = async (count: number): Promise<void> => {
  let before = ""
  await until(
    "shards that stay where they are",
    async () => {
      const holders = await shardsHeld()
      const now = JSON.stringify(holders)
      const whole = holders.reduce((sum, { shards }) => sum + shards, 0) === tuning.shardsPerGroup
      if (whole && holders.length === count && now === before) return true
      before = now
      await wait(2_500)
      return undefined
    },
    300_000
  )
}

interface Made {
  readonly name: string
  readonly feedId: string
}

let banks = 0

/** A bank of slow pages, and a feed of it into a table. */
const makeFeed = (bank: Omit<Bank, "name">): Promise<Made> =>
  kernel.runPromise(
    Effect.gen(function* () {
      const name = `bank ${++banks}`
      const { accounts, bank: connected } = yield* (yield* Banks).connect(caller, {
        instanceId: "demo:paged",
        attemptId: name,
        payload: { kind: "provider_connection_id", connectionId: refOf({ name, ...bank }) }
      })
      const table = yield* (yield* Tables).create(caller, { name, fields: [] })
      const { feed } = yield* (yield* Feeds).create(caller, {
        name,
        source: "sync",
        dataType: "transactions",
        sourceConfig: {
          type: "sync",
          accounts: accounts.map((account) => ({ bankId: connected.id, accountId: account.id }))
        },
        destinationConfig: { type: "table", tableId: table.id }
      })
      return { name, feedId: feed.id }
    })
  )

interface JobView {
  readonly id: string
  readonly status: string
}

const ask = async (server: ServerProcess, path: string, sent: Sent = {}): Promise<JobView> => {
  const answer = await call(server.url, apiKey, `/v1/feeds/${path}`, sent)
  expect(answer.status, `${path} ${answer.body}`).toBeLessThan(300)
  return (answer.json() as { readonly data: JobView }).data
}

const trigger = (server: ServerProcess, { feedId }: Made) => ask(server, `${feedId}/sync`, { json: {} })

const pagesOf = ({ name }: Made): ReadonlyArray<Fetched> => readLog(log).filter((fetched) => fetched.name === name)

/** Waits until that many pages of the bank were asked for; answers them. */
const fetched = (made: Made, count: number, millis?: number) =>
  until(
    `${count} pages of ${made.name}`,
    () => {
      const pages = pagesOf(made)
      return pages.length >= count ? pages : undefined
    },
    millis
  )

/** Read from the database: the API lets nobody ask this often. */
const over = (jobId: string) =>
  until(`the end of ${jobId}`, async () => {
    const [job] = await database.query(
      `select status, attempt, errors, read_count, created_count from job where id = '${jobId}'`
    )
    return job !== undefined && ["completed", "failed", "cancelled"].includes(String(job["status"])) ? job : undefined
  })

const attemptOf = async (jobId: string) =>
  (await database.query(`select attempt from job where id = '${jobId}'`))[0]?.["attempt"]

const rowsIn = async ({ name }: Made) =>
  (
    await database.query(
      `select count(*)::int as n from table_row r join app_table t on t.id = r.table_id where t.name = '${name}'`
    )
  )[0]?.["n"]

const ownerOf = (pages: ReadonlyArray<Fetched>, servers: ReadonlyArray<ServerProcess>): ServerProcess => {
  const owner = servers.find((server) => server.pid === pages.at(-1)?.pid)
  if (owner === undefined) throw new Error(`nobody fetched ${JSON.stringify(pages)}`)
  return owner
}

describe("several processes on one database", { timeout: 600_000 }, () => {
  let api: ServerProcess
  let workers: Array<ServerProcess>
  const gone = (worker: ServerProcess) => {
    workers = workers.filter((other) => other !== worker)
  }
  /** Two workers, and nothing about to move between them. */
  const bothWork = async () => {
    while (workers.length < 2) workers.push(await startWorker())
    await shardsStay(2)
  }

  beforeAll(async () => {
    folder = await makeDataFolder()
    database = await makeServerDatabase(inject("postgres"), "migrated")
    log = join(folder.path, "pages.log")
    await writeFile(log, "")
    kernel = ManagedRuntime.make(
      layerKernel(settings(), Adapters.layer({ providers: [makePagedProvider(log)], folder: undefined }), layerNoEngine)
    )
    const founded = await kernel.runPromise(
      Effect.gen(function* () {
        return yield* (yield* Workspaces).create({
          name: "Several",
          plan: "enterprise",
          timezone: "UTC",
          baseCurrency: Currency.make("EUR"),
          ownerEmail: "owner@localhost"
        })
      })
    )
    const { owner, workspace } = founded
    apiKey = Redacted.value(founded.secret)
    caller = asOwner(workspace, owner)
    ;[api, ...workers] = await Promise.all([startApi(), startWorker(), startWorker()])
    await bothWork()
  }, 600_000)

  afterAll(async () => {
    await killServers()
    await kernel.dispose()
    await database.drop()
    await folder.remove()
  })

  it("run a job on a worker that was made at a process without slots", async () => {
    const made = await makeFeed({ pages: 2, millis: 0 })
    const job = await trigger(api, made)
    expect(await over(job.id)).toMatchObject({ status: "completed", errors: [], created_count: 10 })
    expect(workers.map(({ pid }) => pid)).toContain(ownerOf(pagesOf(made), workers).pid)
    expect(await rowsIn(made)).toBe(10)
  })

  it("stop a job within one page that was cancelled elsewhere", async () => {
    const made = await makeFeed({ pages: 400, millis: 500 })
    const job = await trigger(api, made)
    await fetched(made, 2)
    const cancelled = await ask(api, `${made.feedId}/jobs/${job.id}`, { method: "DELETE" })
    expect(cancelled.status).toBe("cancelled")
    const then = pagesOf(made).length
    await wait(2_000)
    expect(pagesOf(made).length).toBeLessThanOrEqual(then + 1)
    expect(await rowsIn(made)).toBe(0)
  })

  it("move the job of a worker that is told to stop, and fetch no page twice", async () => {
    await bothWork()
    const made = await makeFeed({ pages: 60, millis: 150 })
    const job = await trigger(api, made)
    const owner = ownerOf(await fetched(made, 5), workers)
    const ending = owner.kill("SIGTERM")
    gone(owner)
    await until("another worker", () => pagesOf(made).find(({ pid }) => pid !== owner.pid))
    expect(await ending).toEqual({ code: 0, signal: null })
    const done = await over(job.id)
    expect(done, owner.stderr()).toMatchObject({ status: "completed", created_count: 300, read_count: 300 })
    expect(pagesOf(made).map(({ page }) => page)).toEqual(Array.from({ length: 60 }, (_, page) => page))
    expect(await attemptOf(job.id)).toBe(1)
    expect(await rowsIn(made)).toBe(300)
  })

  it("take up the job of a worker that was killed, and count the loss", async () => {
    await bothWork()
    const made = await makeFeed({ pages: 150, millis: 150 })
    const job = await trigger(api, made)
    const owner = ownerOf(await fetched(made, 3), workers)
    await owner.kill("SIGKILL")
    gone(owner)
    await until("another worker", () => pagesOf(made).find(({ pid }) => pid !== owner.pid))
    expect(await attemptOf(job.id)).toBe(2)
    await ask(api, `${made.feedId}/jobs/${job.id}`, { method: "DELETE" })
  })

  it("tell that they drain while they stop", async () => {
    await bothWork()
    const made = await makeFeed({ pages: 2, millis: 2_000 })
    const job = await trigger(api, made)
    // In the middle of a page: it stops with the next one, so there is time to ask it.
    const worker = ownerOf(await fetched(made, 1), workers)
    const ending = worker.kill("SIGTERM")
    gone(worker)
    const answer = await until("draining", async () => {
      const ready = await call(worker.url, apiKey, "/readyz").catch(() => undefined)
      return ready === undefined || ready.status === 200 ? undefined : ready
    })
    expect(answer.status).toBe(503)
    // Until its jobs are given back the API answers as usual.
    expect((await call(worker.url, apiKey, "/v1/whoami")).status).toBe(200)
    expect(await ending).toEqual({ code: 0, signal: null })
    expect(await over(job.id)).toMatchObject({ status: "completed" })
    expect(
      pagesOf(made)
        .map(({ page }) => page)
        .toSorted()
    ).toEqual([0, 1])
  })

  it("refuse one with another key", async () => {
    const other = await runServer({
      environment: { ...environment(), MILLRACE_SECRET: randomBytes(32).toString("base64") }
    })
    expect(other.code).toBe(1)
    expect(other.stderr).toContain("need the same MILLRACE_SECRET")
  })
})

describe("processes that start together on an empty database", () => {
  it("set it up once", { timeout: 600_000 }, async () => {
    folder = await makeDataFolder()
    database = await makeServerDatabase(inject("postgres"))
    try {
      const settled = { ...environment({ MILLRACE_DEMO: "true" }) }
      const servers = await Promise.all([
        startServer({ environment: { ...settled, MILLRACE_SLOTS: "0" } }),
        startServer({ environment: { ...settled, MILLRACE_CLUSTER: `127.0.0.1:${await freePort()}` } }),
        startServer({ environment: { ...settled, MILLRACE_CLUSTER: `127.0.0.1:${await freePort()}` } })
      ])
      await Promise.all(servers.map((server) => server.line(/Serving/, 300_000)))
      const keys = servers.flatMap((server) => server.stdout().match(/mill_[A-Za-z0-9]{44}/g) ?? [])
      expect(new Set(keys).size).toBe(1)
      expect(await database.query("select count(*)::int as n from workspace")).toEqual([{ n: 1 }])
      await until("the first syncs", async () => {
        const left = await database.query("select id from job where status <> 'completed'")
        return left.length === 0 ? true : undefined
      })
      expect(await database.query("select count(*)::int as n from job")).toEqual([{ n: 1 }])
    } finally {
      await killServers()
      await database.drop()
      await folder.remove()
    }
  })
})
