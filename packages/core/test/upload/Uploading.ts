/** Uploads in a kernel whose engine does nothing: the tests run the jobs themselves, when they see fit. */
import { JobEngine } from "@millrace/core/job/JobEngine"
import { JobStore } from "@millrace/core/job/JobStore"
import { SyncRun } from "@millrace/core/sync/SyncRun"
import { makeUploadWorld } from "@millrace/testing/upload/UploadWorld"
import type { FeedId } from "@millrace/core/feed/Feed"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

const engine = Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })

export type UploadWorld = ReturnType<typeof makeUploadWorld<never>>

/** A test in a world of its own. */
export const scene = (
  title: string,
  body: (fate: UploadWorld["fate"]) => Effect.Effect<void, unknown, Layer.Success<UploadWorld["layer"]>>
) =>
  it.effect(title, () => {
    const { fate, layer } = makeUploadWorld(engine)
    return body(fate).pipe(Effect.provide(layer))
  })

/** Runs the active job of the feed to its end. */
export const runJob = Effect.fnUntraced(function* (feedId: FeedId) {
  const [jobs, runs] = [yield* JobStore, yield* SyncRun]
  const job = Option.getOrThrow(yield* jobs.active(feedId))
  const claimed = yield* jobs.claim(job.id, yield* runs.banksOf(feedId))
  yield* runs.run(Option.getOrThrow(claimed))
  yield* TestClock.adjust("1 second")
  return Option.getOrThrow(yield* jobs.get(job.workspaceId, feedId, job.id))
})
