/** The run of a job that was claimed, and what its end means for the job. */
import { Recovery, Timestamp } from "@millrace/core"
import type { JobError } from "@millrace/core/job"
import { type ClaimedJob, type Fence, type Fenced, JobStore, type StorageUnavailable } from "@millrace/core/storage"
import { SyncRun } from "@millrace/core/kernel"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export const makeRunClaimed = Effect.map(
  SyncRun,
  (runs) =>
    (job: ClaimedJob): Effect.Effect<void, Fenced | StorageUnavailable> => {
      const { attempt, feedId, id: jobId } = job.job
      return runs.run(job).pipe(Effect.withSpan("JobRunner.run", { attributes: { jobId, feedId, attempt } }))
    }
)

export const isFull = (error: Fenced | StorageUnavailable | undefined): boolean =>
  error?._tag === "StorageUnavailable" && error.full === true

export const makeSettle = Effect.gen(function* () {
  const jobs = yield* JobStore

  const failBroken = Effect.fnUntraced(function* (fence: Fence) {
    const error: JobError = {
      timestamp: yield* Timestamp.now,
      message: "The sync stopped because of a fault in Millrace.",
      category: "internal",
      severity: "fatal",
      code: "INTERNAL_ERROR",
      recovery: Recovery.contactSupport
    }
    return yield* jobs.fail(fence, [error]).pipe(
      Effect.as(true),
      Effect.catchTag("Fenced", () => Effect.succeed(false))
    )
  })

  /** What is left to do for a job whose run ended. Returns whether its end was ours to decide. */
  const settle = (
    { fence }: ClaimedJob,
    exit: Exit.Exit<void, Fenced | StorageUnavailable>,
    told: boolean
  ): Effect.Effect<boolean, StorageUnavailable> => {
    if (Exit.isSuccess(exit)) return Effect.succeed(true)
    const cause = exit.cause
    // Whatever breaks while it stops, such as a transaction that cannot be rolled back, is no fault of the job.
    if (told) return Effect.as(jobs.release(fence), false)
    // Nobody asked a run to stop that interrupts itself: that is as much a fault of ours as a defect.
    if (Cause.hasDies(cause) || Cause.hasInterrupts(cause)) {
      return Effect.logError("The run broke", cause).pipe(Effect.andThen(failBroken(fence)))
    }
    return Effect.failCause(cause).pipe(
      Effect.catchTag("Fenced", () => Effect.as(Effect.logDebug("The run was shut out"), false))
    )
  }

  return settle
})
