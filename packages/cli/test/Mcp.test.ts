import { fileURLToPath } from "node:url"
import { Client as Client2 } from "@modelcontextprotocol/client"
import { StdioClientTransport as Transport2 } from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { toRun } from "@millrace/verification/process/Programs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startInstallation } from "../../http/test/mcp/Installation.ts"
import { runProgram } from "./Process.ts"

let installation: Awaited<ReturnType<typeof startInstallation>>
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation.stop())

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

const server = async (key: string) => ({
  command: process.execPath,
  args: [...(await toRun(main)), "mcp"],
  env: { PATH: process.env["PATH"] ?? "", MILLRACE_API_KEY: key, MILLRACE_BASE_URL: installation.url }
})

describe("millrace mcp", () => {
  it("gives a client the tools of the server over standard input and output", async () => {
    const client = new Client({ name: "test", version: "1" })
    await client.connect(new StdioClientTransport(await server(installation.key)))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain("create_feed")
    const me = await client.callTool({ name: "whoami", arguments: {} })
    expect(me["structuredContent"]).toMatchObject({ workspaceId: installation.workspace.id })
    await client.close()
  })

  it("serves the second generation of clients", async () => {
    const client = new Client2({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(new Transport2(await server(installation.key)))
    const banks = await client.callTool({ name: "list_banks", arguments: {} })
    expect(banks.structuredContent).toMatchObject({ data: [{ id: installation.bank.id }] })
    await client.close()
  })

  it("answers with the reason where the server refuses the key", async () => {
    const client = new Client({ name: "test", version: "1" })
    const connecting = client.connect(new StdioClientTransport(await server("mill_wrong")))
    await expect(connecting).rejects.toThrow("Invalid or expired API key")
  })

  it("answers each message with an error where the server cannot be reached, and what is no JSON", async () => {
    const [program = "", ...args] = [process.execPath, ...(await toRun(main)), "mcp"]
    const { code, out } = await runProgram(program, args, {
      env: { MILLRACE_API_KEY: "mill_any", MILLRACE_BASE_URL: "http://127.0.0.1:1" },
      stdin: '{"jsonrpc":"2.0","id":1,"method":"ping"}\nnothing\n{"jsonrpc":"2.0","id":"b","method":"tools/list"}\n'
    })
    const answers = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown)
    expect(answers).toMatchObject([
      { id: 1, error: { message: expect.stringContaining("Cannot reach") as string } },
      { id: null, error: { code: -32_700 } },
      { id: "b", error: { code: -32_000 } }
    ])
    expect(code).toBe(0)
  })
})
