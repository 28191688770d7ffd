/** Safe points of a run: between two pages, chunks or batches it can stop and leave nothing half done. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Fenced, type Fence, JobStore } from "./JobStore.ts"

/** Milliseconds between two looks at the job while a run writes nothing. */
const lookEvery = 2_000

export const makeSafePoints = Effect.gen(function* () {
  const jobs = yield* JobStore

  /**
   * To be called after a transaction whose `fence` returned `asked`: pauses the job, by which the run is shut out.
   * Goes on where nobody asked, or the person thought better of it.
   */
  const safePoint = (fence: Fence, asked: boolean): Effect.Effect<void, Fenced | StorageUnavailable> =>
    asked
      ? Effect.flatMap(jobs.pauseAsked(fence), (paused) =>
          paused ? Effect.fail(new Fenced({ jobId: fence.jobId })) : Effect.void
        )
      : Effect.void

  /**
   * A safe point for work that writes nothing, such as reading pages of an upstream. Looks at the job now and then
   * only, so that a page costs nothing; without a fence never.
   */
  const idleSafePoint = (fence: Fence | undefined) =>
    Effect.map(Clock.currentTimeMillis, (began) => {
      let looked = began
      return Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (fence === undefined || now - looked < lookEvery) return
        looked = now
        yield* safePoint(fence, yield* jobs.fence(fence, {}))
      })
    })

  /** Sleeps, and stops with the run as soon as that is cancelled or paused. */
  const sleepIdle = Effect.fnUntraced(function* (fence: Fence, seconds: number) {
    const step = lookEvery / 1000
    for (let left = seconds; left > 0; left -= step) {
      yield* Effect.sleep(`${Math.min(step, left)} seconds`)
      if (left > step) yield* safePoint(fence, yield* jobs.fence(fence, {}))
    }
  })

  return { safePoint, idleSafePoint, sleepIdle }
})
