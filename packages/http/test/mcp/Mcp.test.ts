import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
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

  it("knows the tools of banks by the names that clients have for them", async () => {
    const client = await connect(installation.key)
    const bank = await call(client, "get_bank", { bankId: installation.bank.id })
    expect(bank.structuredContent?.["accounts"]).toContainEqual(
      expect.objectContaining({ bankId: installation.bank.id })
    )
    const link = await call(client, "create_bank_link", { provider: "demo", email: "person@example.com" })
    expect(link.structuredContent).toMatchObject({ attemptId: expect.any(String) as string })
    const foreign = await call(client, "create_bank_link", { provider: "plaid", email: "person@example.com" })
    expect(JSON.parse(foreign.content[0]!.text)).toMatchObject({ details: [{ field: "providerInstanceId" }] })
    await client.close()
  })

  it("passes on why a part of an answer cannot be given, and takes nothing for empty", async () => {
    const client = await connect(await installation.keyWith("banks:write"))
    const link = await call(client, "create_bank_link", { provider: "demo", email: "person@example.com" })
    expect(link.isError).toBe(true)
    expect(JSON.parse(link.content[0]!.text)).toMatchObject({ code: "INSUFFICIENT_SCOPE" })
    await client.close()
  })

  it.each([
    ["accept", { confirm: true }, false],
    ["accept", { confirm: false }, true],
    ["decline", undefined, true],
    ["cancel", undefined, true]
  ] as const)("asks a person who can be asked before something is deleted: %s %o", async (action, content, isError) => {
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } })
    const questions: Array<string> = []
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message)
      return { action, ...(content === undefined ? {} : { content }) }
    })
    await client.connect(transportTo(installation.key) as Transport)
    const table = await call(client, "create_table", { name: "Bills", fields: [] })
    const tableId = table.structuredContent?.["id"]
    const deleted = await call(client, "delete_table", { tableId })
    expect(questions).toEqual([expect.stringContaining("Move a table to the trash")])
    expect(deleted.isError === true).toBe(isError)
    expect((await call(client, "get_table", { tableId })).isError === true).toBe(!isError)
    await client.close()
  })

  it.each([true, false])("asks such a person without a session too: confirmed %s", async (confirm) => {
    const client = new Client2(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: {} } }
    )
    let asked = 0
    client.setRequestHandler("elicitation/create", () => {
      asked += 1
      return { action: "accept", content: { confirm } }
    })
    await client.connect(
      new Transport2(new URL("/mcp", installation.url), { requestInit: { headers: { "x-api-key": installation.key } } })
    )
    const table = await client.callTool({ name: "create_table", arguments: { name: "Bills", fields: [] } })
    const { id: tableId } = table.structuredContent as { readonly id: string }
    const deleted = await client.callTool({ name: "delete_table", arguments: { tableId } })
    expect(asked).toBe(1)
    expect(deleted.isError === true).toBe(!confirm)
    const found = await client.callTool({ name: "get_table", arguments: { tableId } })
    expect(found.isError === true).toBe(confirm)
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
