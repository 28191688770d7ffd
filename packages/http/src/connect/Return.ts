/** What an upstream adds to the address at which a browser comes back. */
import type { ConnectResult } from "@millrace/core/kernel"

/** Names under which upstreams give the connection: each of these is one of theirs. */
const connectionNames = [
  "connection_id",
  "connectionId",
  "authorizationId",
  "authorization_id",
  "consent_id",
  "consentID"
]
const institutionNames = ["institution_id", "institutionId"]
/** Salt Edge names classes such as `AuthorizationCancelled`. */
const cancelled = /^(?:\w*cancell?ed|cancel|abandoned|closed|close_modal|access_denied)$/i
const failed = /^(?:error|failed|failure)$/i

const first = (query: URLSearchParams, names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => query.get(name)).find((value): value is string => value !== null && value !== "")

const longest = 2_000

/** How the person's way ended; `undefined` where the address says nothing about it. */
export const returnOf = (query: URLSearchParams): ConnectResult | undefined => {
  const said = ["status", "error", "error_type", "error_class"].map((name) => query.get(name) ?? "")
  if (said.some((one) => cancelled.test(one))) return { result: "cancelled" }
  if (failed.test(said[0]!) || said.slice(1).some((one) => one !== "")) return { result: "failed" }
  const connectionId = first(query, connectionNames)
  if (connectionId === undefined || connectionId.length > longest) return undefined
  const institutionId = first(query, institutionNames)
  return {
    result: "connected",
    payload: {
      kind: "provider_connection_id",
      connectionId,
      ...(institutionId === undefined || institutionId.length > 128 ? {} : { institutionId })
    }
  }
}
