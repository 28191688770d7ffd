import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startInstallation } from "./Installation.ts"

let installation: Awaited<ReturnType<typeof startInstallation>>
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation.stop())

const transportTo = (key: string, path = "/mcp") =>
  new StreamableHTTPClientTransport(new URL(path, installation.url), { requestInit: { headers: { "x-api-key": key } } })

const connect = async (key: string, path?: string) => {
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transportTo(key, path) as Transport)
  return client
}

interface Answered {
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly content: ReadonlyArray<{ readonly text: string }>
}

const call = async (client: Client, name: string, given: Record<string, unknown> = {}): Promise<Answered> =>
  (await client.callTool({ name, arguments: given })) as unknown as Answered

const post = (key: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
  fetch(new URL("/mcp", installation.url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...headers
    },
    body: JSON.stringify(body)
  })

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
}

describe("the Model Context Protocol", () => {
  it("calls operations as tools, with the data of their answers", async () => {
    const client = await connect(installation.key)
    const me = await call(client, "whoami")
    expect(me.structuredContent).toMatchObject({ workspaceId: installation.workspace.id })
    expect(JSON.parse(me.content[0]!.text)).toEqual(me.structuredContent)
    const banks = await call(client, "list_banks")
    expect(banks.structuredContent).toMatchObject({ data: [{ id: installation.bank.id }], hasMore: false })
    const accounts = await call(client, "list_accounts", { bankId: installation.bank.id })
    const rows = accounts.structuredContent?.["data"] as ReadonlyArray<{ readonly id: string }> | undefined
    const account = rows?.[0]
    const page = await call(client, "get_transactions", { bankId: installation.bank.id, accountId: account!.id })
    expect(page.structuredContent?.["data"]).toHaveLength(50)
    const next = await call(client, "get_transactions", {
      bankId: installation.bank.id,
      accountId: account!.id,
      cursor: page.structuredContent?.["cursor"],
      limit: 2
    })
    expect(next.structuredContent?.["data"]).toHaveLength(2)
    await client.close()
  })

  it("writes what a body says, and reads it again", async () => {
    const client = await connect(installation.key)
    const table = await call(client, "create_table", {
      name: "Bills",
      fields: [{ name: "Amount", type: "currency", options: { currency: "EUR" } }]
    })
    const found = await call(client, "get_table", { tableId: table.structuredContent?.["id"] })
    expect(found.structuredContent).toMatchObject({ name: "Bills" })
    await client.close()
  })

  it("says what is wrong as the API says it", async () => {
    const client = await connect(installation.key)
    const absent = await call(client, "get_bank", { bankId: "bank_00000000000000000000000000" })
    expect(absent.isError).toBe(true)
    expect(JSON.parse(absent.content[0]!.text)).toMatchObject({ code: "NOT_FOUND", error: "Bank not found" })
    const misspelt = await call(client, "list_accounts", { bank: installation.bank.id })
    expect(JSON.parse(misspelt.content[0]!.text)).toMatchObject({ details: [{ field: "bank" }] })
    const foreign = await call(client, "list_banks", { workspaceId: "ws_00000000000000000000000000" })
    expect(JSON.parse(foreign.content[0]!.text)).toMatchObject({ details: [{ field: "workspaceId" }] })
    await client.close()
  })

  it("shows the tools that the scopes of the key allow, and knows no others", async () => {
    const reading = await connect(await installation.keyWith("banks:read"))
    const { tools } = await reading.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain("list_banks")
    expect(names).not.toContain("create_feed")
    expect(tools.find(({ name }) => name === "list_banks")?.annotations).toMatchObject({ readOnlyHint: true })
    await expect(call(reading, "create_feed", { name: "A" })).rejects.toThrow(/not found/i)
    const owner = await connect(installation.key)
    const all = (await owner.listTools()).tools.map(({ name }) => name)
    expect(all).toContain("create_feed")
    expect(all.length).toBeGreaterThan(names.length)
    await Promise.all([reading.close(), owner.close()])
  })

  it("serves the second generation of clients, and the root of the server", async () => {
    const client = new Client2({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(
      new Transport2(new URL("/mcp", installation.url), { requestInit: { headers: { "x-api-key": installation.key } } })
    )
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(30)
    const me = await client.callTool({ name: "whoami", arguments: {} })
    expect(me.structuredContent).toMatchObject({ workspaceId: installation.workspace.id })
    await client.close()
    const atRoot = await connect(installation.key, "/")
    expect((await call(atRoot, "whoami")).structuredContent).toMatchObject({ name: expect.any(String) as string })
    await atRoot.close()
  })

  it("binds a session to the credential that opened it", async () => {
    const opened = await post(installation.key, initialize)
    const session = opened.headers.get("mcp-session-id")!
    const ping = { jsonrpc: "2.0", id: 2, method: "ping" }
    expect((await post(installation.key, ping, { "mcp-session-id": session })).status).toBe(200)
    const other = await installation.keyWith("banks:read")
    const refused = await post(other, ping, { "mcp-session-id": session })
    expect(refused.status).toBe(404)
    expect(await refused.json()).toMatchObject({ code: "NOT_FOUND" })
  })

  it("refuses messages without a credential, and answers other methods with 405", async () => {
    const refused = await post(undefined, initialize)
    expect(refused.status).toBe(401)
    expect(refused.headers.get("www-authenticate")).toContain("Bearer")
    const read = await fetch(new URL("/mcp", installation.url), { headers: { "x-api-key": installation.key } })
    expect(read.status).toBe(405)
  })

  it("refuses more messages a minute than a credential has", async () => {
    const key = await installation.keyWith("banks:read")
    const statuses: Array<number> = []
    for (let n = 0; n <= 120; n++) statuses.push((await post(key, initialize)).status)
    expect(statuses.slice(0, 120).every((status) => status === 200)).toBe(true)
    expect(statuses[120]).toBe(429)
  })
})
