/** Requests with an idempotency key whose server is killed before it has answered. */
import { createHash, randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { call } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { killServers, type ServerProcess, startServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"

const secret = randomBytes(32).toString("base64")

let folder: DataFolder
let database: ServerDatabase
let apiKey: string

const start = async (): Promise<ServerProcess> => {
  const environment = { MILLRACE_DATA: folder.path, DATABASE_URL: database.url, MILLRACE_SECRET: secret }
  const server = await startServer({ environment })
  await server.line(/Serving/, 300_000)
  return server
}

/** The one who asks does not hear an answer from a server that is killed. */
const post = (server: ServerProcess, key: string) =>
  call(server.url, apiKey, "/v1/tables", {
    json: { name: key, fields: [{ name: "Amount", type: "number" }] },
    headers: { "idempotency-key": key }
  }).catch(() => undefined)

const tables = async (name: string) => (await database.query(`select from app_table where name = '${name}'`)).length

/** The id of what an entry of the audit names. */
const resourceOf = (content: string): string | undefined =>
  (JSON.parse(content) as { readonly resource?: { readonly id: string } }).resource?.id

const isHeld = `from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`

const untilHeld = async (): Promise<void> => {
  for (const end = performance.now() + 300_000; performance.now() < end; await wait(20)) {
    if ((await database.query(`select ${isHeld}`)).length > 0) return
  }
  throw new Error("No request came to where its answer is kept")
}

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"), "migrated")
}, 300_000)

afterAll(async () => {
  await killServers()
  await database.drop()
  await folder.remove()
})

describe("a request with an idempotency key whose server is killed", { timeout: 600_000 }, () => {
  it("before its answer is kept leaves no effect, and has it once when it is sent again", async () => {
    const first = await start()
    apiKey = first.stdout().match(/mill_[A-Za-z0-9]{44}/)![0]
    await database.query(
      `create function hold() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$`
    )
    await database.query(`create trigger hold before update on idempotency_key for each row execute function hold()`)
    const lost = post(first, "held")
    await untilHeld()
    await first.kill("SIGKILL")
    await database.query(`select pg_terminate_backend(pid) ${isHeld}`)
    await database.query(`drop trigger hold on idempotency_key`)
    expect(await lost).toBeUndefined()
    expect(await tables("held")).toBe(0)

    const second = await start()
    const again = await post(second, "held")
    expect(again?.status, again?.body).toBe(201)
    expect(await tables("held")).toBe(1)
    await second.kill("SIGTERM")
  })

  it("at any moment has its effect once, whoever heard what", async () => {
    // The one that answers the repeat is the next to be killed.
    let server = await start()
    for (const millis of [1, 4, 8, 15, 30]) {
      // What is compiled by the first request is no part of the moment.
      await post(server, `before ${millis}`)
      const name = `after ${millis}`
      const heard = post(server, name)
      await wait(millis)
      await server.kill("SIGKILL")
      const answer = await heard
      server = await start()
      const again = await post(server, name)
      expect(again?.status, again?.body).toBe(201)
      if (answer !== undefined) expect(again?.body).toBe(answer.body)
      expect(await tables(name)).toBe(1)
    }
    await server.kill("SIGTERM")
  })

  it("leaves an entry in the audit for each effect, and a chain that nothing is missing from", async () => {
    // What was under way when its server died is sealed later; here it is as if that time had passed.
    await database.query(`select seal_audit(id, 0) from workspace`)
    const entries = await database.query<{ number: string; hash: string; content: string; outcome: string }>(
      `select number, hash, content, outcome from audit_entry where operation_id = 'createTable' order by number`
    )
    const made = new Set((await database.query<{ id: string }>(`select id from app_table`)).map(({ id }) => id))
    const told = new Set(entries.filter(({ outcome }) => outcome === "ok").map(({ content }) => resourceOf(content)))
    expect([...told].filter((id) => id === undefined || !made.has(id))).toEqual([])
    // An effect whose server died before it could say so has an entry of something that did not end.
    const untold = made.size - told.size
    expect(untold).toBeLessThanOrEqual(entries.filter(({ outcome }) => outcome === "failed").length)

    const chain = await database.query<{ number: string; hash: string; content: string }>(
      `select number, hash, content from audit_entry order by workspace_id, number`
    )
    let [before, number] = ["", 0]
    for (const entry of chain) {
      expect(Number(entry.number)).toBe(number + 1)
      before = createHash("sha256").update(`${before}\n${entry.content}`).digest("hex")
      number = Number(entry.number)
      expect(entry.hash).toBe(before)
    }
    expect(number).toBeGreaterThan(11)
  })
})
