import { Feeds } from "../../src/usecase/Feeds.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { runJob, scene } from "../upload/Uploading.ts"

const arrange = Effect.gen(function* () {
  const world = yield* openUploadFeed
  const [jobs, store] = [yield* Jobs, yield* JobStore]
  const { feed, caller } = world
  const job = yield* jobs.trigger(caller, feed.id, {})
  const claim = Effect.map(store.claim(job.id, []), Option.getOrThrow)
  const act = (what: "cancel" | "pause" | "resume") =>
    Effect.match(jobs[what](caller, feed.id, job.id), {
      onFailure: (error) => (error._tag === "Conflict" ? `${error.code}: ${error.message}` : error._tag),
      onSuccess: ({ pauseReason, status }) => [status, pauseReason ?? "-"].join(" ")
    })
  return { ...world, jobs, store, job, claim, act }
})

describe("Jobs", () => {
  scene("pauses a job in progress, and lets it go on", () =>
    Effect.gen(function* () {
      const { act, claim, feed, store } = yield* arrange
      expect([yield* act("pause"), yield* act("resume")]).toEqual([
        "INVALID_STATE: Job is created",
        "JOB_NOT_PAUSED: Job is not paused"
      ])
      const { fence } = yield* claim
      expect(yield* act("resume")).toBe("JOB_NOT_PAUSED: Job is not paused")
      expect([yield* act("pause"), yield* act("pause")]).toEqual(["in_progress user", "in_progress user"])
      expect([yield* act("resume"), yield* act("pause")]).toEqual(["in_progress -", "in_progress user"])
      yield* store.pauseAsked(fence)
      expect([yield* act("pause"), yield* act("cancel")]).toEqual([
        "INVALID_STATE: Job is paused",
        "JOB_PAUSED: Resume the job first"
      ])
      expect(yield* act("resume")).toBe("in_progress -")
      expect((yield* runJob(feed.id)).status).toBe("completed")
      const finished = "JOB_ALREADY_FINISHED: Job is already completed"
      expect([yield* act("pause"), yield* act("resume"), yield* act("cancel")]).toEqual([finished, finished, finished])
    })
  )

  scene("cancels a job that was asked to pause and is not paused yet", () =>
    Effect.gen(function* () {
      const { act, claim } = yield* arrange
      yield* claim
      expect([yield* act("pause"), yield* act("cancel")]).toEqual(["in_progress user", "cancelled -"])
    })
  )

  scene("keeps the feed locked while a job is paused, for all but force and its deletion", () =>
    Effect.gen(function* () {
      const { act, claim, feed, job, jobs, caller, store } = yield* arrange
      const { fence } = yield* claim
      yield* act("pause")
      yield* store.pauseAsked(fence)
      expect(yield* Effect.flip(jobs.trigger(caller, feed.id, {}))).toMatchObject({
        code: "SYNC_ALREADY_RUNNING",
        details: [{ field: "jobId", message: job.id }]
      })
      const next = yield* jobs.trigger(caller, feed.id, { forceCancelActive: true })
      expect((yield* jobs.get(caller, feed.id, job.id)).status).toBe("cancelled")
      const claimed = Option.getOrThrow(yield* store.claim(next.id, []))
      yield* jobs.pause(caller, feed.id, next.id)
      yield* store.pauseAsked(claimed.fence)
      yield* (yield* Feeds).remove(caller, feed.id, undefined)
      expect(yield* Effect.flip(store.fence(claimed.fence, {}))).toMatchObject({ _tag: "Fenced" })
    })
  )

  scene("knows no job of another feed", () =>
    Effect.gen(function* () {
      const { act, feed, job, jobs } = yield* arrange
      const other = yield* openUploadFeed
      const [caller, ids] = [other.caller, yield* Ids]
      for (const what of ["pause", "resume", "cancel"] as const) {
        for (const [where, which] of [
          [other.feed.id, job.id],
          [feed.id, job.id],
          [other.feed.id, yield* ids.next("job")]
        ] as const) {
          expect(yield* Effect.flip(jobs[what](caller, where, which))).toMatchObject({ _tag: "NotFound" })
        }
      }
      expect(yield* act("cancel")).toBe("cancelled -")
    })
  )
})
