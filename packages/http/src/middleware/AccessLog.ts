/** One line per request: what was asked and how it went, never a secret, a query or a body. */
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

/** For programs: one JSON object. */
export const jsonLineOf = (entry: AccessEntry): string => JSON.stringify(entry)

/** What a terminal would take for a command to it. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const control = /[\u0000-\u001f\u007f-\u009f]/g

/** For people: `12:00:00 GET /v1/feeds 200 12 ms`, and where it was refused `... 404 NOT_FOUND 3 ms req_1`. */
export const plainLineOf = (entry: AccessEntry): string =>
  [
    entry.time.slice(11, 19),
    entry.method,
    entry.path,
    entry.status,
    entry.code,
    `${entry.durationMs} ms`,
    entry.status < 400 ? undefined : entry.requestId
  ]
    .filter((part) => part !== undefined)
    .join(" ")
    .replace(control, encodeURIComponent)

/** Writes JSON to the console unless something else is provided. */
export const AccessLog = Context.Reference<AccessLog>("@millrace/http/middleware/AccessLog", {
  defaultValue: () => (entry) => Console.log(jsonLineOf(entry))
})
