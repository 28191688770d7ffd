/**
 * Receipts in a table: a program that reads documents by itself brings in what it read, and a feed delivers it, a row for
 * each item.
 *
 * Run it with `node --conditions=@millrace/source examples/documents.ts`. How a receipt becomes the record below is the
 * program's own work: a template, a model, or a person.
 */
import { Events } from "@millrace/core/event"
import { Feeds, PushedRecords, Tables } from "@millrace/core/kernel"
import { Millrace } from "@millrace/embed"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { newWorkspace } from "./newWorkspace.ts"

export const layer = Millrace.layer({ providers: [], extracts: ["receipts"] })

export const program = Effect.gen(function* () {
  const { caller, workspace } = yield* newWorkspace
  const tables = yield* Tables
  const table = yield* tables.create(caller, { name: "Receipts", fields: [] })
  const { feed } = yield* (yield* Feeds).create(caller, {
    name: "Receipts to a table",
    source: "extractor",
    dataType: "receipts",
    sourceConfig: { type: "extractor" },
    // A field of our own, beside those that every receipt has.
    extractionConfig: {
      extractionFields: [{ key: "cost_centre", name: "Cost centre", type: "category" }],
      itemizePerRow: true
    },
    fieldMappings: ["merchantName", "date", "cost_centre", "itemName", "itemAmount"].map((key) => ({
      sourceField: key,
      destinationField: key
    })),
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true }
  })

  // Under a key of our own: brought in again it is the same receipt, and nothing is doubled.
  const receipt = {
    id: "scan-0001.pdf",
    values: {
      merchantName: "Heron",
      date: "2026-03-02",
      totalAmount: "6.50",
      currency: "EUR",
      cost_centre: "north"
    },
    items: [
      { itemName: "Tea", itemAmount: "2.50" },
      { itemName: "Cake", itemAmount: "4.00" }
    ]
  }
  const pushed = yield* (yield* PushedRecords).push(feed, "extractor", { records: [receipt] }, caller.cause)
  // The feed has no schedule, so it runs as soon as something has come in.
  yield* (yield* Events)
    .follow(workspace.id, { after: "beginning", types: ["feed.sync.completed", "feed.sync.failed"] })
    .pipe(Stream.runHead)
  const rows = yield* tables.queryRows(caller, table.id, {})
  return { pushed, rows: rows.rows.map(({ values }) => values) }
})

if (import.meta.main) {
  const { pushed, rows } = await Effect.runPromise(program.pipe(Effect.provide(layer)))
  process.stdout.write(`${pushed.written} written, ${pushed.failed.length} refused\n`)
  for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`)
}
