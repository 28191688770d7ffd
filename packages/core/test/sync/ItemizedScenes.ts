/** Receipts with items that are pushed to a feed, and delivered one row for each item. */
import { expect, type Vitest } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { FeedRecords } from "../../src/destination/FeedRecords.ts"
import type { ExtractionConfig } from "../../src/feed/Extraction.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import type { Jobs } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import type { PushedRecord } from "../../src/sync/PushedRecords.ts"
import { Tables } from "../../src/table/Tables.ts"
import { acrossTenants } from "../../src/workspace/TenantScope.ts"
import { openFeed } from "./PushedWorld.ts"

type World = Effect.Services<ReturnType<typeof openFeed>> | FeedRecords | JobStore | Jobs | Tables

const extractionConfig: ExtractionConfig = {
  extractionFields: [
    { key: "cost_centre", name: "Cost centre", type: "category" },
    { key: "vat", name: "VAT", type: "currency", isItemField: true }
  ],
  itemizePerRow: true
}

const mapped = ["merchantName", "cost_centre", "itemName", "itemAmount", "vat"]

const itemized: Partial<Feed> = {
  dataType: "receipts",
  dataTypeOptions: { dataType: "receipts" },
  extractionConfig,
  fieldMappings: mapped.map((key) => ({ sourceField: key, destinationField: key }))
}

const item = (itemName: string, itemAmount: string, vat = "0.1") => ({ itemName, itemAmount, vat })
const [tea, cake, juice] = [item("Tea", "2.50"), item("Cake", "4.00"), item("Juice", "3.00")]

const receipt = (id: string, items: ReadonlyArray<PushedRecord["values"]>, merchantName = "Heron"): PushedRecord => ({
  id,
  values: { merchantName, date: "2026-03-02", totalAmount: "9.50", currency: "CHF", cost_centre: "north" },
  items
})

const inAll = acrossTenants("job engine")

const opened = Effect.fnUntraced(function* (change: Partial<Feed> = {}) {
  const world = yield* openFeed({ ...itemized, ...change })
  const tables = yield* Tables
  /** Rows of the table by what was bought: who holds them, and what they say. */
  const rows = Effect.map(tables.queryRows(world.caller, world.tableId, {}), (page) =>
    page.rows
      .map(({ id, values }) => ({ id, said: mapped.map((key) => String(values[key] ?? "")).join(" ") }))
      .toSorted((a, b) => (a.said < b.said ? -1 : 1))
  )
  const said = Effect.map(rows, (all) => all.map((row) => row.said))
  const idOf = (word: string) =>
    Effect.map(rows, (all) => all.find((row) => row.said.includes(word))?.id ?? expect.fail(`no row of ${word}`))
  const counts = Effect.gen(function* () {
    const [job] = yield* (yield* JobStore).list(world.workspace.id, world.feed.id, { limit: 1 })
    return job!.counts
  }).pipe(inAll)
  return { ...world, said, idOf, counts }
})

export const itemizedScenes = (it: Vitest.MethodsNonLive<World>, folder: string): void => {
  it.effect("delivers a row for each item, and leaves alone the rows of items that stay", () =>
    Effect.gen(function* () {
      const { counts, idOf, push, runDue, said } = yield* opened()
      yield* push({ records: [receipt("a", [tea, cake, juice]), receipt("b", [tea], "Crane")] })
      yield* runDue
      expect(yield* said).toEqual([
        "Crane north Tea 2.5 0.1",
        "Heron north Cake 4 0.1",
        "Heron north Juice 3 0.1",
        "Heron north Tea 2.5 0.1"
      ])
      const [cakeRow, juiceRow] = [yield* idOf("Cake"), yield* idOf("Juice")]
      // One is changed, one is gone, one is new, and what is left has changed places.
      yield* push({ records: [receipt("a", [juice, item("Bread", "1.00"), item("Cake", "4.50")])] })
      yield* runDue
      expect(yield* said).toEqual([
        "Crane north Tea 2.5 0.1",
        "Heron north Bread 1 0.1",
        "Heron north Cake 4.5 0.1",
        "Heron north Juice 3 0.1"
      ])
      expect([yield* idOf("Cake"), yield* idOf("Juice")]).toEqual([cakeRow, juiceRow])
      expect(yield* counts).toMatchObject({ created: 1, updated: 1, removed: 1, unchanged: 1, read: 3, vanished: 1 })
      yield* push({ records: [receipt("a", [tea, juice])] })
      yield* runDue
      expect(yield* said).toEqual(["Crane north Tea 2.5 0.1", "Heron north Juice 3 0.1", "Heron north Tea 2.5 0.1"])
      expect(yield* idOf("Juice")).toBe(juiceRow)
    })
  )

  it.effect("repeats the fields of the document in every row, and takes all of them away with it", () =>
    Effect.gen(function* () {
      const { feed, feeds, push, runDue, said, tableId } = yield* opened()
      yield* push({ records: [receipt("a", [tea, cake])] })
      yield* runDue
      yield* push({ records: [receipt("a", [tea, cake], "Red Crane")] })
      yield* runDue
      expect(yield* said).toEqual(["Red Crane north Cake 4 0.1", "Red Crane north Tea 2.5 0.1"])
      yield* push({ removed: ["a"] })
      yield* runDue
      // Delivered records stay where they are unless the feed says otherwise.
      expect(yield* said).toHaveLength(2)
      const destinationConfig = { type: "table", tableId, onRemoved: "delete" } as const
      expect(yield* inAll(feeds.update({ ...feed, destinationConfig, version: 2 }))).toBe(true)
      yield* push({ records: [receipt("b", [juice, tea])] })
      yield* runDue
      expect(yield* said).toEqual(["Heron north Juice 3 0.1", "Heron north Tea 2.5 0.1"])
      yield* push({ removed: ["b"] })
      yield* runDue
      expect(yield* said).toEqual([])
    })
  )

  it.effect("has a row of the document as long as no items are known, and none beside them", () =>
    Effect.gen(function* () {
      const { push, runDue, said } = yield* opened()
      yield* push({ records: [receipt("a", [])] })
      yield* runDue
      expect(yield* said).toEqual(["Heron north   "])
      yield* push({ records: [receipt("a", [tea])] })
      yield* runDue
      expect(yield* said).toEqual(["Heron north Tea 2.5 0.1"])
      yield* push({ records: [receipt("a", [])] })
      yield* runDue
      expect(yield* said).toEqual(["Heron north   "])
    })
  )

  it.effect("changes all rows when the feed asks for items, or for whole documents again", () =>
    Effect.gen(function* () {
      const { feed, feeds, push, runDue, said } = yield* opened()
      yield* push({ records: [receipt("a", [tea, cake])] })
      yield* runDue
      const whole = { ...feed, extractionConfig: { ...extractionConfig, itemizePerRow: false }, version: 2 }
      expect(yield* inAll(feeds.update(whole))).toBe(true)
      yield* push({ records: [receipt("b", [])] })
      yield* runDue
      expect(yield* said).toEqual(["Heron north   ", "Heron north   "])
      expect(yield* inAll(feeds.update({ ...feed, version: 3 }))).toBe(true)
      yield* push({ records: [receipt("c", [juice])] })
      yield* runDue
      expect(yield* said).toEqual([
        "Heron north   ",
        "Heron north Cake 4 0.1",
        "Heron north Juice 3 0.1",
        "Heron north Tea 2.5 0.1"
      ])
    })
  )

  it.effect("tells each row as it was delivered, and sends it again", () =>
    Effect.gen(function* () {
      const { caller, feed, push, runDue, said } = yield* opened()
      yield* push({ records: [receipt("a", [tea, cake])] })
      yield* runDue
      const sent = yield* FeedRecords
      const { rows } = yield* sent.list(caller, feed.id, {})
      expect(rows.map(({ state, values }) => [state, values?.["itemName"]]).toSorted()).toEqual([
        ["done", "Cake"],
        ["done", "Tea"]
      ])
      const documents = new Set(rows.map(({ recordId }) => recordId.split(":")[0]))
      expect(documents.size).toBe(1)
      expect(yield* sent.redeliver(caller, feed.id, { state: "done" })).toMatchObject({ records: 2 })
      yield* runDue
      expect(yield* said).toEqual(["Heron north Cake 4 0.1", "Heron north Tea 2.5 0.1"])
    })
  )

  it.effect("writes the rows of all items into a file", () =>
    Effect.gen(function* () {
      const destinationConfig = { type: "file", path: "items.csv", format: "csv" }
      const { push, runDue, workspace } = yield* opened({ destinationConfig })
      const lines = Effect.sync(() =>
        readFileSync(join(folder, workspace.id, "items.csv"), "utf8")
          .trim()
          .split(/\r?\n/)
          .slice(1)
          .toSorted()
      )
      yield* push({ records: [receipt("a", [tea, cake, juice])] })
      yield* runDue
      expect(yield* lines).toEqual(["Heron,north,Cake,4,0.1", "Heron,north,Juice,3,0.1", "Heron,north,Tea,2.5,0.1"])
      yield* push({ records: [receipt("a", [juice, item("Bread", "1.00"), item("Cake", "4.50")])] })
      yield* runDue
      expect(yield* lines).toEqual(["Heron,north,Bread,1,0.1", "Heron,north,Cake,4.5,0.1", "Heron,north,Juice,3,0.1"])
    })
  )
}
