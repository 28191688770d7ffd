/**
 * Millrace inside another program: the whole kernel on in-memory storage, no server and no database.
 *
 * Run it with `node --conditions=@millrace/source examples/embed.ts`. It connects a bank of the demo
 * provider, syncs its transactions through a rule into a table, and prints the first rows.
 */
import { DemoProvider } from "@millrace/adapters/provider"
import { Banks, Enrichments, Feeds, Jobs, Tables, waitForJob, Workspaces } from "@millrace/core/kernel"
import { asOwner } from "@millrace/core/access"
import { Currency } from "@millrace/core"
import { Millrace } from "@millrace/embed"
import * as Effect from "effect/Effect"

export const layer = Millrace.layer({ providers: [DemoProvider.make()] })

export const program = Effect.gen(function* () {
  const { owner, workspace } = yield* (yield* Workspaces).create({
    name: "Example",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("USD"),
    ownerEmail: "owner@example.com"
  })
  const caller = asOwner(workspace, owner)

  const { accounts, bank } = yield* (yield* Banks).connect(caller, {
    instanceId: "demo:default",
    attemptId: "example",
    payload: { kind: "provider_connection_id", connectionId: "example" }
  })

  // A rule of the workspace: it runs in every feed of transactions.
  yield* (yield* Enrichments).create(caller, {
    name: "Subscriptions",
    type: "rule",
    dataType: "transactions",
    allFeeds: true,
    config: {
      rules: [
        {
          conditions: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "stream" }] },
          action: { field: "category", value: "Subscriptions" }
        }
      ]
    }
  })

  const tables = yield* Tables
  const table = yield* tables.create(caller, { name: "Transactions", fields: [] })
  const { feed } = yield* (yield* Feeds).create(caller, {
    name: "Transactions to a table",
    source: "sync",
    dataType: "transactions",
    sourceConfig: { type: "sync", accounts: accounts.map((account) => ({ bankId: bank.id, accountId: account.id })) },
    destinationConfig: { type: "table", tableId: table.id }
  })
  const job = yield* waitForJob(caller, yield* (yield* Jobs).trigger(caller, feed.id, {}))
  const rows = yield* tables.queryRows(caller, table.id, { limit: 5 })
  return { bank, job, rows: rows.rows }
})

if (import.meta.main) {
  const { bank, job, rows } = await Effect.runPromise(program.pipe(Effect.provide(layer)))
  process.stdout.write(`${bank.name}: ${job.status}, ${job.counts.read} read, ${job.counts.created} written\n`)
  for (const error of job.errors) process.stdout.write(`${error.severity}: ${error.message}\n`)
  for (const { values } of rows) {
    process.stdout.write(`${String(values["date"])} ${String(values["amount"])} ${String(values["description"])}\n`)
  }
}
