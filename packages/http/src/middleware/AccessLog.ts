/** One line of JSON per request: what was asked and how it went, never a secret, a query or a body. */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface AccessEntry {
  readonly time: string
  readonly requestId: string
  readonly method: string
  /** Without the query: cursors and search texts do not belong in logs. */
  readonly path: string
  readonly operation: string | undefined
  readonly status: number
  /** Of the error, when one was answered. */
  readonly code: string | undefined
  readonly durationMs: number
  readonly workspaceId: string | undefined
  /** Id of the API key or user. */
  readonly credential: string | undefined
}

export type AccessLog = (entry: AccessEntry) => Effect.Effect<void>

/** Writes to the console unless something else is provided. */
export const AccessLog = Context.Reference<AccessLog>("@millrace/http/middleware/AccessLog", {
  defaultValue: () => (entry) => Console.log(JSON.stringify(entry))
})
