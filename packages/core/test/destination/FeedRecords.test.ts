import { userOf } from "../../src/access/Principal.ts"
import { FeedRecords, type RecordQuery } from "../../src/destination/FeedRecords.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { SyncRun } from "../../src/usecase/SyncRun.ts"
import { Tables } from "../../src/table/Tables.ts"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import { tableOf } from "../../src/feed/FeedConfig.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { runJob, scene } from "../upload/Uploading.ts"

/** Three files, each taken by a job of its own. */
const arrange = Effect.gen(function* () {
  const world = yield* openUploadFeed
  const records = yield* FeedRecords
  const { feed, caller } = world
  for (const name of ["march.csv", "april.csv", "may.csv"]) {
    yield* world.upload(name)
    yield* runJob(feed.id)
  }
  const list = (query: RecordQuery) => records.list(caller, feed.id, query)
  const names = (query: RecordQuery) =>
    Effect.map(list(query), ({ rows }) => rows.map(({ values }) => String(values?.["Description"])))
  return { ...world, records, list, names, jobs: yield* Jobs, store: yield* JobStore }
})

describe("FeedRecords", () => {
  scene("lists what became of records, newest first, page by page and narrowed down", () =>
    Effect.gen(function* () {
      const { feed, list, names, caller, records, store } = yield* arrange
      expect(yield* names({})).toEqual(["may.csv", "april.csv", "march.csv"])
      const seen: Array<string> = []
      let page = yield* list({ limit: 1 })
      for (;;) {
        seen.push(...page.rows.map(({ values }) => String(values?.["Description"])))
        if (!page.hasMore) break
        page = yield* list({ limit: 1, cursor: page.cursor! })
      }
      expect(seen).toEqual(["may.csv", "april.csv", "march.csv"])
      const [, second] = yield* store.list(caller.principal.workspace.id, feed.id, { limit: 3 })
      expect(yield* names({ jobId: second!.id })).toEqual(["april.csv"])
      expect(yield* names({ jobId: "no job at all" })).toEqual([])
      expect(yield* names({ state: "dead" })).toEqual([])
      const { recordId } = (yield* list({ jobId: second!.id })).rows[0]!
      expect(yield* names({ recordId, state: "done" })).toEqual(["april.csv"])
      expect(yield* Effect.flip(list({ cursor: "garbage" }))).toMatchObject({ _tag: "CursorUnusable" })
      const other = yield* openUploadFeed
      expect(yield* Effect.flip(records.list(other.caller, feed.id, {}))).toMatchObject({
        _tag: "NotFound"
      })
    })
  )

  scene("goes on with the same filter where a page ended", () =>
    Effect.gen(function* () {
      const { list } = yield* arrange
      const first = yield* list({ state: "done", limit: 2 })
      const next = yield* list({ cursor: first.cursor!, state: "dead" })
      expect(next.rows).toHaveLength(1)
    })
  )

  scene("starts a job that sends records again", () =>
    Effect.gen(function* () {
      const { feed, list, caller, records } = yield* arrange
      const [row] = (yield* list({ limit: 1 })).rows
      const answer = yield* records.redeliver(caller, feed.id, { recordIds: [row!.recordId] })
      expect(answer).toMatchObject({ records: 1, hasMore: false })
      const job = yield* runJob(feed.id)
      expect([job.id, job.counts]).toMatchObject([answer.jobId, { read: 0, carried: 1, updated: 1 }])
    })
  )

  scene("asks for a job after the one that runs, where that has passed the records already", () =>
    Effect.gen(function* () {
      const { feed, jobs, caller, records, store } = yield* arrange
      const runs = yield* SyncRun
      const running = yield* jobs.trigger(caller, feed.id, {})
      const { fence } = Option.getOrThrow(yield* store.claim(running.id, yield* runs.banksOf(feed.id)))
      expect(yield* records.redeliver(caller, feed.id, { state: "done" })).toEqual({
        records: 3,
        hasMore: false,
        jobId: undefined
      })
      expect(yield* jobs.scheduleDue).toBe(0)
      yield* store.complete(fence, {})
      expect([yield* jobs.scheduleDue, yield* jobs.scheduleDue]).toEqual([1, 0])
      const job = yield* runJob(feed.id)
      expect(job).toMatchObject({
        type: "manual",
        startedBy: { kind: "system", reason: "redelivery" },
        userId: userOf(caller.principal),
        counts: { carried: 3, updated: 3 }
      })
      expect(yield* jobs.scheduleDue).toBe(0)
    })
  )

  scene("asks for no second job when the running one is followed by another", () =>
    Effect.gen(function* () {
      const { feed, jobs, caller, records, store } = yield* arrange
      const runs = yield* SyncRun
      const running = yield* jobs.trigger(caller, feed.id, {})
      const { fence } = Option.getOrThrow(yield* store.claim(running.id, yield* runs.banksOf(feed.id)))
      yield* records.redeliver(caller, feed.id, { state: "done" })
      yield* store.complete(fence, {})
      yield* jobs.trigger(caller, feed.id, {})
      expect((yield* runJob(feed.id)).counts).toMatchObject({ carried: 3 })
      expect(yield* jobs.scheduleDue).toBe(0)
    })
  )

  scene("starts nothing where there is nothing to send, and refuses to guess what is meant", () =>
    Effect.gen(function* () {
      const { feed, jobs, caller, records } = yield* arrange
      const nothing = { records: 0, hasMore: false, jobId: undefined }
      expect(yield* records.redeliver(caller, feed.id, { state: "dead" })).toEqual(nothing)
      expect(yield* records.redeliver(caller, feed.id, { recordIds: ["txn_unknown"] })).toEqual(nothing)
      expect(yield* jobs.scheduleDue).toBe(0)
      expect(yield* Effect.flip(records.redeliver(caller, feed.id, {}))).toMatchObject({
        _tag: "InvalidInput",
        details: [{ field: "recordIds" }]
      })
    })
  )

  scene("keeps the records open, and the job waiting, where the feed cannot start", () =>
    Effect.gen(function* () {
      const { change, feed, jobs, names, caller, records } = yield* arrange
      yield* change((held) => {
        const { destinationConfig: _, ...rest } = held
        return rest
      })
      expect(yield* records.redeliver(caller, feed.id, { state: "done" })).toMatchObject({
        records: 3,
        jobId: undefined
      })
      expect(yield* names({ state: "intended" })).toHaveLength(3)
      expect(yield* jobs.scheduleDue).toBe(0)
    })
  )

  scene("leaves a row in the trash of a table where a person put it", () =>
    Effect.gen(function* () {
      const { caller, delivered, feed, records } = yield* arrange
      const tableId = tableOf(feed.destinationConfig)!
      const tables = yield* Tables
      const { rows } = yield* tables.queryRows(caller, tableId, {})
      const gone = rows.find(({ values }) => values["description"] === "may.csv")!
      yield* tables.deleteRows(caller, tableId, [gone.id])
      yield* records.redeliver(caller, feed.id, { state: "done" })
      expect((yield* runJob(feed.id)).counts).toMatchObject({ carried: 3, updated: 2, unchanged: 1 })
      expect(yield* delivered).toEqual(["april.csv", "march.csv"])
    })
  )
})
