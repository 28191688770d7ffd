/** Conformance of `UploadStore`. */
import * as Decimal from "@millrace/core/shared/Decimal"
import { Ids } from "@millrace/core/shared/Ids"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import { UploadStore } from "@millrace/core/upload/UploadStore"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storeFeed } from "../fixture/Feed.ts"
import { storeJob } from "../fixture/Job.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { makeUpload } from "../fixture/Upload.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const feed = yield* storeFeed(yield* storeWorkspace())
  return { feed, store: yield* UploadStore }
})

export const tests: StorageTests = (it) => {
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
      yield* store.insert(upload, bytes)
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
}

export const suite = suiteOf(tests)
