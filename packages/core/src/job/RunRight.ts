/** The right to write the rows of a feed: that of a job, or that of a local run, which is no job. */
import * as Effect from "effect/Effect"
import { type Lease, Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { type Fence, Fenced, JobStore, type Progress } from "./JobStore.ts"

/** A local run has the lease of its feed. `guard` says whether its task is still its own. */
export interface LocalRight {
  readonly lease: Lease
  readonly guard: Effect.Effect<void, Fenced | StorageUnavailable>
}

export type RunRight = Fence | LocalRight

/** As `JobStore.fence`, for either. A local run counts nothing, and nobody asks it to pause. */
export const makeRunRights = Effect.gen(function* () {
  const jobs = yield* JobStore
  const leases = yield* Leases
  return {
    fence: (right: RunRight, progress: Progress): Effect.Effect<boolean, Fenced | StorageUnavailable> =>
      "jobId" in right
        ? jobs.fence(right, progress)
        : Effect.andThen(right.guard, leases.fence(right.lease)).pipe(
            Effect.as(false),
            Effect.catchTag("LeaseLost", () => Effect.fail(new Fenced({ jobId: right.lease.holder })))
          )
  }
})
