/** The command line against the whole kernel: demo bank, feed, sync, delivered rows. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Adapters from "@millrace/adapters/Adapters"
import * as DemoProvider from "@millrace/adapters/provider/demo/DemoProvider"
import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import { Banks } from "@millrace/core/bank/Banks"
import * as Kernel from "@millrace/core/Kernel"
import * as Currency from "@millrace/core/shared/Currency"
import { Workspaces } from "@millrace/core/workspace/Workspaces"
import { AccessLog } from "@millrace/http/middleware/AccessLog"
import { serve } from "@millrace/http/Server"
import { layerMemory } from "@millrace/jobs/MemoryEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, expect, it } from "vitest"
import { run } from "./Process.ts"

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
  const { secret, workspace } = yield* (yield* Workspaces).found({
    name: "Test",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("USD"),
    ownerEmail: "owner@example.com"
  })
  yield* (yield* Banks).connect(workspace, {
    instanceId: "demo:default",
    attemptId: "cli",
    payload: { kind: "provider_connection_id", connectionId: "cli" }
  })
  return Redacted.value(secret)
})

interface Named {
  readonly id: string
}

it("brings the transactions of a demo bank into a table", { timeout: 60_000 }, async () => {
  const key = await runtime.runPromise(found)
  const env = {
    MILLRACE_API_KEY: key,
    MILLRACE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const ask = async <A>(...args: ReadonlyArray<string>): Promise<A> => {
    const { code, err, out } = await run(args, { env })
    expect(code, err).toBe(0)
    return JSON.parse(out) as A
  }
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
  const lines = csv.out.trimEnd().split("\r\n").slice(1)
  expect(lines).toHaveLength(rows.length)
  for (const line of lines) expect(line).toMatch(/^row_\w+,-?\d+(\.\d+)?$/)
})
