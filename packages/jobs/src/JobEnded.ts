/** Who is informed what became of the jobs that this process ran. */
import type { ClaimedJob } from "@millrace/core/storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Called after each run that this process brought to its end, or failed because it broke, when that is stored. Does
 * nothing unless something else is provided. A run that another process took over is not told of here.
 */
export const JobEnded = Context.Reference<(claimed: ClaimedJob) => Effect.Effect<void>>("@millrace/jobs/JobEnded", {
  defaultValue: () => () => Effect.void
})
