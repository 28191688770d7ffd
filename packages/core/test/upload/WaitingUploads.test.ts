import { userOf } from "../../src/access/Principal.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { SyncRun } from "../../src/usecase/SyncRun.ts"
import { UploadStore } from "../../src/upload/UploadStore.ts"
import { WaitingUploads } from "../../src/upload/WaitingUploads.ts"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { runJob, scene } from "./Uploading.ts"

const takeUp = Effect.flatMap(WaitingUploads, (waiting) => waiting.takeUp)

describe("files that wait", () => {
  scene("are taken by one job of the system, in the name of who made the feed", (fate) =>
    Effect.gen(function* () {
      const { delivered, feed, jobs, caller, statuses, upload } = yield* openUploadFeed
      yield* upload("march.csv")
      expect(yield* takeUp).toBe(0)
      fate.whileReading = Effect.orDie(upload("april.csv"))
      expect((yield* runJob(feed.id)).status).toBe("completed")
      expect(yield* statuses).toEqual({ "march.csv": "processed", "april.csv": "stored" })
      expect([yield* takeUp, yield* takeUp]).toEqual([1, 0])
      expect((yield* jobs)[0]).toMatchObject({
        startedBy: { kind: "system", reason: "upload" },
        userId: userOf(caller.principal),
        type: "manual",
        mode: "incremental",
        status: "created"
      })
      expect((yield* runJob(feed.id)).status).toBe("completed")
      expect(yield* statuses).toEqual({ "march.csv": "processed", "april.csv": "processed" })
      expect([yield* takeUp, (yield* jobs).length, yield* delivered]).toEqual([0, 2, ["april.csv", "march.csv"]])
    })
  )

  scene("are tried again by themselves when a job failed, later each time, and at once when another comes", () =>
    Effect.gen(function* () {
      const { change, delivered, feed, jobs, statuses, upload } = yield* openUploadFeed
      const { fileBankId } = feed
      // Without the bank of its files every run of the feed fails.
      yield* change((held) => {
        const { fileBankId: _, ...rest } = held
        return rest
      })
      yield* upload("march.csv")
      expect((yield* runJob(feed.id)).status).toBe("failed")
      expect([yield* statuses, yield* takeUp]).toEqual([{ "march.csv": "stored" }, 0])
      const waited: Array<number> = []
      for (let minute = 1; minute <= 60; minute++) {
        yield* TestClock.adjust("1 minute")
        if ((yield* takeUp) === 0) continue
        waited.push(minute)
        expect((yield* runJob(feed.id)).status).toBe("failed")
      }
      // A second more for each job that ran.
      expect(waited.map((at, n) => at - (waited[n - 1] ?? 0))).toEqual([2, 4, 8, 16])
      yield* upload("april.csv")
      expect([(yield* runJob(feed.id)).status, yield* takeUp]).toEqual(["failed", 0])
      yield* change((held) => ({ ...held, ...(fileBankId === undefined ? {} : { fileBankId }) }))
      yield* TestClock.adjust("64 minutes")
      expect(yield* takeUp).toBe(1)
      expect((yield* runJob(feed.id)).status).toBe("completed")
      expect([yield* delivered, (yield* jobs).length]).toEqual([["april.csv", "march.csv"], 7])
    })
  )

  scene("are taken again when the job that had them was lost", (fate) =>
    Effect.gen(function* () {
      const { delivered, feed, statuses, upload } = yield* openUploadFeed
      yield* upload("march.csv")
      const [jobs, runs] = [yield* JobStore, yield* SyncRun]
      const job = Option.getOrThrow(yield* jobs.active(feed.id))
      const claimed = Option.getOrThrow(yield* jobs.claim(job.id, yield* runs.banksOf(feed.id)))
      fate.whileReading = Effect.interrupt
      yield* Effect.exit(runs.run(claimed))
      expect(yield* statuses).toEqual({ "march.csv": "processing" })
      yield* jobs.fail(claimed.fence, [])
      expect([yield* statuses, yield* takeUp]).toEqual([{ "march.csv": "stored" }, 0])
      yield* TestClock.adjust("2 minutes")
      expect(yield* takeUp).toBe(1)
      yield* runJob(feed.id)
      expect([yield* statuses, yield* delivered]).toEqual([{ "march.csv": "processed" }, ["march.csv"]])
    })
  )

  scene("are not asked about again once they turn out to be lost", (fate) =>
    Effect.gen(function* () {
      const { feed, upload } = yield* openUploadFeed
      fate.gone.add((yield* upload("lost.csv")).upload.id)
      yield* runJob(feed.id)
      expect(yield* takeUp).toBe(0)
    })
  )

  scene("get one job from many dispatchers", (fate) =>
    Effect.gen(function* () {
      const { feed, jobs, upload } = yield* openUploadFeed
      yield* upload("march.csv")
      fate.whileReading = Effect.orDie(upload("april.csv"))
      yield* runJob(feed.id)
      const made = yield* Effect.all(
        Array.from({ length: 8 }, () => takeUp),
        { concurrency: "unbounded" }
      )
      expect([made.reduce((sum, n) => sum + n, 0), (yield* jobs).length]).toEqual([1, 2])
    })
  )

  scene("get no job from a dispatcher that comes when they are taken, or their feed is gone", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* openUploadFeed, yield* openUploadFeed]
      yield* first.upload("march.csv")
      yield* runJob(first.feed.id)
      yield* (yield* FeedStore).remove(second.caller.principal.workspace.id, second.feed.id)
      const store = yield* UploadStore
      const late = WaitingUploads.layer.pipe(
        Layer.provide(
          Layer.succeed(UploadStore, { ...store, waiting: () => Effect.succeed([first.feed.id, second.feed.id]) })
        ),
        Layer.fresh
      )
      expect(yield* Effect.provide(takeUp, late)).toBe(0)
      expect(yield* first.jobs).toHaveLength(1)
      expect(yield* Effect.flatMap(JobStore, (jobs) => jobs.active(first.feed.id))).toEqual(Option.none())
    })
  )
})
