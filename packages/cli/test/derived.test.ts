/** Commands that follow from what is known of an operation: from its definition, and from the document of a server. */
import * as Struct from "effect/Struct"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { notes } from "../../core/test/collection/Notes.ts"
import { groupsOf } from "../src/commands/FromDocument.ts"
import type { Group } from "../src/commands/Derived.ts"
import { groups as bundled } from "../src/commands/operations.generated.ts"
import { firstWord } from "../src/commands/Discovery.ts"
import { json, startApi, startScripted } from "./Process.ts"
import { run } from "./Run.ts"

let api: Awaited<ReturnType<typeof startApi>>
beforeAll(async () => {
  api = await startApi({ collections: [notes] })
})
afterAll(() => api.stop())

const millrace = (args: ReadonlyArray<string>, stdin = "") => run(args, { env: api.env, stdin })
const ask = async (...args: ReadonlyArray<string>) => {
  const { code, err, out } = await millrace(args)
  expect(code, err).toBe(0)
  return JSON.parse(out) as { readonly id: string; readonly [key: string]: unknown }
}

const madeUp: Group = {
  name: "feeds",
  description: "Feeds.",
  operations: [
    {
      id: "listEchoes",
      command: "feeds echoes list",
      summary: "List the echoes of a feed",
      method: "GET",
      path: "/v1/feeds/{feed_id}/echoes",
      query: [
        { name: "state", type: "text", choices: ["loud", "quiet"], description: "Only those in this state." },
        { name: "limit", type: "integer", minimum: 1, description: "Rows of one page." }
      ],
      conditional: false,
      answers: "list"
    },
    {
      id: "updateEcho",
      command: "feeds echoes update",
      summary: "Change an echo",
      method: "PUT",
      path: "/v1/feeds/{feed_id}/echoes/{echo_id}",
      query: [],
      body: [{ name: "fadeOut", type: "boolean", description: "Fade out, yes or no" }],
      conditional: true,
      answers: "record"
    }
  ]
}

describe("derived commands", () => {
  it("are generated as the document of a server tells them", async () => {
    const document: unknown = await (await fetch(`${api.baseUrl}/openapi.json`)).json()
    const told = groupsOf(document).filter(({ name }) => name !== "notes")
    const own = bundled.map(({ operations, ...group }) => ({
      ...group,
      operations: operations.map((operation) => Struct.omit(operation, ["starters"]))
    }))
    expect(told).toEqual(own)
  })

  it("are there for an operation that nothing in this program names", async () => {
    const server = await startScripted((_, response) => json(response, 200, '{"success":true,"data":{"id":"echo_1"}}'))
    const offered = [...bundled, madeUp]
    const help = await run(["feeds", "echoes", "list", "--help"], { env: server.env }, offered)
    expect(help.out).toMatch(/--state <state> +Only those in this state. \(choices: loud, quiet\)[^]*--limit <count>/)
    const args = ["feeds", "echoes", "update", "feed_1", "echo_1", "--fade-out", "--if-version", "2"]
    const update = await run(args, { env: server.env }, offered)
    const other = await run(["feeds", "get", "feed_1"], { env: server.env }, offered)
    server.stop()
    expect([update.code, other.code], update.err).toEqual([0, 0])
    expect(server.asked.map(({ body, method, url }) => [method, url, body])).toEqual([
      ["PUT", "/v1/feeds/feed_1/echoes/echo_1", '{"fadeOut":true}'],
      ["GET", "/v1/feeds/feed_1", ""]
    ])
    expect(server.asked[0]?.headers["if-match"]).toBe('"2"')
  })

  it("begin with a starter, and let options say otherwise", async () => {
    const sent: Array<Readonly<Record<string, unknown>>> = []
    const server = await startScripted(({ body }, response) => {
      sent.push(JSON.parse(body))
      json(response, 201, '{"success":true,"data":{"id":"enr_1"}}')
    })
    const args = ["enrichments", "create", "--starter", "budget", "--all-feeds", "--name", "Ours"]
    expect((await run(args, { env: server.env })).code).toBe(0)
    server.stop()
    expect(sent).toMatchObject([{ name: "Ours", type: "budget", dataType: "transactions", allFeeds: true }])
    expect(sent[0]).toHaveProperty("budgetConfig.lines.1.key", "food")
    expect(sent[0]).toHaveProperty("budgetConfig.lines.1.amount", "1200")
  })

  it("work on what a server was given, without a word of it in this program", async () => {
    const note = await ask("notes", "create", "--title", "Rent", "--color", "red", "--rank", "3")
    expect(note).toMatchObject({ title: "Rent", color: "red", rank: 3, version: 1 })
    expect(await ask("notes", "get", note.id)).toEqual(note)
    expect(await ask("notes", "list", "--color", "red", "--limit", "5")).toMatchObject([{ id: note.id }])
    expect(await ask("notes", "list", "--color", "green")).toEqual([])
    const file = join(mkdtempSync(join(tmpdir(), "millrace-cli-derived-")), "note.json")
    writeFileSync(file, '{"color":null,"text":"from the file"}')
    const update = ["notes", "update", note.id, "--text", "said", "--file", file, "--if-version"]
    const changed = await ask(...update, "1")
    expect(changed).toMatchObject({ text: "said", version: 2 })
    expect(changed).not.toHaveProperty("color")
    const stale = await millrace([...update, "1"])
    expect([stale.code, stale.err]).toEqual([1, expect.stringContaining("412 PRECONDITION_FAILED")])
    const trashed = await millrace(["notes", "delete", note.id])
    expect(trashed.err).toContain(`millrace notes restore ${note.id}`)
    expect(await ask("notes", "list", "--trashed")).toMatchObject([{ id: note.id }])
    expect(await ask("notes", "restore", note.id)).toMatchObject({ trashedAt: null })
    await millrace(["notes", "delete", note.id])
    const gone = await millrace(["notes", "delete", note.id, "--permanent"])
    expect([gone.code, gone.err]).toEqual([0, `Deleted ${note.id} permanently.\n`])
    expect((await millrace(["notes", "get", note.id])).code).toBe(5)
  })

  it("have help and tell mistakes like all others", async () => {
    const help = await millrace(["notes", "create", "--help"])
    expect([help.code, help.out]).toEqual([0, expect.stringMatching(/--title <title> +Text \(required\)[^]*--color/)])
    const choice = await millrace(["notes", "create", "--title", "x", "--color", "blue"])
    expect([choice.code, choice.err]).toEqual([2, expect.stringContaining("red")])
    const refused = await millrace(["notes", "create", "--text", "x"])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("title")])
    const other = await millrace(["notes", "publish"])
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('"publish"')])
  })

  it("leave a word that nobody knows the mistake that it is, also where no server answers", async () => {
    for (const env of [api.env, { MILLRACE_BASE_URL: "http://127.0.0.1:9", MILLRACE_API_KEY: "mill_x" }]) {
      const { code, err } = await run(["feds", "list"], { env })
      expect([code, err]).toEqual([2, expect.stringContaining('"feds"')])
    }
  })

  it("are looked for by the first word that is no option", () => {
    expect(firstWord(["--base-url", "http://x", "-o", "json", "--quiet", "notes", "list"])).toBe("notes")
    expect(firstWord(["--output=json", "notes"])).toBe("notes")
    expect(firstWord(["--help"])).toBeUndefined()
  })
})
