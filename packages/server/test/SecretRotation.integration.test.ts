/** Another secret for an installation that is in use. */
import { randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { call } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { killServers, runServer, type ServerProcess, startServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, expect, inject, it } from "vitest"

const former = randomBytes(32).toString("base64")
const next = randomBytes(32).toString("base64")

let folder: DataFolder
let database: ServerDatabase

const settings = (secrets: Readonly<Record<string, string>>) => ({
  environment: { MILLRACE_DATA: folder.path, DATABASE_URL: database.url, ...secrets }
})

const start = async (secrets: Readonly<Record<string, string>>): Promise<ServerProcess> => {
  const server = await startServer(settings(secrets))
  await server.line(/Serving/, 300_000)
  return server
}

const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
  for (const end = performance.now() + 300_000; performance.now() < end; await wait(100)) if (await holds()) return
  throw new Error(`Not in time: ${what}`)
}

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"), "migrated")
})

afterAll(async () => {
  await killServers()
  await database.drop()
  await folder.remove()
})

it(
  "everything is sealed anew, cursors stay good meanwhile, and the former secret is needed no more",
  { timeout: 600_000 },
  async () => {
    const before = await start({ MILLRACE_SECRET: former })
    const [apiKey = ""] = before.stdout().match(/mill_[A-Za-z0-9]{44}/) ?? []
    const [feed] = await database.query<{ readonly id: string }>("select id from feed limit 1")
    const [table] = await database.query<{ readonly id: string }>("select id from app_table limit 1")
    await until("the first rows", async () => (await database.query("select from table_row limit 2")).length === 2)
    const rows = `/v1/tables/${table!.id}/rows?limit=1`
    const cursor = ((await call(before.url, apiKey, rows)).json() as { meta: { cursor: string } }).meta.cursor
    const nextPage = `${rows}&cursor=${encodeURIComponent(cursor)}`
    await until(
      "the first sync",
      async () => (await database.query("select from job where status = 'in_progress'")).length === 0
    )
    await before.kill("SIGTERM")

    const unwilling = await runServer(settings({ MILLRACE_SECRET: next }))
    expect([unwilling.code, unwilling.stderr]).toEqual([1, expect.stringContaining("as MILLRACE_SECRET_PREVIOUS")])

    const both = await start({ MILLRACE_SECRET: next, MILLRACE_SECRET_PREVIOUS: former })
    expect((await call(both.url, apiKey, nextPage)).status).toBe(200)
    await until("the word that it is done", () =>
      both
        .stderr()
        .includes(
          "Everything that is stored is sealed with the current secret. Once all processes have it, remove MILLRACE_SECRET_PREVIOUS"
        )
    )
    await both.kill("SIGTERM")

    const after = await start({ MILLRACE_SECRET: next })
    expect((await call(after.url, apiKey, nextPage)).json()).toMatchObject({ code: "INVALID_CURSOR" })
    // A sync opens the credentials of the bank.
    const { id: jobId } = (
      (await call(after.url, apiKey, `/v1/feeds/${feed!.id}/sync`, { json: {} })).json() as { data: { id: string } }
    ).data
    const statusOf = async () =>
      (await database.query<{ readonly status: string }>(`select status from job where id = '${jobId}'`))[0]?.status
    await until("the sync", async () => ["completed", "failed"].includes((await statusOf()) ?? ""))
    expect(await statusOf()).toBe("completed")
    await after.kill("SIGTERM")

    const behind = await runServer(settings({ MILLRACE_SECRET: former }))
    expect([behind.code, behind.stderr]).toEqual([
      1,
      expect.stringContaining("sealed with another key than MILLRACE_SECRET")
    ])
  }
)
