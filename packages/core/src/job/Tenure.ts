/**
 * Port: whether a run may stay in the process it is in.
 *
 * A run asks where leaving costs nothing: between pages, and between batches of deliveries.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface Tenure {
  /** Its feed has moved to another machine, or the process stops. */
  readonly isOver: () => boolean
  /** Ends the run and gives its job back, so that another worker goes on at once. */
  readonly leave: Effect.Effect<never>
}

/** Whoever runs jobs sets it for each run; a run without an engine stays where it is. */
export const Tenure = Context.Reference<Tenure>("@millrace/core/job/Tenure", {
  defaultValue: () => ({ isOver: () => false, leave: Effect.never })
})

/** Leaves when the run may not stay. */
export const leaveIfOver: Effect.Effect<void> = Effect.flatMap(Tenure, (tenure) =>
  tenure.isOver() ? tenure.leave : Effect.void
)
