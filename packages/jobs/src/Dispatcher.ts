/**
 * Brings due jobs to workers.
 *
 * It keeps nothing in memory that matters: what is due, and for how long, is in the rows. So another process
 * can take over at any moment, and two dispatchers at once do no harm. It waits for storage only, never for
 * a run.
 */
import type { FeedId } from "@millrace/core/feed/Feed"
import type { JobId } from "@millrace/core/job/Job"
import { JobStore } from "@millrace/core/job/JobStore"
import type { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { Chores } from "./Chores.ts"
import { JobRunner } from "./JobRunner.ts"

/** Milliseconds between two ticks: at least one a second while there is something to do. */
const busyTick = 1_000
const idleTick = 2_000
/** Between two tries while storage is away. */
const awayTick = 5_000

/** Takes a due job to the worker that should run it. Must return at once; may lose it. */
export type Hand = (feedId: FeedId, jobId: JobId) => Effect.Effect<unknown>

/**
 * Runs for ever: sweeps, does the chores and offers due jobs with every tick, and offers due jobs whenever
 * the runner asks for more in between.
 */
export const dispatch: (hand: Hand) => Effect.Effect<never, never, JobStore | JobRunner | Chores> = Effect.fnUntraced(
  function* (hand: Hand) {
    const jobs = yield* JobStore
    const runner = yield* JobRunner
    const chores = yield* Chores
    let found = 0
    /** Failed since the last tick began, and: it was reported and is not over. */
    let failed = false
    let away = false

    /** Storage that is away is reported once, and a chore that breaks does not keep the others from running. */
    const safely = (name: string, chore: Effect.Effect<number, StorageUnavailable>): Effect.Effect<number> =>
      chore.pipe(
        Effect.catchTag("StorageUnavailable", (error) => {
          const known = away
          failed = true
          away = true
          return Effect.as(known ? Effect.void : Effect.logWarning("Storage is away: nothing is dispatched", error), 0)
        }),
        Effect.catchDefect((defect) => Effect.as(Effect.logError("A chore broke", Cause.die(defect)), 0)),
        Effect.annotateLogs({ chore: name })
      )

    const offer = Effect.gen(function* () {
      const limit = yield* runner.appetite
      if (limit === 0) return 0
      yield* runner.noteBacklog(false)
      const due = yield* jobs.due(limit)
      for (const { feedId, jobId } of due) yield* hand(feedId, jobId)
      if (due.length >= limit) yield* runner.noteBacklog(true)
      return due.length
    })

    const fill = Effect.gen(function* () {
      yield* runner.hungry
      found += yield* safely("due", offer)
    }).pipe(Effect.forever)

    let wait = busyTick
    const tick = Effect.gen(function* () {
      let busy = found
      found = 0
      failed = false
      yield* safely("sweep", Effect.as(jobs.sweep, 0))
      for (const { name, chore } of chores.all()) busy += yield* safely(name, chore)
      yield* runner.wake
      if (failed) {
        wait = Math.min(awayTick, wait * 2)
      } else if (away) {
        away = false
        wait = busyTick
        yield* Effect.logInfo("Storage is back")
      } else {
        wait = busy > 0 ? busyTick : Math.min(idleTick, wait * 1.25)
      }
      yield* Effect.sleep(wait)
    }).pipe(Effect.forever)

    return yield* Effect.raceFirst(tick, fill)
  }
)
