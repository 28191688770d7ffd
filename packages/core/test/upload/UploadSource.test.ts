import { JobStore } from "../../src/job/JobStore.ts"
import { Uploads } from "../../src/upload/Uploads.ts"
import { UploadStore } from "../../src/upload/UploadStore.ts"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { runJob, scene } from "./Uploading.ts"
import { somebody } from "@millrace/testing/fixture"

describe("a run over files", () => {
  scene("takes all that were stored, in the order in which they came", () =>
    Effect.gen(function* () {
      const { delivered, feed, statuses, upload } = yield* openUploadFeed
      yield* upload("march.csv")
      yield* upload("april.csv")
      expect(yield* runJob(feed.id)).toMatchObject({ status: "completed", counts: { read: 2, created: 2 } })
      expect(yield* statuses).toEqual({ "march.csv": "processed", "april.csv": "processed" })
      expect(yield* delivered).toEqual(["april.csv", "march.csv"])
    })
  )

  scene("is done with a file whose content is gone or cannot be read any more, and goes on with the others", (fate) =>
    Effect.gen(function* () {
      const { delivered, feed, statuses, upload } = yield* openUploadFeed
      fate.gone.add((yield* upload("lost.csv")).upload.id)
      yield* upload("torn.csv")
      fate.unreadable.add("torn.csv")
      yield* upload("march.csv")
      const job = yield* runJob(feed.id)
      expect([job.status, job.errors.map(({ code, message, severity }) => [severity, code, message])]).toEqual([
        "completed",
        [
          ["error", "FILE_UNREADABLE", "lost.csv: its content is gone"],
          ["error", "FILE_UNREADABLE", "torn.csv: is torn"]
        ]
      ])
      expect(yield* statuses).toEqual({ "lost.csv": "failed", "torn.csv": "failed", "march.csv": "processed" })
      const failed = yield* (yield* UploadStore).list(feed.id, { status: "failed" })
      expect(failed.map(({ error, jobId }) => [error, jobId])).toEqual([
        ["its content is gone", job.id],
        ["is torn", job.id]
      ])
      expect(yield* delivered).toEqual(["march.csv"])
    })
  )

  scene("quarantines the rows that cannot be read, each by its line, and books the others", () =>
    Effect.gen(function* () {
      const { delivered, feed, caller } = yield* openUploadFeed
      const lines = ["Date;Description;Amount;Currency", "2026-03-02;first;-4.50;CHF", "2026-03-03;second;many;CHF"]
      const bytes = new TextEncoder().encode([...lines, "2026-03-04;third;-5.50;CHF", ""].join("\n"))
      const { upload } = yield* (yield* Uploads).add(caller, feed.id, {
        fileName: "some.csv",
        contentType: "text/csv",
        bytes
      })
      expect(upload.warnings).toEqual(['line 3, Amount: "many" is not an amount; the row is left out'])
      const job = yield* runJob(feed.id)
      expect(job).toMatchObject({ status: "completed", counts: { created: 2, quarantined: 1 } })
      expect(job.errors.map(({ code, message }) => [code, message])).toContainEqual([
        "ROW_QUARANTINED",
        expect.stringMatching(/line 3.*Amount.*"many" is not an amount/)
      ])
      expect(yield* delivered).toEqual(["first", "third"])
    })
  )

  scene("that was cancelled says nothing of a file it could not read", (fate) =>
    Effect.gen(function* () {
      const { feed, statuses, upload } = yield* openUploadFeed
      const jobs = yield* JobStore
      yield* upload("torn.csv")
      fate.unreadable.add("torn.csv")
      const job = Option.getOrThrow(yield* jobs.active(feed.id))
      fate.whileReading = Effect.orDie(jobs.cancel(job.id, "cancel", somebody))
      expect(yield* Effect.flip(runJob(feed.id))).toMatchObject({ _tag: "Fenced" })
      expect(yield* statuses).toEqual({ "torn.csv": "stored" })
    })
  )
})
