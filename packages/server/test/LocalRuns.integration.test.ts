/**
 * What people say, undo and decide reaches tables of PostgreSQL by itself, with the bundled server: feeds of the demo bank, and
 * a feed of uploads, which nothing triggers. Times are printed, and none is asserted.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { call, type Sent } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { killServers, type ServerProcess, startServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import type { Loose } from "./tableServer.ts"

let folder: DataFolder
let database: ServerDatabase
let environment: Readonly<Record<string, string>>
let server: ServerProcess
let apiKey: string

const start = async () => {
  server = await startServer({ environment })
  await server.line(/Serving|listening|API/i)
}

const ask = async (path: string, sent: Sent = {}): Promise<Loose> => {
  const answer = await call(server.url, apiKey, `/v1${path}`, sent)
  expect(answer.status, `${sent.method ?? ""} ${path} ${answer.body}`).toBeLessThan(300)
  return answer.body === "" ? undefined : (answer.json() as Loose).data
}

/** Waits until it answers something. */
const until = async <A>(what: string, look: () => Promise<A | undefined>, millis = 240_000): Promise<A> => {
  const began = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() - began > millis)
      throw new Error(`${what}: not within ${millis} ms\n${server.stdout().slice(-4000)}`)
    await wait(20)
  }
}

const jobsEnded = (): Promise<number | undefined> =>
  database
    .query<{ readonly all: number; readonly active: number }>(
      `select count(*)::int as all, (count(*) filter (where status in ('created', 'in_progress', 'paused')))::int as active from job`
    )
    .then(([row]) => (row!.all > 0 && row!.active === 0 ? row!.all : undefined))

/** What stands in the row of a record; `undefined` where it has none. */
const rowOf = async ({ feedId, recordId, tableId }: Place): Promise<Loose | undefined> => {
  const [delivered] = await ask(`/feeds/${feedId}/records?recordId=${recordId}`)
  const told = await call(server.url, apiKey, `/v1/tables/${tableId}/rows/${delivered.destinationRef}`)
  return told.status === 200 ? (told.json() as Loose).data.values : undefined
}

/** Acts, and waits until a row of the table is as it should be. */
const arrives = async (
  what: string,
  place: Place,
  act: () => Promise<unknown>,
  isThere: (row: Loose | undefined) => boolean
): Promise<void> => {
  const before = await jobsEnded()
  await act()
  const began = performance.now()
  await until(what, async () => (isThere(await rowOf(place)) ? true : undefined))
  process.stdout.write(`${what}: ${Math.round(performance.now() - began)} ms from the answer to the row\n`)
  // No job has done it.
  expect(await jobsEnded()).toBe(before)
}

/** A feed's table, one of its rows, and what stands in it under which name. */
interface Place {
  readonly feedId: string
  readonly tableId: string
  readonly recordId: string
  readonly bankId: string
  readonly accountId: string
  readonly key: (name: string) => string
}

const placeOf = async (feedId: string): Promise<Place> => {
  const feed = await ask(`/feeds/${feedId}`)
  const { tableId } = feed.destinationConfig
  const [first] = feed.sourceConfig.accounts ?? []
  const bankId = first?.bankId ?? (await ask("/banks")).find((bank: Loose) => bank.source === "file").id
  const accountId = first?.accountId ?? (await ask(`/banks/${bankId}/accounts`))[0].id
  const newest = (await ask(`/banks/${bankId}/accounts/${accountId}/transactions`)).find(
    ({ amount, pending }: Loose) => Number(amount) < 0 && pending !== true
  )
  const { fields } = await ask(`/tables/${tableId}`)
  return {
    feedId,
    tableId,
    recordId: newest.id,
    bankId,
    accountId,
    key: (name) => fields.find((one: Loose) => one.name.toLowerCase() === name.toLowerCase())?.key ?? name
  }
}

const csv = "Date,Description,Amount\n2026-01-05,GREEN TEA HOUSE,-4.80\n2026-01-06,RENT JANUARY,-900.00\n"
let uploads: string
let synced: string

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"))
  environment = {
    MILLRACE_DATA: folder.path,
    MILLRACE_SECRET: randomBytes(32).toString("base64"),
    DATABASE_URL: database.url
  }
  await start()
  apiKey = await until("a key", async () => server.stdout().match(/mill_[A-Za-z0-9]{44}/)?.[0])
  await ask("/enrichments", {
    json: {
      name: "Tea",
      type: "rule",
      dataType: "transactions",
      allFeeds: true,
      ruleConfig: {
        rules: [
          {
            conditions: { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "0" }] },
            action: { field: "category", value: "By rule" }
          }
        ]
      }
    }
  })
  const table = await ask("/tables", { json: { name: "Statements", fields: [] } })
  const feed = await ask("/feeds", {
    json: {
      name: "Statements",
      source: "upload",
      dataType: "transactions",
      sourceConfig: { type: "upload" },
      destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true }
    }
  })
  uploads = feed.id
  const answer = await call(server.url, apiKey, `/v1/feeds/${uploads}/uploads`, {
    file: { name: "january.csv", type: "text/csv", bytes: Buffer.from(csv) }
  })
  expect(answer.status, answer.body).toBeLessThan(300)
  await until("jobs to end", jobsEnded)
  synced = (await ask("/feeds")).find(
    (one: Loose) => one.source === "sync" && one.destinationConfig.type === "table"
  ).id
}, 600_000)

afterAll(async () => {
  await killServers()
  await database.drop()
  await folder.remove()
})

describe("what a person says of a record", { timeout: 600_000 }, () => {
  for (const [name, feedOf] of [
    ["a feed of a bank", () => synced],
    ["a feed of uploads", () => uploads]
  ] as const) {
    it(`reaches the table of ${name} without the provider: a cell, an undo, a decision`, async () => {
      await until("jobs to end", jobsEnded)
      const place = await placeOf(feedOf())
      const { accountId, bankId, key, recordId } = place
      const cell = (row: Loose | undefined, field: string): Loose => row?.[key(field)]
      const put = { method: "PUT" } as const
      await arrives(
        `${name}, an edited cell`,
        place,
        () => ask(`/records/${recordId}/fields`, { ...put, json: { fields: { category: "Mine" } } }),
        (row) => cell(row, "category") === "Mine"
      )
      await arrives(
        `${name}, the edit taken back`,
        place,
        () => ask(`/records/${recordId}/fields`, { method: "DELETE" }),
        (row) => cell(row, "category") === "By rule"
      )
      await arrives(
        `${name}, an undo`,
        place,
        () => ask(`/records/${recordId}/undo`, { json: { field: "category" } }),
        (row) => cell(row, "category") !== "By rule"
      )
      await arrives(
        `${name}, the undo taken back`,
        place,
        () => ask(`/records/${recordId}/undo`, { json: { field: "category", redo: true } }),
        (row) => cell(row, "category") === "By rule"
      )
      await arrives(
        `${name}, a decision: it is none`,
        place,
        () => ask(`/banks/${bankId}/accounts/${accountId}/transactions/${recordId}`, { method: "DELETE" }),
        (row) => cell(row, "description") === undefined
      )
      await arrives(
        `${name}, the decision taken back`,
        place,
        () => ask(`/banks/${bankId}/accounts/${accountId}/transactions/${recordId}/restore`, { method: "POST" }),
        (row) => cell(row, "description") !== undefined
      )
    })
  }
})
