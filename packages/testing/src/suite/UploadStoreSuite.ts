/** Conformance of `UploadStore`. */
import type { Feed } from "@millrace/core/feed"
import { FeedStore, JobStore, UploadStore } from "@millrace/core/storage"
import { activeStatuses } from "@millrace/core/job"
import { Decimal, Ids, Timestamp } from "@millrace/core"
import { type Upload, uploadRetryMinutes, uploadStatuses } from "@millrace/core/upload"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { somebody } from "../fixture/Actor.ts"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeFeed, storeFeed } from "../fixture/Feed.ts"
import { claimJob, makeJobError, storeJob } from "../fixture/Job.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { makeUpload } from "../fixture/Upload.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

/** A feed of files that could run now. */
const storeUploadFeed = Effect.fnUntraced(function* (change: Partial<Feed> = {}) {
  return yield* storeFeed(yield* storeWorkspace(), { source: "upload", sourceConfig: { type: "upload" }, ...change })
})

const schedule = { enabled: true, frequency: "daily", timeOfDay: "06:30" } as const

const before = Timestamp.make("2026-03-01T00:00:00.000Z")
const between = Timestamp.make("2026-03-02T00:00:00.000Z")
const after = Timestamp.make("2026-03-03T00:00:00.000Z")

/** By the clock of a store that is as far ahead as it likes. */
const justNow = Timestamp.make("2199-01-01T00:00:00.000Z")

/** A file that came at that time and was not taken up, unless the change says otherwise. */
const storeUpload = Effect.fnUntraced(function* (
  feed: Feed,
  createdAt: Timestamp.Timestamp,
  change: Partial<Upload> = {}
) {
  yield* (yield* UploadStore).insert(yield* makeUpload(feed, { createdAt, size: 1, ...change }), new Uint8Array([1]))
})

/** Which of these feeds wait, in the order that the store answers. */
const waitingOf = Effect.fnUntraced(function* (feeds: ReadonlyArray<Feed>) {
  const ids = new Set(feeds.map(({ id }) => id))
  return (yield* (yield* UploadStore).waiting(100_000)).filter((id) => ids.has(id))
})

const arrange = Effect.gen(function* () {
  const feed = yield* storeFeed(yield* storeWorkspace())
  return { feed, store: yield* UploadStore }
})

const sorted = <A extends { readonly accountId: string }>(all: ReadonlyArray<A>) =>
  all.toSorted((x, y) => (x.accountId < y.accountId ? -1 : 1))

export const tests: StorageTests = (it) => {
  it.effect("tells how many bytes of files a workspace keeps, of all its feeds and of no other", () =>
    Effect.gen(function* () {
      const store = yield* UploadStore
      const workspace = yield* storeWorkspace()
      const [one, two] = [yield* storeFeed(workspace), yield* storeFeed(workspace)]
      const other = yield* storeFeed(yield* storeWorkspace())
      expect(yield* store.bytesKept(workspace.id)).toBe(0)
      const kept = yield* makeUpload(one, { size: 10 })
      yield* store.insert(kept, new Uint8Array(10))
      yield* store.insert(yield* makeUpload(two, { size: 7 }), new Uint8Array(7))
      yield* store.insert(yield* makeUpload(two, { size: 5, status: "processed" }), new Uint8Array(5))
      yield* store.insert(yield* makeUpload(other, { size: 3 }), new Uint8Array(3))
      expect(yield* store.bytesKept(workspace.id)).toBe(22)
      expect(yield* store.bytesKept(other.workspaceId)).toBe(3)
    })
  )

  it.effect("hands back an upload and its bytes as they came", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256)
      const upload = yield* makeUpload(feed, {
        fileName: difficultTexts.join("|"),
        size: bytes.length,
        statements: [
          { account: "****1", currency: "CHF", rows: 3, openingBalance: Decimal.make("0.1"), difference: Decimal.zero },
          { account: "****2", currency: "EUR", rows: 0, closingBalance: Decimal.make("-9999999999999.99") }
        ],
        assumed: { delimiter: ";", note: difficultTexts[2]! },
        warnings: [...difficultTexts]
      })
      expect(yield* store.insert(upload, bytes)).toBe(true)
      expect(yield* store.list(feed.id, {})).toEqual([upload])
      const read = Option.getOrThrow(yield* store.bytes(upload.id))
      expect(Buffer.compare(read, bytes)).toBe(0)
      // Nobody can change what is kept.
      bytes[0] = 9
      expect(Option.getOrThrow(yield* store.bytes(upload.id))[0]).toBe(0)
      expect(yield* store.bytes(yield* (yield* Ids).next("upload"))).toEqual(Option.none())
    })
  )

  it.effect("keeps an empty file", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const upload = yield* makeUpload(feed, { size: 0 })
      yield* store.insert(upload, new Uint8Array())
      expect(Option.getOrThrow(yield* store.bytes(upload.id))).toHaveLength(0)
    })
  )

  it.effect("keeps files of any size, around the ends of pieces too", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      for (const size of [1_048_575, 1_048_576, 1_048_577, 3 * 1_048_576, 5_000_000]) {
        const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 12)) % 256)
        const upload = yield* makeUpload(feed, { size })
        yield* store.insert(upload, bytes)
        const read = Option.getOrThrow(yield* store.bytes(upload.id))
        expect([size, read.length, Buffer.compare(read, bytes)]).toEqual([size, size, 0])
      }
    })
  )

  it.effect("finds an upload by its feed and id", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const other = yield* arrange
      const upload = yield* makeUpload(feed)
      yield* store.insert(upload, new Uint8Array([1, 2, 3, 4]))
      expect(yield* store.get(feed.id, upload.id)).toEqual(Option.some(upload))
      expect(yield* store.get(other.feed.id, upload.id)).toEqual(Option.none())
      expect(yield* store.get(feed.id, yield* (yield* Ids).next("upload"))).toEqual(Option.none())
    })
  )

  it.effect("gives pages of uploads, newest first, of one status where asked", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const made: Array<Upload> = []
      for (let i = 0; i < 5; i++) {
        const upload = yield* makeUpload(feed, { status: i === 2 ? "failed" : "stored", size: 1 })
        yield* store.insert(upload, new Uint8Array([i]))
        made.unshift(upload)
      }
      expect(yield* store.page(feed.id, { limit: 2 })).toEqual(made.slice(0, 2))
      expect(yield* store.page(feed.id, { limit: 9, before: made[1]!.id })).toEqual(made.slice(2))
      expect(yield* store.page(feed.id, { limit: 9, before: made[4]!.id })).toEqual([])
      expect(yield* store.page(feed.id, { limit: 9, status: "failed" })).toEqual([made[2]])
    })
  )

  it.effect("finds an upload of a feed by the hash of its bytes", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const other = yield* arrange
      const upload = yield* makeUpload(feed, { sha256: "abc" })
      yield* store.insert(upload, new Uint8Array([1]))
      expect(yield* store.bySha256(feed.id, "abc")).toEqual(Option.some(upload))
      expect(yield* store.bySha256(feed.id, "abcd")).toEqual(Option.none())
      expect(yield* store.bySha256(other.feed.id, "abc")).toEqual(Option.none())
    })
  )

  it.effect("keeps the same bytes once in a feed, of however many that come together", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const uploads = yield* Effect.forEach(Array.from({ length: 12 }), () => makeUpload(feed, { sha256: "abc" }))
      const kept = yield* Effect.forEach(uploads, (upload) => store.insert(upload, new Uint8Array([1])), {
        concurrency: "unbounded"
      })
      const first = uploads[kept.indexOf(true)]!
      expect(kept.filter((one) => one)).toHaveLength(1)
      expect(yield* store.list(feed.id, {})).toEqual([first])
      const other = yield* arrange
      expect(yield* store.insert(yield* makeUpload(other.feed, { sha256: "abc" }), new Uint8Array([1]))).toBe(true)
    })
  )

  it.effect("removes contents of files that are done with after their days, and stores them again", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const clock = yield* StoreClock
      const old = Timestamp.make("1969-12-31T00:00:00.000Z")
      const uploads = yield* Effect.forEach(uploadStatuses, (status) =>
        makeUpload(feed, { status, size: 1, createdAt: old })
      )
      for (const upload of uploads) yield* store.insert(upload, new Uint8Array([7]))
      yield* store.insert(
        yield* makeUpload(feed, { status: "processed", size: 1, createdAt: justNow }),
        new Uint8Array()
      )
      yield* clock.pass(10)
      while ((yield* store.removeFiles(1, 1)) > 0);
      const gone = (yield* store.list(feed.id, {})).filter(({ fileRemovedAt }) => fileRemovedAt !== undefined)
      expect(gone.map(({ status }) => status).toSorted()).toEqual(["failed", "processed"])
      for (const { id, status } of uploads) {
        const waits = status === "stored" || status === "processing"
        expect([status, Option.isSome(yield* store.bytes(id))]).toEqual([status, waits])
      }
      const { id } = gone[0]!
      yield* store.restore(id, new Uint8Array([7]))
      expect(Option.getOrThrow(yield* store.bytes(id))).toEqual(new Uint8Array([7]))
      expect(Option.getOrThrow(yield* store.get(feed.id, id)).fileRemovedAt).toBeUndefined()
      // One that is there stays as it is.
      yield* store.restore(id, new Uint8Array([8]))
      expect(Option.getOrThrow(yield* store.bytes(id))).toEqual(new Uint8Array([7]))
    })
  )

  it.effect("lists uploads oldest first and by status", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const young = yield* makeUpload(feed, { createdAt: Timestamp.make("2026-03-02T00:00:00.000Z") })
      const old = yield* makeUpload(feed, {
        createdAt: Timestamp.make("2026-03-01T00:00:00.000Z"),
        status: "processed"
      })
      yield* store.insert(young, new Uint8Array([1]))
      yield* store.insert(old, new Uint8Array([2]))
      expect(yield* store.list(feed.id, {})).toEqual([old, young])
      expect(yield* store.list(feed.id, { status: "stored" })).toEqual([young])
      expect(yield* store.list(feed.id, { status: "failed" })).toEqual([])
    })
  )

  it.effect("replaces status, job and error together", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const job = yield* storeJob(feed)
      const upload = yield* makeUpload(feed)
      yield* store.insert(upload, new Uint8Array([1]))
      yield* store.setStatus(upload.id, { status: "failed", jobId: job.id, error: difficultTexts.join("|") })
      expect(yield* store.list(feed.id, {})).toEqual([
        { ...upload, status: "failed", jobId: job.id, error: difficultTexts.join("|") }
      ])
      yield* store.setStatus(upload.id, { status: "stored" })
      const [read] = yield* store.list(feed.id, {})
      expect(read).toEqual(upload)
      expect(Object.keys(read!)).not.toContain("error")
      expect(Object.keys(read!)).not.toContain("jobId")
    })
  )

  it.effect("replaces what a reading said, and nothing else", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
      const upload = yield* makeUpload(feed, { size: 1, status: "failed", error: "torn" })
      yield* store.insert(upload, new Uint8Array([1]))
      const said = {
        format: "ofx" as const,
        statements: [{ account: "****1", accountId: account.id, currency: "EUR", rows: 2 }],
        assumed: { dateFormat: "DD.MM.YYYY" },
        warnings: [...difficultTexts],
        reading: "another"
      }
      yield* store.setReading(upload.id, { ...(yield* makeUpload(feed, { status: "stored" })), ...said })
      expect(yield* store.list(feed.id, {})).toEqual([{ ...upload, ...said }])
    })
  )

  it.effect("keeps what files showed, of any number, and finds it by file and by place", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const [here, there] = [yield* storeAccount(bank), yield* storeAccount(bank)]
      const at = (account: typeof here, dataType: "transactions" | "balances" = "transactions") =>
        ({ accountId: account.id, dataType }) as const
      const many = Array.from({ length: 12_001 }, (_, i) => `txn_${i}`)
      const [a, b, c] = [yield* makeUpload(feed), yield* makeUpload(feed), yield* makeUpload(feed)]
      for (const upload of [a, b, c]) yield* store.insert(upload, new Uint8Array([1, 2, 3, 4]))
      yield* store.setShown(a.id, [
        { ...at(here), recordIds: many },
        { ...at(there), recordIds: [] }
      ])
      yield* store.setShown(b.id, [{ ...at(here), recordIds: ["txn_b"] }])
      yield* store.setShown(c.id, [{ ...at(here, "balances"), recordIds: ["bal_c"] }])
      expect(sorted(yield* store.shown(a.id))).toEqual(
        sorted([
          { ...at(here), recordIds: many, rowIds: [] },
          { ...at(there), recordIds: [], rowIds: [] }
        ])
      )
      expect(yield* store.shownElsewhere(at(here), b.id)).toEqual([{ ...at(here), recordIds: many, rowIds: [] }])
      expect(yield* store.shownElsewhere(at(there), a.id)).toEqual([])
      expect((yield* store.showing(here.id)).map(({ id }) => id).toSorted()).toEqual([a.id, b.id, c.id].toSorted())
      expect(yield* store.showing(there.id)).toEqual([a])
      // Replaced as a whole, and gone with the file.
      yield* store.setShown(a.id, [{ ...at(here), recordIds: ["txn_1"] }])
      expect(yield* store.shown(a.id)).toEqual([{ ...at(here), recordIds: ["txn_1"], rowIds: [] }])
      expect([yield* store.remove(a.id), yield* store.remove(a.id)]).toEqual([true, false])
      expect([yield* store.shown(a.id), yield* store.bytes(a.id)]).toEqual([[], Option.none()])
      expect(yield* store.shownElsewhere(at(here), b.id)).toEqual([])
      // Nobody notes anything of a file that is gone.
      yield* store.setShown(a.id, [{ ...at(here), recordIds: ["txn_1"] }])
      yield* store.beginShowing(a.id, at(here), ["row"])
      expect(yield* store.shown(a.id)).toEqual([])
      yield* (yield* FeedStore).remove(feed.workspaceId, feed.id)
      expect([yield* store.shown(b.id), yield* store.showing(here.id)]).toEqual([[], []])
    })
  )

  it.effect("notes rows before they are written, once each, until the reading has ended", () =>
    Effect.gen(function* () {
      const { feed, store } = yield* arrange
      const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
      const place = { accountId: account.id, dataType: "transactions" } as const
      const upload = yield* makeUpload(feed)
      yield* store.insert(upload, new Uint8Array([1, 2, 3, 4]))
      yield* store.setShown(upload.id, [{ ...place, recordIds: ["txn_1"] }])
      const rows = Array.from({ length: 5_003 }, (_, i) => `file:${i}`)
      yield* store.beginShowing(upload.id, place, rows)
      yield* store.beginShowing(upload.id, place, [...rows.slice(9), "file:other"])
      const [noted] = yield* store.shown(upload.id)
      expect([noted?.recordIds, noted?.rowIds.length]).toEqual([["txn_1"], 5_004])
      expect(new Set(noted?.rowIds)).toEqual(new Set([...rows, "file:other"]))
      yield* store.setShown(upload.id, [{ ...place, recordIds: ["txn_2"] }])
      expect(yield* store.shown(upload.id)).toEqual([{ ...place, recordIds: ["txn_2"], rowIds: [] }])
    })
  )

  it.effect("offers feeds whose file has no job, those that wait longest first, as many as are asked for", () =>
    Effect.gen(function* () {
      const store = yield* UploadStore
      const [young, old, middle] = [yield* storeUploadFeed(), yield* storeUploadFeed(), yield* storeUploadFeed()]
      yield* storeUpload(young, after)
      yield* storeUpload(old, after)
      yield* storeUpload(old, before)
      yield* storeUpload(middle, between)
      expect(yield* waitingOf([young, old, middle])).toEqual([old.id, middle.id, young.id])
      expect(yield* store.waiting(1)).toHaveLength(1)
    })
  )

  it.effect("lets only files wait that nobody is done with", () =>
    Effect.gen(function* () {
      for (const status of uploadStatuses) {
        const feed = yield* storeUploadFeed()
        yield* storeUpload(feed, before, { status })
        const waits = status === "stored" || status === "processing"
        expect([status, yield* waitingOf([feed])]).toEqual([status, waits ? [feed.id] : []])
      }
      const empty = yield* storeUploadFeed()
      expect(yield* waitingOf([empty])).toEqual([])
    })
  )

  it.effect("leaves out feeds that lack a part, read no files, or run by a schedule", () =>
    Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      const account = yield* storeAccount(yield* storeBank(workspace))
      const { sourceConfig: _, ...sourceless } = yield* makeFeed(workspace, { source: "upload" })
      const { destinationConfig: _d, ...homeless } = yield* makeFeed(workspace, {
        source: "upload",
        sourceConfig: { type: "upload" }
      })
      for (const feed of [sourceless, homeless]) yield* (yield* FeedStore).insert(feed)
      const connected = yield* storeUploadFeed({
        sourceConfig: { type: "sync", accounts: [{ bankId: account.bankId, accountId: account.id }] }
      })
      const scheduled = yield* storeUploadFeed({ schedule, nextRunAt: after })
      const unscheduled = yield* storeUploadFeed({ schedule: { ...schedule, enabled: false } })
      const all = [sourceless, homeless, connected, scheduled, unscheduled]
      for (const feed of all) yield* storeUpload(feed, before)
      expect(yield* waitingOf(all)).toEqual([unscheduled.id])
    })
  )

  it.effect("leaves out feeds with an active job, whatever came after it was made", () =>
    Effect.gen(function* () {
      for (const status of activeStatuses) {
        const feed = yield* storeUploadFeed()
        const job = yield* storeJob(feed, { status, createdAt: between })
        yield* storeUpload(feed, before)
        yield* storeUpload(feed, after)
        expect([status, yield* waitingOf([feed])]).toEqual([status, []])
        if (status === "paused") continue
        yield* (yield* JobStore).cancel(job.id, "cancel", somebody)
        expect([status, yield* waitingOf([feed])]).toEqual([status, [feed.id]])
      }
    })
  )

  it.effect("offers a file to another job some time after one failed, and later after each that fails", () =>
    Effect.gen(function* () {
      const feed = yield* storeUploadFeed()
      const [jobs, clock] = [yield* JobStore, yield* StoreClock]
      const { fence: good } = yield* claimJob(feed)
      yield* jobs.complete(good, {})
      yield* storeUpload(feed, Timestamp.make("1969-12-31T00:00:00.000Z"), { status: "processing" })
      for (let failures = 1; failures <= 12; failures++) {
        const { fence } = yield* claimJob(feed)
        yield* jobs.fail(fence, [yield* makeJobError()])
        const seconds = uploadRetryMinutes(failures) * 60
        expect(seconds).toBe(Math.min(2 ** failures, 1_440) * 60)
        yield* clock.pass(seconds - 30)
        expect([failures, yield* waitingOf([feed])]).toEqual([failures, []])
        yield* clock.pass(60)
        expect([failures, yield* waitingOf([feed])]).toEqual([failures, [feed.id]])
      }
      const { fence: better } = yield* claimJob(feed)
      yield* jobs.complete(better, {})
      const { fence: last } = yield* claimJob(feed)
      yield* jobs.fail(last, [yield* makeJobError()])
      yield* clock.pass(150)
      expect(yield* waitingOf([feed])).toEqual([feed.id])
    })
  )

  it.effect("offers no file to a second job at once when the newest one failed or was cancelled after it came", () =>
    Effect.gen(function* () {
      for (const status of ["failed", "cancelled"] as const) {
        const feed = yield* storeUploadFeed()
        yield* storeUpload(feed, between)
        yield* storeJob(feed, { status, createdAt: before })
        expect([status, yield* waitingOf([feed])]).toEqual([status, [feed.id]])
        yield* storeJob(feed, { status, createdAt: between, updatedAt: justNow })
        expect([status, yield* waitingOf([feed])]).toEqual([status, []])
        yield* storeJob(feed, { status, createdAt: after, updatedAt: justNow })
        expect([status, yield* waitingOf([feed])]).toEqual([status, []])
      }
    })
  )

  it.effect("offers a file that the newest job completed without", () =>
    Effect.gen(function* () {
      const feed = yield* storeUploadFeed()
      // It came first by its time, and was on its way for longer than the job ran.
      const { fence } = yield* claimJob(feed)
      yield* (yield* JobStore).complete(fence, {})
      yield* storeUpload(feed, Timestamp.make("1969-12-31T00:00:00.000Z"))
      expect(yield* waitingOf([feed])).toEqual([feed.id])
    })
  )
}

export const suite = suiteOf(tests)
