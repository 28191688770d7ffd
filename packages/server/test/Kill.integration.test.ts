/**
 * `kill -9` of the server at random moments of two syncs, into a table and into a file: every job goes on in
 * the next server and completes, and nothing is lost or doubled.
 *
 * MILLRACE_SEED repeats a run; MILLRACE_LONG=1 kills a hundred times.
 */
import { mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Banks } from "@millrace/core/bank/Banks"
import { isActive, type Job, type JobId } from "@millrace/core/job/Job"
import type { Principal } from "@millrace/core/access/Principal"
import type { Feed } from "@millrace/core/feed/Feed"
import { Feeds } from "@millrace/core/feed/Feeds"
import { Jobs } from "@millrace/core/job/Jobs"
import * as Currency from "@millrace/core/shared/Currency"
import { Tables } from "@millrace/core/table/Tables"
import { Workspaces } from "@millrace/core/workspace/Workspaces"
import { call } from "@millrace/testing/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/testing/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/testing/process/ServerDatabase"
import { killServers, startServer, type ServerProcess } from "@millrace/testing/process/ServerProcess"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { layerKernel } from "../src/Server.ts"
import { recordsOf, sumOf } from "@millrace/testing/process/Reading"

const long = process.env["MILLRACE_LONG"] === "1"
/** More than one chunk of every kind: 5,000 records are written at once, 1,000 rows delivered. */
const rows = long ? 20_000 : 6_000
const kills = long ? 100 : 20
const lease = 2
const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000)
const secret = Buffer.alloc(32, 9).toString("base64")

/** Numbers from 0 to 1 that follow from the seed. */
const random = (() => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
})()

/** The services of the same installation, without a slot: it looks and never runs a job. */
const onlooker = (url: string, files: string) =>
  ManagedRuntime.make(
    layerKernel({
      dataFolder: files,
      databaseUrl: Redacted.make(url),
      host: "127.0.0.1",
      port: 0,
      filesFolder: files,
      secretKey: Redacted.make(secret),
      demo: false,
      slots: 0,
      jobLease: lease
    })
  )

interface Round {
  readonly accountId: string
  readonly tableId: string
  readonly fileName: string
  readonly feeds: ReadonlyArray<Feed>
}

let folder: DataFolder
let files: string
let database: ServerDatabase
let kernel: ReturnType<typeof onlooker>
let principal: Principal
let apiKey: string
let server: ServerProcess

const start = async () => {
  server = await startServer({
    environment: {
      MILLRACE_DATA: folder.path,
      MILLRACE_FILES: files,
      DATABASE_URL: database.url,
      MILLRACE_SECRET: secret,
      MILLRACE_JOB_LEASE: String(lease)
    }
  })
  await server.line(/Serving/)
}

beforeAll(async () => {
  folder = await makeDataFolder()
  files = join(folder.path, "files")
  await mkdir(files)
  database = await makeServerDatabase(inject("postgres"))
  kernel = onlooker(database.url, files)
  const founded = await kernel.runPromise(
    Effect.gen(function* () {
      return yield* (yield* Workspaces).found({
        name: "Killed",
        plan: "enterprise",
        timezone: "UTC",
        baseCurrency: Currency.make("USD"),
        ownerEmail: "owner@localhost"
      })
    })
  )
  const { owner, workspace } = founded
  apiKey = Redacted.value(founded.secret)
  principal = { kind: "user", workspace, userId: owner.id, email: owner.email, role: "owner" }
  await start()
})

afterAll(async () => {
  await killServers()
  await kernel.dispose()
  await database.drop()
  await folder.remove()
})

/** A new bank with two feeds of its first account. */
const newRound = (name: string): Promise<Round> =>
  kernel.runPromise(
    Effect.gen(function* () {
      const { accounts, bank } = yield* (yield* Banks).connect(principal.workspace, {
        instanceId: "demo:default",
        attemptId: name,
        payload: { kind: "provider_connection_id", connectionId: `demo:large-${rows}:${name}` }
      })
      const accountId = accounts[0]?.id ?? ""
      const feeds = yield* Feeds
      const table = yield* (yield* Tables).create(principal, { name, fields: [] })
      const create = (destination: string, destinationConfig: unknown) =>
        feeds.create(principal, {
          name: `${name} to a ${destination}`,
          source: "sync",
          dataType: "transactions",
          sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId }] },
          destinationConfig
        })
      const fileName = `${name}.csv`
      const toTable = yield* create("table", { type: "table", tableId: table.id })
      const toFile = yield* create("file", { type: "file", path: fileName, format: "csv" })
      return { accountId, tableId: table.id, fileName, feeds: [toTable.feed, toFile.feed] }
    })
  )

interface Begun {
  readonly feed: Feed
  readonly jobId: JobId
}

const trigger = async (round: Round, resetCursors: boolean): Promise<ReadonlyArray<Begun>> => {
  const begun: Array<Begun> = []
  for (const feed of round.feeds) {
    const answer = await call(server.url, apiKey, `/v1/feeds/${feed.id}/sync`, { json: { resetCursors } })
    expect(answer.status, answer.body).toBe(201)
    begun.push({ feed, jobId: (answer.json() as { readonly data: { readonly id: JobId } }).data.id })
  }
  return begun
}

const look = (begun: ReadonlyArray<Begun>): Promise<ReadonlyArray<Job>> =>
  kernel.runPromise(
    Effect.gen(function* () {
      const jobs = yield* Jobs
      return yield* Effect.forEach(begun, ({ feed, jobId }) => jobs.get(principal.workspace, feed.id, jobId))
    })
  )

const untilOver = async (begun: ReadonlyArray<Begun>): Promise<ReadonlyArray<Job>> => {
  const before = performance.now()
  for (;;) {
    const jobs = await look(begun)
    if (!jobs.some((job) => isActive(job.status))) return jobs
    if (performance.now() - before > 60_000) {
      throw new Error(`seed ${seed}: not over within a minute: ${JSON.stringify(jobs)}\n${server.stderr()}`)
    }
    await wait(50)
  }
}

const note = () => `seed ${seed}\n${server.stderr().slice(-2_000)}`

/** What is at the destinations is what is in the ledger, each record once. */
const checkDestinations = async (round: Round) => {
  const ledger = await database.query(
    `select id, amount::text as amount from record where account_id = '${round.accountId}' and state = 'live'`
  )
  const ids = new Set(ledger.map((row) => String(row["id"])))
  const sum = sumOf(ledger.map((row) => String(row["amount"])))
  expect([ledger.length, ids.size], note()).toEqual([rows, rows])

  const table = await database.query(
    `select external_key as key, field_values->>'amount' as amount from table_row where table_id = '${round.tableId}'`
  )
  expect(table, note()).toHaveLength(rows)
  expect(new Set(table.map((row) => String(row["key"]).replace(/^transactions:/, ""))), note()).toEqual(ids)
  expect(sumOf(table.map((row) => String(row["amount"]))), note()).toBe(sum)

  const file = recordsOf(await readFile(join(files, round.fileName), "utf8"))
  expect(file, note()).toHaveLength(rows)
  expect(new Set(file.map((record) => record["ID"])), note()).toEqual(ids)
  expect(sumOf(file.map((record) => record["Amount"] ?? "")), note()).toBe(sum)
  expect(
    (await readdir(files)).filter((name) => !name.endsWith(".csv")),
    note()
  ).toEqual([])

  for (const feed of round.feeds) {
    const states = await database.query(
      `select state, count(*)::int as n from delivery where feed_id = '${feed.id}' group by state`
    )
    expect(states, note()).toEqual([{ state: "done", n: rows }])
  }
}

const checkJob = (job: Job, fresh: boolean) => {
  const { counts } = job
  const told = `${note()}\n${JSON.stringify(job)}`
  expect([job.status, job.errors], told).toEqual(["completed", []])
  expect(counts.read + counts.vanished + counts.carried, told).toBe(
    counts.created + counts.updated + counts.removed + counts.unchanged + counts.filtered + counts.failed
  )
  expect([counts.created, counts.failed, counts.carried], told).toEqual([fresh ? rows : 0, 0, 0])
  // A reset that is taken up again begins again: rows that it had written are written, and counted, once more.
  if (fresh) expect(counts.updated, told).toBe(0)
  else if (job.attempt === 1) expect(counts.updated, told).toBe(rows)
  else expect(counts.updated, told).toBeGreaterThanOrEqual(rows)
}

/** A job may be lost twice; the third loss would fail it as WORKER_LOST. */
const mayKill = (jobs: ReadonlyArray<Job>): boolean =>
  jobs.some((job) => isActive(job.status)) && jobs.every((job) => !isActive(job.status) || job.attempt <= 1)

describe("a server that is killed while it syncs", () => {
  it(
    `completes the same jobs in its successor, with every row once (seed ${seed})`,
    { timeout: 1_200_000 },
    async () => {
      let round = await newRound("undisturbed")
      const before = performance.now()
      for (const job of await untilOver(await trigger(round, false))) checkJob(job, true)
      const usual = performance.now() - before
      await checkDestinations(round)

      let done = 0
      let hits = 0
      let resumed = 0
      for (let n = 0; done < kills; n++) {
        // New rows, or all rows once more.
        const fresh = n % 3 !== 2
        if (fresh) round = await newRound(`round-${n}`)
        const begun = await trigger(round, !fresh)
        do {
          await wait(random() * usual)
          expect(await server.kill("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" })
          done++
          if ((await look(begun)).some((job) => job.status === "in_progress")) hits++
          await start()
        } while (mayKill(await look(begun)))
        for (const job of await untilOver(begun)) {
          checkJob(job, fresh)
          if (job.attempt > 1) resumed++
        }
        await checkDestinations(round)
      }
      expect(hits, note()).toBeGreaterThan(kills / 2)
      expect(resumed, note()).toBeGreaterThan(kills / 10)
    }
  )
})
