import { DeliveryStore } from "../../src/destination/DeliveryStore.ts"
import { FeedRecords } from "../../src/destination/FeedRecords.ts"
import { Enrichments } from "../../src/enrichment/Enrichments.ts"
import { tableOf } from "../../src/feed/FeedConfig.ts"
import { Tables } from "../../src/table/Tables.ts"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runJob, scene } from "../upload/Uploading.ts"

/** A file in a table of ours, where a person writes a text of their own over what was delivered. */
const arrange = Effect.gen(function* () {
  const world = yield* openUploadFeed
  const { caller, feed } = world
  const [records, tables, store] = [yield* FeedRecords, yield* Tables, yield* DeliveryStore]
  yield* world.upload("march.csv")
  yield* runJob(feed.id)
  const tableId = tableOf(feed.destinationConfig)!
  const row = (yield* tables.queryRows(caller, tableId, {})).rows[0]!
  return {
    ...world,
    records,
    tables,
    tableId,
    row,
    /** What the store keeps. */
    kept: Effect.map(store.list(feed.id, { limit: 5 }), (rows) => rows.map(({ values }) => values)),
    /** What people are told. */
    told: Effect.map(records.list(caller, feed.id, {}), ({ rows }) => rows[0]!.values!),
    write: tables.updateRow(caller, tableId, row.id, { values: { description: "mine" } }, undefined),
    rename: Effect.flatMap(Enrichments, (enrichments) =>
      enrichments.create(caller, {
        name: "Months",
        type: "rule",
        dataType: "transactions",
        allFeeds: true,
        config: {
          rules: [
            {
              conditions: {
                logic: "and",
                conditions: [{ field: "description", operator: "contains", value: "march" }]
              },
              action: { field: "description", value: "A month" }
            }
          ]
        }
      })
    )
  }
})

describe("DeliveredValues", () => {
  scene("tells what was delivered of a row that a person wrote over, though no copy of it is kept", () =>
    Effect.gen(function* () {
      const { kept, told, write } = yield* arrange
      yield* write
      expect(yield* kept).toEqual([undefined])
      expect(yield* told).toMatchObject({ Description: "march.csv", Amount: "-4.5", Currency: "CHF", Pending: false })
    })
  )

  scene(
    "tells what the destination has once the enrichments would give something else, but for what people wrote",
    () =>
      Effect.gen(function* () {
        const { rename, told, write } = yield* arrange
        const before = yield* told
        yield* rename
        expect(yield* told).toEqual(before)
        yield* write
        const { Description: _, ...rest } = before
        expect(yield* told).toEqual(rest)
      })
  )

  scene("sends again what the record holds now, and keeps it for a row that a person deleted", () =>
    Effect.gen(function* () {
      const { caller, delivered, feed, kept, records, rename, row, tableId, tables, told } = yield* arrange
      yield* rename
      yield* tables.deleteRows(caller, tableId, [row.id])
      yield* records.redeliver(caller, feed.id, { state: "done" })
      expect((yield* runJob(feed.id)).counts).toMatchObject({ unchanged: 1, updated: 0 })
      expect(yield* told).toMatchObject({ Description: "A month" })
      expect(yield* kept).toMatchObject([{ Description: "A month" }])
      yield* tables.purge
      yield* records.redeliver(caller, feed.id, { state: "skipped" })
      yield* runJob(feed.id)
      expect(yield* delivered).toEqual([])
    })
  )

  scene("keeps of a redelivery the hash of what it sent, so that the next run has nothing to do", () =>
    Effect.gen(function* () {
      const { caller, delivered, feed, kept, records, rename, upload } = yield* arrange
      yield* rename
      yield* records.redeliver(caller, feed.id, { state: "done" })
      expect((yield* runJob(feed.id)).counts).toMatchObject({ updated: 1, failed: 0 })
      expect(yield* delivered).toEqual(["A month"])
      expect(yield* kept).toEqual([undefined])
      yield* upload("april.csv")
      expect((yield* runJob(feed.id)).counts).toMatchObject({ created: 1, updated: 0 })
    })
  )
})
