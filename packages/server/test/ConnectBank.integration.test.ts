/** A provider of a module, with a bank that whoever runs the server connects: from the configuration file to rows. */
import { writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { call } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { killServers, runServer, startServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { parseOptions } from "../src/Options.ts"

const list = {
  accounts: [
    {
      id: "DE-0001",
      name: "Main account",
      currency: "EUR",
      balance: 1145.2,
      historyFrom: "2026-01-01",
      rows: [
        { id: "1", date: "2026-01-05", text: "Salary", amount: "2100.00" },
        { id: "2", date: "2026-01-09", text: "Rent", amount: "-954.80" }
      ]
    }
  ]
}

let folder: DataFolder
let database: ServerDatabase
let upstream: Server

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"), "migrated")
  upstream = createServer((request, response) => {
    const known = request.headers.authorization === "Bearer s3cret"
    response.writeHead(known ? 200 : 401, { "content-type": "application/json" }).end(JSON.stringify(list))
  })
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done))
})

afterAll(async () => {
  await killServers()
  upstream.close()
  await folder.remove()
  await database.drop()
})

it("connects a bank by its id, once, and the server syncs it", async () => {
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const config = join(folder.path, "millrace.config.json")
  const providers = [
    { id: "listbank:main", config: { url: `http://${host}`, token: { env: "LISTBANK_TOKEN" } }, privateHosts: [host] },
    { id: "listbank:other", config: { url: `http://${host}`, token: { env: "OTHER_TOKEN" } }, privateHosts: [host] }
  ]
  const modules = [resolve(import.meta.dirname, "../../../examples/add-a-provider.ts")]
  await writeFile(config, JSON.stringify({ modules, providers }))
  const environment = {
    MILLRACE_CONFIG: config,
    MILLRACE_DEMO: "false",
    MILLRACE_SECRET: Buffer.alloc(32, 5).toString("base64"),
    DATABASE_URL: database.url,
    LISTBANK_TOKEN: "s3cret",
    OTHER_TOKEN: "unknown"
  }
  const connect = (...args: ReadonlyArray<string>) =>
    runServer({ environment, args: ["--connect", ...args], fromSource: true })
  expect((await connect("listbank:main", "example")).stderr).toContain(
    "There is no workspace yet: start the server once"
  )
  const server = await startServer({ environment, fromSource: true })
  const [key = ""] = /mill_[A-Za-z0-9]{44}/.exec(await server.line(/API key/)) ?? []

  const first = await connect("listbank:main", "example")
  const [again, absent, refused] = await Promise.all([
    connect("listbank:main", "example"),
    connect("listbank:gone", "example"),
    connect("listbank:other", "example")
  ])
  expect(first.stdout).toMatch(/Bank of the List bank_\w+\n +Accounts +Main account acct_\w+ balances, transactions/)
  expect(again.stdout).toMatch(/bank_\w+, which was connected already/)
  expect(absent.stderr).toContain(
    "--connect names the provider listbank:gone, which is not here; there are demo:default, listbank:main, listbank:other"
  )
  expect(refused.stderr).toMatch(/listbank:other could not connect "example": .*401.*Check the id/)
  expect(refused.stderr).not.toContain("unknown")

  const ask = async <A>(path: string, json?: unknown): Promise<A> => {
    const answer = await call(server.url, key, path, json === undefined ? {} : { json })
    expect(answer.status, answer.body).toBeLessThan(300)
    return (answer.json() as { readonly data: A }).data
  }
  const [bank, ...others] = await ask<ReadonlyArray<{ readonly id: string }>>("/v1/banks")
  expect(others).toEqual([])
  const [account] = await ask<ReadonlyArray<{ readonly id: string }>>(`/v1/banks/${bank!.id}/accounts`)
  const table = await ask<{ readonly id: string }>("/v1/tables", { name: "List", fields: [] })
  const feed = await ask<{ readonly id: string }>("/v1/feeds", {
    name: "List",
    source: "sync",
    dataType: "transactions",
    sourceConfig: { type: "sync", accounts: [{ bankId: bank!.id, accountId: account!.id }] },
    destinationConfig: { type: "table", tableId: table.id }
  })
  await ask(`/v1/feeds/${feed.id}/sync`, {})
  await expect
    .poll(() => call(server.url, key, `/v1/tables/${table.id}/rows`).then(({ body }) => body), { timeout: 300_000 })
    .toMatch(/"amount":(2100|-954\.8).*"amount":(2100|-954\.8)/)
})

it("is asked for with a provider and an id, and alone", () => {
  for (const given of [["--connect"], ["--connect", "acme:main"], ["--connect", "acme:main", "--backup"]]) {
    expect(parseOptions(given)).toMatch(/^--connect needs a provider/)
  }
  expect(parseOptions(["--connect", "acme:main", "1", "--backup", "f"])).toBe(
    "--connect and --backup cannot be asked for together."
  )
})
