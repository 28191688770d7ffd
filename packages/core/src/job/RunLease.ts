/**
 * Port: the lease under which a run stays in the process it is in, and its signal to stop there.
 *
 * A run looks at it where stopping costs nothing: between pages, and between batches of deliveries.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface RunLease {
  /** Its feed has moved to another machine, or the process stops. */
  readonly isRevoked: () => boolean
  /** Ends the run and gives its job back, so that another worker goes on at once. */
  readonly release: Effect.Effect<never>
}

/** Anyone who runs jobs sets it for each run; a run without an engine stays where it is. */
export const RunLease = Context.Reference<RunLease>("@millrace/core/job/RunLease", {
  defaultValue: () => ({ isRevoked: () => false, release: Effect.never })
})

/** Gives the job back when the lease of the run was revoked; else does nothing. */
export const yieldIfRevoked: Effect.Effect<void> = Effect.flatMap(RunLease, (runLease) =>
  runLease.isRevoked() ? runLease.release : Effect.void
)
