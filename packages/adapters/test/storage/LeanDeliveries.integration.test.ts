/** What the delivery ledger of an older version holds, let go of while the server works: nobody is told anything else. */
import * as NodeDigest from "../../src/digest/NodeDigest.ts"
import * as Adapters from "../../src/Adapters.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { leanDeliveries } from "../../src/storage/postgres/LeanDeliveries.ts"
import { JobStore } from "@millrace/core/storage"
import { tableOf } from "../../../core/src/feed/FeedConfig.ts"
import { JobEngine } from "@millrace/core/job"
import { FeedRecords, Kernel, SyncRun, Tables, Uploads } from "@millrace/core/kernel"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const world = Kernel.layerUseCases(Redacted.make("only for tests")).pipe(
  Layer.provideMerge(Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })),
  Layer.provideMerge(Kernel.layerRun),
  Layer.provideMerge(Adapters.layer({ providers: [], folder: undefined })),
  Layer.provideMerge(storage),
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 5).toString("base64")) })),
  Layer.provideMerge(NodeDigest.layer),
  Layer.provideMerge(database(inject("postgres")))
)

const count = 500

const file = (days: number) =>
  new TextEncoder().encode(
    `Date;Description;Amount;Currency;Account\n${Array.from(
      { length: count },
      (_, n) => `2026-03-${String(1 + (n % days)).padStart(2, "0")};Text ${n};-${n}.50;CHF;CH9300762011623852957`
    ).join("\n")}\n`
  )

/** A delivered file, its rows as an older version kept them. */
const arrange = Effect.gen(function* () {
  const { caller, feed } = yield* openUploadFeed
  const [jobs, runs, records, sql] = [yield* JobStore, yield* SyncRun, yield* FeedRecords, yield* SqlClient.SqlClient]
  const run = Effect.gen(function* () {
    const job = Option.getOrThrow(yield* jobs.active(feed.id))
    yield* runs.run(Option.getOrThrow(yield* jobs.claim(job.id, yield* runs.banksOf(feed.id))))
    return Option.getOrThrow(yield* jobs.get(job.workspaceId, feed.id, job.id))
  })
  yield* (yield* Uploads).add(caller, feed.id, { fileName: "march.csv", contentType: "text/csv", bytes: file(28) })
  expect((yield* run).counts).toMatchObject({ created: count })
  const told = Effect.gen(function* () {
    const rows = []
    let page = yield* records.list(caller, feed.id, { limit: 100 })
    for (;;) {
      rows.push(...page.rows)
      if (page.cursor === undefined) return rows
      page = yield* records.list(caller, feed.id, { cursor: page.cursor })
    }
  })
  const asBefore = Effect.gen(function* () {
    for (const { recordId, values } of yield* told) {
      yield* sql`update delivery set field_values = ${JSON.stringify(values)}::json,
          provenance = '[{"field":"category","before":null,"after":"Food","enrichmentId":"enr_1","revision":1,"path":"r1"}]'
        where feed_id = ${feed.id} and record_id = ${recordId}`
    }
    yield* sql`update feed set lean_after = '' where id = ${feed.id}`
  })
  const kept = Effect.map(
    sql<{ readonly n: number }>`select count(*)::int as n from delivery
      where feed_id = ${feed.id} and field_values is not null`,
    ([row]) => row!.n
  )
  const left = Effect.map(
    sql<{ readonly after: string | null }>`select lean_after as after from feed where id = ${feed.id}`,
    ([row]) => row!.after
  )
  const tables = yield* Tables
  const tableId = tableOf(feed.destinationConfig)!
  const rowsOf = Effect.map(tables.queryRows(caller, tableId, {}), ({ rows }) => rows)
  return { asBefore, caller, feed, kept, left, records, rowsOf, run, sql, tableId, tables, told }
})

layer(world, { excludeTestServices: true, timeout: "60 seconds" })("values that older versions kept", (it) => {
  it.effect("go in chunks, by several processes and over stops, and nobody is told anything else", () =>
    Effect.gen(function* () {
      const { asBefore, kept, left, told } = yield* arrange
      expect(yield* kept).toBe(0)
      yield* asBefore
      expect(yield* kept).toBe(count)
      const before = yield* told
      expect(yield* leanDeliveries(60)).toBe(60)
      expect(yield* kept).toBe(count - 60)
      expect(yield* told).toEqual(before)
      const rest = Effect.gen(function* () {
        let rows = 0
        for (;;) {
          const some = yield* leanDeliveries(60)
          if (some === undefined) return rows
          rows += some
        }
      })
      yield* Effect.all([rest, rest], { concurrency: "unbounded" })
      expect(yield* kept).toBe(0)
      expect(yield* left).toBeNull()
      expect(yield* told).toEqual(before)
      expect(yield* leanDeliveries(60)).toBeUndefined()
    })
  )

  it.effect("stay where the table has them no more, where a person wrote over them, and where a row is not done", () =>
    Effect.gen(function* () {
      const { asBefore, caller, feed, kept, rowsOf, sql, tableId, tables, told } = yield* arrange
      yield* asBefore
      const [written, gone, refused] = yield* rowsOf
      yield* tables.updateRow(caller, tableId, written!.id, { values: { description: "mine" } }, undefined)
      yield* sql`delete from table_row where id = ${gone!.id}`
      yield* sql`update delivery set state = 'failed' where feed_id = ${feed.id} and remote_ref = ${refused!.id}`
      const before = yield* told
      while ((yield* leanDeliveries(200)) !== undefined);
      expect(yield* kept).toBe(3)
      expect(yield* told).toEqual(before)
    })
  )

  it.effect("are sent again from the records", () =>
    Effect.gen(function* () {
      const { asBefore, caller, feed, kept, records, rowsOf, run, told } = yield* arrange
      yield* asBefore
      while ((yield* leanDeliveries(1_000)) !== undefined);
      const [before, rows] = [yield* told, yield* rowsOf]
      expect(yield* records.redeliver(caller, feed.id, { state: "done" })).toMatchObject({ records: count })
      expect((yield* run).counts).toMatchObject({ carried: count, updated: count, failed: 0 })
      expect(yield* rowsOf).toEqual(rows)
      expect((yield* told).map(({ recordId, values }) => [recordId, values]).toSorted()).toEqual(
        before.map(({ recordId, values }) => [recordId, values]).toSorted()
      )
      expect(yield* kept).toBe(0)
    })
  )
})
