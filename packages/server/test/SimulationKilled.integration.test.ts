/**
 * A simulation that is too large for one answer, over HTTP, while the server is killed in the middle of it: the next process
 * plays it anew and comes to the same, and of the first try nothing is left. MILLRACE_LONG=1 takes many more records and
 * kills in both stages that take long.
 */
import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { setTimeout as wait } from "node:timers/promises"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { call, dataOf } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { killServers, type ServerProcess, startServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, expect, inject, it } from "vitest"

const isLong = process.env["MILLRACE_LONG"] === "1"
/** Above what one answer looks at. */
const records = isLong ? 60_000 : 20_500
const killedIn = isLong ? (["reading", "comparing"] as const) : (["reading"] as const)

/** Two accounts whose every tenth row is a transfer between them. */
const files = ["A", "B"].map((account) => {
  const lines = ["Date,Description,Amount,Currency,Account number"]
  for (let n = 0; n < records / 2; n++) {
    const day = new Date(Date.UTC(2024, 0, 1) + Math.floor((n * 700) / records) * 86_400_000).toISOString().slice(0, 10)
    const isTransfer = n % 10 === 0
    const amount = `${(isTransfer ? n + 1_000 : (n % 97) + 3).toString()}.${String(n % 100).padStart(2, "0")}`
    const sign = isTransfer && account === "B" ? "" : "-"
    const text = isTransfer ? `TRANSFER ${account === "A" ? "TO" : "FROM"} OTHER ${n}` : `SHOP ${n % 211} ${n}`
    lines.push(`${day},${text},${sign}${amount},EUR,${account === "A" ? "10020030" : "40050060"}`)
  }
  return { name: `${account}.csv`, type: "text/csv", bytes: Buffer.from(`${lines.join("\n")}\n`) }
})

let folder: DataFolder
let database: ServerDatabase
let server: ServerProcess
let environment: Readonly<Record<string, string>>
let apiKey = ""

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as whatever they turn out to be
type Loose = any

const start = async (): Promise<void> => {
  server = await startServer({ environment })
  await server.line(/Serving/, 300_000)
}

const ask = (method: string, path: string, json?: unknown): Promise<Loose> =>
  dataOf(server.url, apiKey, path, { method, ...(json === undefined ? {} : { json }) })

/** Looks into the database until it is so, since callers may ask so often only. How long that takes is up to the machine. */
const until = async (statement: string, isSo: (rows: ReadonlyArray<Loose>) => boolean): Promise<void> => {
  while (!isSo(await database.query<Loose>(statement))) await wait(10)
}

const peakOf = async ({ pid }: ServerProcess): Promise<number> =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

/** What a simulation must leave as it was. */
const stored = async (): Promise<string> => {
  const [row] = await database.query<{ readonly kept: string }>(
    `select json_build_array(
      (select count(*) from analysis), (select count(*) from analysis_entry), (select count(*) from record_link),
      (select count(*) from enrichment), (select count(*) from record), (select max(change_no) from record),
      (select count(*) from delivery), (select max(version) from delivery),
      (select count(*) from pg_class where relpersistence = 't'))::text as kept`
  )
  return row!.kept
}

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"))
  environment = {
    MILLRACE_DATA: folder.path,
    MILLRACE_DEMO: "false",
    MILLRACE_SECRET: randomBytes(32).toString("base64"),
    DATABASE_URL: database.url
  }
  await start()
  apiKey = server.stdout().match(/mill_[A-Za-z0-9]{44}/)![0]
}, 600_000)

afterAll(async () => {
  await killServers()
  await database.drop()
  await folder.remove()
})

it(
  "comes to the same although the server is killed while it is played, and leaves nothing behind",
  { timeout: isLong ? 3_600_000 : 600_000 },
  async () => {
    const table = await ask("POST", "/v1/tables", { name: "Statements", fields: [] })
    const feed = await ask("POST", "/v1/feeds", {
      name: "Statements",
      source: "upload",
      dataType: "transactions",
      sourceConfig: { type: "upload" },
      destinationConfig: { type: "table", tableId: table["id"], createMissingColumns: true }
    })
    for (const file of files) {
      const answer = await call(server.url, apiKey, `/v1/feeds/${feed["id"]}/uploads`, { file })
      expect(answer.status, answer.body).toBeLessThan(300)
    }
    const ends = new Set(["processed", "completed", "failed"])
    const allEnded = "select status from upload union all select status from job"
    await until(allEnded, (all) => all.every(({ status }) => ends.has(status)))
    expect(await database.query(`select status from (${allEnded}) one where status = 'failed'`)).toEqual([])

    const changes = [
      {
        kind: "create",
        enrichment: {
          name: "Transfers",
          type: "transfer_match",
          dataType: "transactions",
          allFeeds: true,
          transferMatchConfig: {}
        }
      }
    ]
    const begin = async (): Promise<string> => {
      const asked = await ask("POST", "/v1/enrichments/simulate", { changes })
      expect(asked).toMatchObject({ status: "queued" })
      return `/v1/enrichments/simulations/${asked["id"]}`
    }
    const newest = "select status, body::json ->> 'stage' as stage from simulation order by created_at desc limit 1"
    const ended = async (path: string): Promise<Loose> => {
      await until(newest, ([now]) => !["queued", "running"].includes(now["status"]))
      const simulation = await ask("GET", path)
      expect(simulation).toMatchObject({ status: "completed" })
      return simulation["report"]
    }
    const before = await stored()
    // Only what the simulation takes is told.
    if (isLong) await writeFile(`/proc/${server.pid}/clear_refs`, "5")
    const idle = await peakOf(server)
    const report = await ended(await begin())
    // Every tenth row of each of the two.
    expect(report["records"]).toBe(records)
    expect(report["links"]).toEqual({ made: records / 20, broken: 0 })
    expect(await stored()).toBe(before)
    if (isLong)
      process.stdout.write(`${idle} MB before ${records} records are played, then ${await peakOf(server)} MB\n`)

    /** Asks, and kills the server at that stage. The same question has its answer already: a change makes it another. */
    const killAt = async (stage: string): Promise<string> => {
      for (let n = 1; ; n++) {
        await ask("POST", "/v1/enrichments", {
          name: `Asked again (${stage} ${n})`,
          type: "rule",
          dataType: "transactions",
          allFeeds: false,
          ruleConfig: {
            rules: [
              {
                id: "never",
                conditions: { logic: "and", conditions: [{ field: "description", operator: "equals", value: stage }] },
                actions: [{ field: "category", value: "x" }]
              }
            ]
          }
        })
        const path = await begin()
        await until(newest, ([now]) => now["stage"] === stage || now["status"] === "completed")
        await server.kill("SIGKILL")
        const [found] = await database.query<Loose>(newest)
        if (found["status"] === "running") return path
        // It was through before the signal came.
        expect(n, "killed in time").toBeLessThan(20)
        await start()
      }
    }
    for (const stage of killedIn) {
      const path = await killAt(stage)
      const kept = await stored()
      await start()
      expect(await ended(path)).toEqual(report)
      expect(await stored()).toBe(kept)
    }
  }
)
