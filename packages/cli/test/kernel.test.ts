/** The command line against the whole kernel: demo bank, feed, sync, delivered rows. */
import { asOwner } from "@millrace/core/access"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Adapters } from "@millrace/adapters"
import { DemoProvider } from "@millrace/adapters/provider"
import { MemoryStorage } from "@millrace/adapters/memory"
import { Banks, Kernel, Workspaces } from "@millrace/core/kernel"
import { Currency } from "@millrace/core"
import { AccessLog, serve } from "@millrace/http"
import { layerMemory } from "@millrace/jobs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, expect, it } from "vitest"
import { run } from "./Run.ts"

const server = createServer()
const kernel = Kernel.layerUseCases(Redacted.make("a secret for cursors that only this test has")).pipe(
  Layer.provideMerge(layerMemory()),
  Layer.provideMerge(Kernel.layerRun),
  Layer.provideMerge(Adapters.layer({ providers: [DemoProvider.make()], folder: undefined })),
  Layer.provideMerge(MemoryStorage.layer)
)
const runtime = ManagedRuntime.make(
  serve.pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })),
    Layer.provide(Layer.succeed(AccessLog, () => Effect.void)),
    Layer.provideMerge(kernel)
  )
)
afterAll(async () => {
  server.closeAllConnections()
  await runtime.dispose()
})

const found = Effect.gen(function* () {
  const { owner, secret, workspace } = yield* (yield* Workspaces).create({
    name: "Test",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("USD"),
    ownerEmail: "owner@example.com"
  })
  yield* (yield* Banks).connect(asOwner(workspace, owner), {
    instanceId: "demo:default",
    attemptId: "cli",
    payload: { kind: "provider_connection_id", connectionId: "cli" }
  })
  return Redacted.value(secret)
})

interface Named {
  readonly id: string
}

let env: Readonly<Record<string, string>>
beforeAll(async () => {
  env = {
    MILLRACE_API_KEY: await runtime.runPromise(found),
    MILLRACE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
})

const succeed = async (args: ReadonlyArray<string>, stdin = ""): Promise<string> => {
  const { code, err, out } = await run(args, { env, stdin })
  expect(code, err).toBe(0)
  return out
}

const ask = async <A>(...args: ReadonlyArray<string>): Promise<A> => JSON.parse(await succeed(args)) as A

it("brings the transactions of a demo bank into a table", { timeout: 600_000 }, async () => {
  const [bank] = await ask<ReadonlyArray<Named>>("banks", "list")
  const accounts = await ask<ReadonlyArray<Named>>("accounts", "list", "--bank", bank!.id)
  const table = await ask<Named>("tables", "create", "--name", "Money")
  const body = {
    sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank!.id, accountId: id })) },
    destinationConfig: { type: "table", tableId: table.id }
  }
  const file = join(mkdtempSync(join(tmpdir(), "millrace-cli-kernel-")), "feed.json")
  writeFileSync(file, JSON.stringify(body))
  const create = ["feeds", "create", "--name", "All", "--source", "sync", "--data-type", "transactions", "--file", file]
  const feed = await ask<Named>(...create)
  const job = await ask<{ readonly status: string; readonly transactionsWritten: number }>(
    "feeds",
    "sync",
    feed.id,
    "--wait",
    "--quiet"
  )
  expect(job.status).toBe("completed")
  expect(job.transactionsWritten).toBeGreaterThan(100)

  const list = ["rows", "list", "--table", table.id, "--limit", "100"]
  const rows = await ask<ReadonlyArray<Named>>(...list, "--all")
  expect(new Set(rows.map(({ id }) => id)).size).toBe(job.transactionsWritten)
  const csv = await run([...list, "--all", "-o", "csv", "--fields", "id,values.amount"], { env })
  const lines = csv.out.trimEnd().split("\n").slice(1)
  expect(lines).toHaveLength(rows.length)
  for (const line of lines) expect(line).toMatch(/^row_\w+,-?\d+(\.\d+)?$/)

  const row = rows[0]!.id
  const edit = ["rows", "update", row, "--table", table.id, "--file", "-"]
  const held = JSON.parse(await succeed(edit, '{"values":{"description":"mine"}}')) as unknown
  expect(held).toMatchObject({ held: ["description"], values: { description: "mine" } })
  const released = JSON.parse(await succeed(edit, '{"values":{},"release":["description"]}')) as unknown
  expect(released).toMatchObject({ held: [] })
  const inUse = await run(["tables", "delete", table.id], { env })
  expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining("(409 TABLE_IN_USE)")])
  expect(inUse.err).toContain(feed.id)
})

it("keeps a table of one's own", { timeout: 600_000 }, async () => {
  const fields = [
    { name: "Number", type: "text" },
    { name: "Amount", type: "currency" },
    { name: "Extra", type: "json" }
  ]
  const made = await succeed(
    ["tables", "create", "--name", "Invoices", "--file", "-"],
    JSON.stringify({ fields, keyFields: ["number"] })
  )
  const of = ["--table", (JSON.parse(made) as Named).id]
  const create = ["rows", "create", ...of, "--mode", "upsert", "--file", "-", "-o", "csv", "--fields", "status"]
  const values = '{"number":"A-1","amount":12345678901234567890.12,"extra":{"n":0.10000000000000000001}}'
  const rows = (more: string) => `[{"values":${values}},{"values":{"number":"A-2","amount":1e2}}${more}]`
  expect(await succeed(create, rows(""))).toBe("status\ncreated\ncreated\n")
  expect(await succeed(create, rows(',{"values":{"number":"A-3"}}'))).toBe("status\nunchanged\nunchanged\ncreated\n")

  const filter = '{"field":"amount","op":"gte","value":100}'
  const query = ["rows", "query", ...of, "--filter", filter, "--sort=-amount", "--limit", "1", "--all"]
  const shown = ["--fields", "values.number,values.amount,values.extra.n"]
  expect(await succeed([...query, ...shown, "-o", "csv"])).toBe(
    [
      "values.number,values.amount,values.extra.n",
      "A-1,12345678901234567890.12,0.10000000000000000001",
      "A-2,100,",
      ""
    ].join("\n")
  )
  for (const format of ["json", "ndjson", "yaml", "toon", "table"]) {
    const out = await succeed(["rows", "list", ...of, "-o", format, "--filter", filter, "--sort", "number"])
    expect(out).toContain("12345678901234567890.12")
    expect(out).toContain("0.10000000000000000001")
  }

  const [first] = JSON.parse(await succeed(query)) as ReadonlyArray<Named>
  const update = ["rows", "update", first!.id, ...of, "--file", "-", "--if-version"]
  expect(JSON.parse(await succeed([...update, "1"], '{"values":{"amount":null}}'))).toMatchObject({ version: 2 })
  const stale = await run([...update, "1"], { env, stdin: '{"values":{"amount":1}}' })
  expect([stale.code, stale.err]).toEqual([1, expect.stringContaining("(412 PRECONDITION_FAILED)")])

  await succeed(["rows", "delete", first!.id, ...of])
  expect((await run(["rows", "get", first!.id, ...of], { env })).code).toBe(5)
  expect(await ask("rows", "list", ...of, "--trashed")).toMatchObject([{ id: first!.id }])
  expect(await ask("rows", "restore", first!.id, ...of)).toMatchObject({ trashedAt: null })

  const field = await ask<Named>("tables", "fields", "add", ...of, "--name", "Paid", "--type", "boolean")
  expect(await ask("tables", "fields", "update", field.id, ...of, "--name", "Done")).toMatchObject({ key: "paid" })
  await succeed(["tables", "fields", "remove", field.id, ...of])
  const wrong = await run(["rows", "query", ...of, "--filter", '{"field":"paid","op":"is-null"}'], { env })
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("filter.field")])

  await succeed(["tables", "delete", of[1]!])
  expect(await ask("tables", "list", "--trashed")).toMatchObject([{ id: of[1] }])
  expect(await ask("tables", "restore", of[1]!)).toMatchObject({ name: "Invoices" })
})
