/** Safe points of a run: between two pages, chunks or batches it can stop and leave nothing half done. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Fenced, JobStore } from "./JobStore.ts"
import { makeRunRights, type RunRight } from "./RunRight.ts"

/** Milliseconds between two looks at the job while a run writes nothing. */
const lookEvery = 2_000

export const makeSafePoints = Effect.gen(function* () {
  const jobs = yield* JobStore
  const { fence } = yield* makeRunRights

  /**
   * To be called after a transaction whose `fence` returned `asked`: pauses the job, by which the run is shut out.
   * Goes on where nobody asked, or the person thought better of it.
   */
  const safePoint = (right: RunRight, asked: boolean): Effect.Effect<void, Fenced | StorageUnavailable> =>
    asked && "jobId" in right
      ? Effect.flatMap(jobs.pauseAsked(right), (paused) =>
          paused ? Effect.fail(new Fenced({ jobId: right.jobId })) : Effect.void
        )
      : Effect.void

  /**
   * A safe point for work that writes nothing, such as reading pages of an upstream. Looks at the job now and then
   * only, so that a page costs nothing; without a fence never.
   */
  const idleSafePoint = (right: RunRight | undefined) =>
    Effect.map(Clock.currentTimeMillis, (began) => {
      let looked = began
      return Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (right === undefined || now - looked < lookEvery) return
        looked = now
        yield* safePoint(right, yield* fence(right, {}))
      })
    })

  /** Sleeps, and stops with the run as soon as that is cancelled or paused. */
  const sleepIdle = Effect.fnUntraced(function* (right: RunRight, seconds: number) {
    const step = lookEvery / 1000
    for (let left = seconds; left > 0; left -= step) {
      yield* Effect.sleep(`${Math.min(step, left)} seconds`)
      if (left > step) yield* safePoint(right, yield* fence(right, {}))
    }
  })

  return { safePoint, idleSafePoint, sleepIdle }
})
