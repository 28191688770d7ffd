/**
 * Accounts that are joined and parted over HTTP while the server is killed at any moment: with feeds that follow them and
 * enrichments that pair their rows, nothing is lost, doubled, or half done.
 */
import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Seeded } from "@millrace/testing/model"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { type Answer, call, dataOf } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { killServers, type ServerProcess, startServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, expect, inject, it } from "vitest"

/** Rounds of one join or parting each. */
const rounds = process.env["MILLRACE_LONG"] === "1" ? 24 : 2
/** Rows that only the older connection still shows, that both do, and that came after the account was connected anew. */
const [past, shared, fresh] = [150, 250, 100]
/** Every so many rows one is a transfer to the savings account. */
const everyTransfer = 10

const today = Date.now()
const dayAgo = (days: number) => new Date(today - days * 86_400_000).toISOString().slice(0, 10)
const wholeOf = (n: number) => (n % everyTransfer === 0 ? `TRANSFER TO SAVER ${n}` : `SHOP ${n * 7919}`)
/** Row `n` of the household account, as a connection shows it that numbers its rows so. */
const rowOf = (n: number, prefix: string) => ({
  id: `${prefix}${n}`,
  date: dayAgo(Math.floor((past + shared + fresh - n) / 2) + 1),
  text: wholeOf(n),
  amount: `-${n + 100}.${String(n % 100).padStart(2, "0")}`
})
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
const lastOf = { elder: past + shared, younger: past + shared + fresh }
const seen = {
  elder: numbers(0, lastOf.elder).map((n) => rowOf(n, "e")),
  younger: numbers(past, lastOf.younger).map((n) => rowOf(n, "y")),
  saver: numbers(0, lastOf.younger)
    .filter((n) => n % everyTransfer === 0)
    .map((n) => ({ ...rowOf(n, "s"), text: `FROM HOUSEHOLD ${n}`, amount: rowOf(n, "").amount.slice(1) }))
}
type ListName = keyof typeof seen

const lists = (name: ListName) => ({
  accounts: [
    {
      id: `${name}-0001`,
      name: name === "saver" ? "Saver" : "Household",
      currency: "EUR",
      balance: 10,
      historyFrom: seen[name][0]!.date,
      rows: seen[name]
    }
  ]
})

const secret = randomBytes(32).toString("base64")
let folder: DataFolder
let database: ServerDatabase
let upstream: Server
let server: ServerProcess
let environment: Readonly<Record<string, string>>
let apiKey = ""

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as whatever they turn out to be
type Loose = any

const start = async (): Promise<void> => {
  server = await startServer({ environment, fromSource: true })
  await server.line(/Serving/, 300_000)
}

const ask = (method: string, path: string, json?: unknown): Promise<Loose> =>
  dataOf(server.url, apiKey, path, { method, ...(json === undefined ? {} : { json }) })

/** Until the feed has been synced to its end; what a killed process held is waited for. */
const synced = async (feedId: string): Promise<void> => {
  const path = `/v1/feeds/${feedId}`
  for (const end = performance.now() + 240_000; performance.now() < end; await wait(100)) {
    const answer = await call(server.url, apiKey, `${path}/sync`, { json: {} })
    if (answer.status >= 300 && answer.status !== 409) expect.fail(answer.body)
    const [job] = (await ask("GET", `${path}/jobs?limit=1`)) as unknown as ReadonlyArray<Loose>
    if (answer.status < 300) {
      const id = (answer.json() as Loose)["data"].id ?? job!["id"]
      for (; performance.now() < end; await wait(50)) {
        const now = await ask("GET", `${path}/jobs/${id}`)
        if (now["status"] === "completed") return
        if (["failed", "cancelled"].includes(now["status"])) break
      }
    }
  }
  expect.fail("the feed was not synced")
}

const rowsOf = async (tableId: string): Promise<ReadonlyArray<Loose>> => {
  const all: Array<Loose> = []
  for (let cursor = ""; ;) {
    const answer = await call(server.url, apiKey, `/v1/tables/${tableId}/rows?limit=500${cursor}`)
    const { data, meta } = answer.json() as Loose
    all.push(...data.map(({ values }: Loose) => values))
    if (meta?.hasMore !== true) return all
    cursor = `&cursor=${encodeURIComponent(meta.nextCursor)}`
  }
}

const connect = async (name: ListName) => {
  const payload = { kind: "provider_connection_id", connectionId: name }
  const answer = await call(server.url, apiKey, "/v1/banks/connections/complete", {
    json: { providerInstanceId: "listbank:main", payload }
  })
  expect(answer.status, answer.body).toBe(200)
  const { accounts, bankId } = answer.json() as Loose
  return { bankId: String(bankId), accountId: String(accounts[0].id) }
}

const told = (values: ReadonlyArray<Loose>) => values.map(({ description }) => String(description)).toSorted()

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"))
  upstream = createServer((request, response) => {
    const name = request.url!.slice("/lists/".length)
    const body = Object.hasOwn(seen, name) ? lists(name as ListName) : {}
    response.writeHead("accounts" in body ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done))
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const config = join(folder.path, "millrace.config.json")
  const providers = [
    { id: "listbank:main", config: { url: `http://${host}`, token: { env: "LISTBANK_TOKEN" } }, privateHosts: [host] }
  ]
  const modules = [resolve(import.meta.dirname, "../../../examples/add-a-provider.ts")]
  await writeFile(config, JSON.stringify({ modules, providers }))
  environment = {
    MILLRACE_CONFIG: config,
    MILLRACE_DATA: folder.path,
    MILLRACE_DEMO: "false",
    MILLRACE_SECRET: secret,
    DATABASE_URL: database.url,
    LISTBANK_TOKEN: "s3cret"
  }
  await start()
  apiKey = server.stdout().match(/mill_[A-Za-z0-9]{44}/)![0]
}, 300_000)

afterAll(async () => {
  await killServers()
  upstream.close()
  await database.drop()
  await folder.remove()
})

it("joins and parts accounts whole or not at all, wherever the server is killed", { timeout: 1_200_000 }, async () => {
  const [elder, saver, younger] = [await connect("elder"), await connect("saver"), await connect("younger")]
  const follow = async (name: string, accounts: ReadonlyArray<typeof elder>) => {
    const table = await ask("POST", "/v1/tables", { name, fields: [] })
    const feed = await ask("POST", "/v1/feeds", {
      name,
      source: "sync",
      dataType: "transactions",
      sourceConfig: { type: "sync", accounts },
      destinationConfig: { type: "table", tableId: table["id"], createMissingColumns: true, onRemoved: "delete" },
      fieldMappings: ["id", "description", "amount", "category", "transfer.id", "accountId"].map((field) => ({
        sourceField: field,
        destinationField: field.replace(".", "_")
      }))
    })
    return { feed: String(feed["id"]), table: String(table["id"]) }
  }
  await ask("POST", "/v1/enrichments", {
    name: "Own transfers",
    type: "transfer_match",
    dataType: "transactions",
    allFeeds: true,
    transferMatchConfig: {}
  })
  const named = await ask("POST", "/v1/enrichments", {
    name: "Rows of the account that was connected anew",
    type: "rule",
    dataType: "transactions",
    allFeeds: true,
    ruleConfig: {
      rules: [
        {
          id: "anew",
          conditions: {
            logic: "and",
            conditions: [{ field: "accountId", operator: "equals", value: younger.accountId }]
          },
          actions: [{ field: "category", value: "Anew" }]
        }
      ]
    }
  })
  const whole = await follow("Household and savings", [elder, saver])
  const anew = await follow("Household, connected anew", [younger])
  const isJoined = async (): Promise<boolean> => {
    const rows = await database.query<{ readonly joined_into: string | null }>(
      `select joined_into from account where id = '${younger.accountId}'`
    )
    return rows[0]!.joined_into !== null
  }
  /** What there is once everything has come to rest, and what there has to be. */
  const hold = async (round: number) => {
    // Findings of transfers follow from what both sides have: a sync each until nothing is new.
    for (const { feed } of [whole, anew, whole]) await synced(feed)
    const joined = await isJoined()
    const household = joined ? numbers(0, lastOf.younger) : numbers(0, lastOf.elder)
    const rows = await rowsOf(whole.table)
    expect([round, joined, told(rows)]).toEqual([
      round,
      joined,
      [...household.map(wholeOf), ...seen.saver.map(({ text }) => text)].toSorted()
    ])
    const again = await rowsOf(anew.table)
    expect([round, joined, told(again)]).toEqual([
      round,
      joined,
      (joined ? household : numbers(past, lastOf.younger)).map(wholeOf).toSorted()
    ])
    // Each transfer is one link of two rows, whichever of two accounts shows the row that left.
    const all = new Map([...rows, ...again].map((values) => [String(values["id"]), values]))
    const links = new Map<string, Array<string>>()
    for (const { description, transfer_id: link } of all.values()) {
      if (typeof link === "string") links.set(link, [...(links.get(link) ?? []), String(description)])
    }
    const pairs = [...links.values()].map((both) => both.toSorted().join(" and ")).toSorted()
    const transfers = numbers(0, lastOf.younger).filter((n) => n % everyTransfer === 0)
    const pairOf = (n: number) => `FROM HOUSEHOLD ${n} and ${wholeOf(n)}`
    // While both accounts show a row that left, nobody can say which of the two it was.
    const isPlain = (n: number) => joined || n < past || n >= past + shared
    const doubtful = new Set(transfers.filter((n) => !isPlain(n)).map(pairOf))
    expect([round, joined, pairs.filter((pair) => !doubtful.has(pair))]).toEqual([
      round,
      joined,
      transfers.filter(isPlain).map(pairOf).toSorted()
    ])
    expect(new Set(pairs).size).toBe(pairs.length)
    // What named the account that is part of another one names that one.
    const { ruleConfig } = await ask("GET", `/v1/enrichments/${named["id"]}`)
    expect(ruleConfig.rules[0].conditions.conditions[0].value).toBe(joined ? elder.accountId : younger.accountId)
    const marked = rows.filter(({ category }) => category === "Anew").length
    expect([round, joined, marked]).toEqual([round, joined, joined ? household.length : 0])
  }

  await hold(0)
  const random = new Seeded(Number(process.env["MILLRACE_SEED"] ?? 7))
  const moments = { before: 0, after: 0 }
  /** Milliseconds within which it is killed: about as many as a decision takes on this machine. */
  let within = 400
  for (let round = 1; round <= rounds; round++) {
    const before = await isJoined()
    const [banks] = [await database.query<Loose>(`select bank_id from account where id = '${elder.accountId}'`)]
    const at = `/v1/banks/${banks[0]!["bank_id"]}/accounts/${elder.accountId}`
    const decide = (): Promise<Answer> =>
      before
        ? call(server.url, apiKey, `${at}/part`, { method: "POST" })
        : call(server.url, apiKey, `${at}/join`, { json: { accountId: younger.accountId } })
    // What takes place meanwhile: another sync, in every second round.
    if (random.once(2)) await call(server.url, apiKey, `/v1/feeds/${anew.feed}/sync`, { json: {} })
    const heard = decide().catch(() => undefined)
    await wait(random.below(Math.ceil(within)))
    await server.kill("SIGKILL")
    const answer = await heard
    const after = await isJoined()
    moments[after === before ? "before" : "after"]++
    within *= after === before ? 2 : 0.6
    // Whoever heard that it was done finds it done.
    if (answer?.status === 200) expect([round, after]).toEqual([round, !before])
    // What the dead one held runs out some time later; here it is as if that time had passed.
    await database.query("update lease set expires_at = store_now() - interval '1 second'")
    await database.query("update job set heartbeat = heartbeat - interval '1 hour' where heartbeat is not null")
    await start()
    for (const end = performance.now() + 240_000; (await isJoined()) === before; await wait(250)) {
      expect(performance.now(), "it could not be decided").toBeLessThan(end)
      const again = await decide()
      if (![200, 409].includes(again.status)) expect.fail(again.body)
    }
    await hold(round)
  }
  // A run in which no server died with its decision undone, or none with it done, says half as much.
  if (rounds > 10) expect(Math.min(moments.before, moments.after)).toBeGreaterThan(0)
})
