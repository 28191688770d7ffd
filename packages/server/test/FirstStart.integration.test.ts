/** One folder through its life: made, stopped, started again, killed. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { type Answer, call } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, isRunning, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { killServers, runServer, startServer, type ServerProcess } from "@millrace/verification/process/ServerProcess"
import { measureSlowness } from "@millrace/verification/process/Slowness"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { numbersIn, recordsOf, sumOf } from "@millrace/verification/process/Reading"

const keyForm = /mill_[A-Za-z0-9]{44}/g
const keysIn = (text: string) => [...new Set(text.match(keyForm) ?? [])]

interface Listed<A> {
  readonly data: ReadonlyArray<A>
  readonly meta: { readonly nextCursor?: string }
}

interface Identified {
  readonly id: string
}

interface ListedAccount extends Identified {
  readonly supports: ReadonlyArray<string>
}

interface SentJob {
  readonly status: string
  readonly transactionsProcessed: number
  readonly counts: Readonly<Record<string, number>>
}

let folder: DataFolder
let server: ServerProcess
let apiKey: string

/** The first start is that of `npm start`, from source; those after it cost a quarter of it. */
const start = async (fromSource = false) => {
  server = await startServer({ environment: { MILLRACE_DATA: folder.path }, fromSource })
  await server.line(/Serving/)
}
const get = (path: string) => call(server.url, apiKey, path)
const list = async <A>(path: string): Promise<ReadonlyArray<A>> => {
  const answer = await get(path)
  expect(answer.status, answer.body).toBe(200)
  return (answer.json() as Listed<A>).data
}

/** Every page of a list. */
const pages = async (path: string): Promise<ReadonlyArray<Answer>> => {
  const all: Array<Answer> = []
  let cursor: string | undefined
  do {
    const answer = await get(cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`)
    expect(answer.status, answer.body).toBe(200)
    all.push(answer)
    cursor = (answer.json() as Listed<unknown>).meta.nextCursor
  } while (cursor !== undefined)
  return all
}

const tableRows = async () => {
  const [table] = await list<Identified>("/v1/tables")
  const answers = await pages(`/v1/tables/${table?.id}/rows?limit=500`)
  const rows = answers.flatMap(
    (answer) => (answer.json() as Listed<Identified & { readonly externalKey: string }>).data
  )
  return { rows, sum: sumOf(answers.flatMap((answer) => numbersIn(answer.body, "amount"))) }
}

/** Below the folder for files each workspace has one of its own. */
const fileRecords = async () => {
  const files = join(folder.path, "files")
  const [workspace = ""] = await readdir(files)
  return recordsOf(await readFile(join(files, workspace, "transactions.csv"), "utf8"))
}

const bankSum = async () => {
  const amounts: Array<string> = []
  for (const bank of await list<Identified>("/v1/banks")) {
    for (const account of await list<ListedAccount>(`/v1/banks/${bank.id}/accounts?cached=true`)) {
      if (!account.supports.includes("transactions")) continue
      const path = `/v1/banks/${bank.id}/accounts/${account.id}/transactions?limit=500&cached=true`
      amounts.push(...(await pages(path)).flatMap((answer) => numbersIn(answer.body, "amount")))
    }
  }
  return { count: amounts.length, sum: sumOf(amounts) }
}

beforeAll(async () => {
  folder = await makeDataFolder()
  await start(true)
  apiKey = keysIn(server.stdout())[0] ?? ""
})

afterAll(async () => {
  await killServers()
  await folder.remove()
})

describe("npm start", () => {
  let firstCount = 0
  let firstSum = ""

  it("tells the workspace and its key, delivers, and shows what enrichments found at the demo banks", () => {
    const told = server.stdout()
    expect(told).toMatch(/Workspace +My workspace ws_[a-z0-9]{26}\n/)
    expect(told).toMatch(/API key +mill_[A-Za-z0-9]{44}\n +shown this once/)
    expect(keysIn(told)).toHaveLength(1)
    for (const name of ["Own transfers", "Recurring payments", "Unusual payments", "Household"]) {
      expect(told).toMatch(new RegExp(`Enriched +${name}: [1-9][\\d,]* rows\\n`))
    }
    expect(told).toMatch(/\n {2}Delivered\n/)
    expect(told).toMatch(/Sync +Transactions to a table: done, [\d,]+ read/)
    expect(told).toMatch(/Sync +Transactions to a CSV file: done, [\d,]+ read/)
    // It says itself what its syncs did: the log repeats nothing of it.
    expect(server.stderr()).toBe("")
    expect(told).not.toMatch(/^\{/m)
  })

  it("binds its owner to no limit of a plan but the rate that is set, 600 a minute unless set otherwise", async () => {
    expect((await get("/v1/whoami")).json()).toMatchObject({
      data: { plan: { id: "enterprise", requestsPerMinute: 600, limits: { banks: null, feeds: null, rows: null } } }
    })
  })

  it("answers the calls it proposes", async () => {
    const [, key = ""] = /export KEY=(\S+)/.exec(server.stdout()) ?? []
    const proposed = [...server.stdout().matchAll(/curl -H "X-API-Key: \$KEY" (\S+)/g)]
    expect(proposed.map(([, url]) => new URL(url ?? "").pathname)).toEqual(["/v1/whoami", "/v1/banks", "/v1/feeds"])
    for (const [, url] of proposed) {
      const answer = await call(url ?? "", key, new URL(url ?? "").pathname)
      expect(answer.status, answer.body).toBe(200)
    }
    expect((await call(server.url, apiKey.replace(/.$/, "?"), "/v1/whoami")).status).toBe(401)
  })

  it("delivers every transaction of the bank to the table and to the file, once", async () => {
    const bank = await bankSum()
    const table = await tableRows()
    const file = await fileRecords()
    expect(bank.count).toBeGreaterThan(1_000)
    expect([table.rows.length, table.sum]).toEqual([bank.count, bank.sum])
    expect([file.length, sumOf(file.map((record) => record["Amount"] ?? ""))]).toEqual([bank.count, bank.sum])
    expect(new Set(table.rows.map((row) => row.externalKey)).size).toBe(bank.count)
    expect(new Set(file.map((record) => record["ID"])).size).toBe(bank.count)
    firstCount = bank.count
    firstSum = bank.sum
  })

  it("shows in the table and in the file what its first rules wrote", async () => {
    const records = await fileRecords()
    expect(records.filter((record) => record["Notes"] === "Between own accounts").length).toBeGreaterThan(10)
    expect(records.filter((record) => record["Category"] === "RENT_AND_UTILITIES").length).toBeGreaterThan(10)
    const [table] = await list<Identified>("/v1/tables")
    const filter = encodeURIComponent('{"field":"notes","op":"eq","value":"Between own accounts"}')
    expect((await list(`/v1/tables/${table?.id}/rows?filter=${filter}`)).length).toBeGreaterThan(10)
  })

  it("keeps its enrichments to its own feeds, so that no other feed is changed by them", async () => {
    const feeds = (await list<Identified>("/v1/feeds")).map(({ id }) => id).toSorted()
    const enrichments = await list<{ readonly allFeeds: boolean; readonly feedIds: ReadonlyArray<string> }>(
      "/v1/enrichments"
    )
    expect(enrichments.length).toBeGreaterThan(5)
    for (const { allFeeds, feedIds } of enrichments) {
      expect([allFeeds, feedIds.toSorted()]).toEqual([false, feeds])
    }
  })

  it("connects banks that have every data type between them", async () => {
    const supported = new Set<string>()
    for (const bank of await list<Identified>("/v1/banks")) {
      const accounts = await list<ListedAccount>(`/v1/banks/${bank.id}/accounts?cached=true`)
      for (const type of accounts.flatMap(({ supports }) => supports)) supported.add(type)
    }
    expect([...supported].toSorted()).toEqual(["balances", "holdings", "loans", "orders", "trades", "transactions"])
  })

  it("counts on the jobs what arrived", async () => {
    const feeds = await list<Identified>("/v1/feeds")
    expect(feeds).toHaveLength(2)
    for (const feed of feeds) {
      const jobs = await list<SentJob>(`/v1/feeds/${feed.id}/jobs`)
      expect(jobs).toHaveLength(1)
      expect(jobs[0]).toMatchObject({
        status: "completed",
        transactionsProcessed: firstCount,
        counts: { read: firstCount, created: firstCount, updated: 0, failed: 0, carried: 0 }
      })
    }
  })

  it("refuses a second server on its folder, and goes on", async () => {
    const second = await runServer({ environment: { MILLRACE_DATA: folder.path } })
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(
      `Another Millrace server (process ${server.pid}) uses the data folder ${folder.path}`
    )
    expect(second.stderr).toContain("MILLRACE_DATA")
    expect((await get("/v1/whoami")).status).toBe(200)
  })

  it("ends within ten seconds of SIGTERM and leaves nothing running", async () => {
    const postgres = (await folder.postgres()) ?? 0
    expect(isRunning(postgres)).toBe(true)
    const slowness = measureSlowness()
    const before = performance.now()
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    expect(performance.now() - before).toBeLessThan(10_000 * slowness.end())
    expect(server.stdout()).toContain("Stopped.")
    expect(await folder.postgres()).toBeUndefined()
    expect((await readdir(folder.path)).toSorted()).toEqual([
      "files",
      "postgres",
      "postgres.log",
      "postgres.password",
      "secret.key"
    ])
  })

  it("makes another key, and every key works on the next start, which prints none and doubles nothing", async () => {
    const made = await runServer({ environment: { MILLRACE_DATA: folder.path }, args: ["--new-key"] })
    expect([made.code, made.stderr]).toEqual([0, ""])
    const [second = ""] = keysIn(made.stdout)
    expect(second).not.toBe(apiKey)

    await start()
    expect(keysIn(server.stdout())).toEqual([])
    expect(server.stdout()).toMatch(/Workspace +My workspace: 3 banks, 2 feeds ws_/)
    expect((await call(server.url, second, "/v1/whoami")).status).toBe(200)
    const table = await tableRows()
    expect([table.rows.length, table.sum]).toEqual([firstCount, firstSum])
    expect(await fileRecords()).toHaveLength(firstCount)
  })

  it("makes keys and sessions while the server runs", async () => {
    for (const option of ["--new-key", "--sign-in"]) {
      const made = await runServer({ environment: { MILLRACE_DATA: folder.path }, args: [option] })
      expect([made.code, made.stderr]).toEqual([0, ""])
      const secret = option === "--new-key" ? keysIn(made.stdout)[0] : /Session +(\S+)/.exec(made.stdout)?.[1]
      const headers: Record<string, string> =
        option === "--new-key"
          ? { "x-api-key": secret ?? "" }
          : { authorization: `Bearer ${secret}`, "x-workspace-id": /ws_[0-9a-z]+/i.exec(made.stdout)?.[0] ?? "" }
      expect((await fetch(`${server.url}/v1/whoami`, { headers })).status).toBe(200)
    }
    expect((await get("/v1/whoami")).status).toBe(200)
  })

  it("goes on with the data of a killed server, whose PostgreSQL ends with it", async () => {
    const orphan = (await folder.postgres()) ?? 0
    expect(orphan).toBeGreaterThan(0)
    expect(await server.kill("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" })
    await start()
    const successor = await folder.postgres()
    expect(successor).toBeGreaterThan(0)
    expect(successor).not.toBe(orphan)
    expect((await get("/v1/whoami")).status).toBe(200)
    expect(await list("/v1/feeds")).toHaveLength(2)
    expect(await server.kill("SIGINT")).toEqual({ code: 0, signal: null })
  })
})

describe("a first start that is killed", () => {
  it("is made good by the next one, whenever it came", { timeout: 600_000 }, async () => {
    const fresh = await makeDataFolder()
    try {
      // From before anything is made, over initdb and migrations, to the first sync.
      for (const millis of [500, 800, 1_100, 1_500, 2_100]) {
        const cut = await startServer({ environment: { MILLRACE_DATA: fresh.path } })
        setTimeout(() => void cut.kill("SIGKILL"), millis)
        expect(await cut.ended).toEqual({ code: null, signal: "SIGKILL" })
      }
      const last = await startServer({ environment: { MILLRACE_DATA: fresh.path } })
      await last.line(/Serving/)
      expect(await last.kill("SIGTERM")).toEqual({ code: 0, signal: null })
      const made = await runServer({ environment: { MILLRACE_DATA: fresh.path }, args: ["--new-key"] })
      expect(keysIn(made.stdout), made.stderr).toHaveLength(1)
      const left = (await readdir(fresh.path)).filter((name) => name !== "files")
      expect(left.toSorted()).toEqual(["postgres", "postgres.log", "postgres.password", "secret.key"])
    } finally {
      await fresh.remove()
    }
  })
})
