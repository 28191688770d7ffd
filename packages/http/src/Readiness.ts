/** Whether this process may be sent requests. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface ReadinessState {
  /** The database answers. */
  readonly database: boolean
  /** Its schema is the one this version needs. */
  readonly migrations: boolean
  /** The process is shutting down. */
  readonly draining: boolean
}

/** Always ready unless something else is provided: embedders without a database need nothing. */
export const Readiness = Context.Reference<Effect.Effect<ReadinessState>>("@millrace/http/Readiness", {
  defaultValue: () => Effect.succeed({ database: true, migrations: true, draining: false })
})
