/** What Quiltt's refusals mean, in one table each: for HTTP, for GraphQL, and for the status of a connection. */
import type { OutboundRequest, OutboundResponse } from "@millrace/core/outbound"
import {
  ConnectionGone,
  type ConnectionHealth,
  hintSeconds,
  InstitutionUnavailable,
  Misconfigured,
  ProtocolViolation,
  type ProviderError,
  ProviderUnavailable,
  RateLimited,
  ReauthRequired,
  refusalOf,
  retryAfterSeconds
} from "@millrace/core/provider"
import { shownCode } from "../upstream/UpstreamForm.ts"
import { secondsUntil } from "../upstream/Wait.ts"
import type { GraphqlErrors } from "./QuilttAnswers.ts"

type Counts = OutboundRequest["counts"]

/** The name of this upstream in messages. */
export const upstream = "Quiltt"

/** Requests to these share limits of their own. */
export const endpoints = { sessions: "sessions", refreshes: "refreshes" } as const

/** Sessions are of a profile, and say nothing about its banks. */
const isAboutBank = (counts: Counts): boolean =>
  counts?.connection !== undefined && counts.endpoint !== endpoints.sessions

const rateLimited = (
  providerCode: string,
  counts: Counts,
  headers: OutboundResponse["headers"],
  now: number
): RateLimited => {
  return new RateLimited({
    message: `${upstream} asks to wait`,
    providerCode,
    // Sessions have a limit of their own for each profile; all other requests share one.
    ...(counts?.endpoint === endpoints.sessions
      ? { scope: "endpoint", endpoint: endpoints.sessions }
      : { scope: "client" }),
    // `Ratelimit-Reset` is an instant here, not a number of seconds.
    retryAfter: hintSeconds(retryAfterSeconds(headers, now) ?? secondsUntil(headers["ratelimit-reset"], now))
  })
}

/** What a status that is no success means; `undefined` for an answer that can be read. */
export const httpRefusal = (answer: OutboundResponse, counts: Counts, now: number): ProviderError | undefined => {
  const { headers, status } = answer
  const requestId = shownCode(headers["x-request-id"])
  const evidence = { providerCode: String(status), ...(requestId === undefined ? {} : { requestId }) }
  switch (status) {
    case 401:
      return new Misconfigured({ ...evidence, message: `${upstream} does not accept the API secret` })
    case 403:
      return isAboutBank(counts)
        ? new ReauthRequired({ ...evidence, message: `${upstream} no longer has access to the bank` })
        : new Misconfigured({ ...evidence, message: `${upstream} does not allow this to the API secret` })
    case 429:
      return rateLimited("429", counts, headers, now)
    case 404:
    case 410:
      return counts?.connection === undefined
        ? new ProtocolViolation({ ...evidence, message: `${upstream} does not know what was asked for`, path: "" })
        : new ConnectionGone({ ...evidence, message: `${upstream} does not know what was asked for` })
  }
  if (status >= 500 || status === 408) {
    const wait = retryAfterSeconds(headers, now)
    return new ProviderUnavailable({
      ...evidence,
      message: `${upstream} answered ${status}`,
      ...(wait === undefined ? {} : { retryAfter: wait })
    })
  }
  return refusalOf(upstream, answer, counts)
}

type Meaning = (evidence: { readonly providerCode: string }) => ProviderError

/** Codes of GraphQL errors, which come with status 200; small and capital letters are alike. */
const graphqlMeanings: Readonly<Record<string, Meaning>> = {
  UNAUTHENTICATED: (evidence) =>
    new Misconfigured({ ...evidence, message: `${upstream} does not accept the API secret` }),
  UNAUTHORIZED: (evidence) => new Misconfigured({ ...evidence, message: `${upstream} does not accept the API secret` }),
  FORBIDDEN: (evidence) => new ReauthRequired({ ...evidence, message: `${upstream} no longer has access to the bank` }),
  NOT_FOUND: (evidence) => new ConnectionGone({ ...evidence, message: `${upstream} does not know the connection` }),
  RECORD_NOT_FOUND: (evidence) =>
    new ConnectionGone({ ...evidence, message: `${upstream} does not know the connection` }),
  UNDEFINEDFIELD: (evidence) =>
    new ProtocolViolation({ ...evidence, message: `${upstream} does not have a field that was asked for`, path: "" }),
  UNDEFINEDTYPE: (evidence) =>
    new ProtocolViolation({ ...evidence, message: `${upstream} does not have a type that was asked for`, path: "" }),
  ARGUMENTNOTACCEPTED: (evidence) =>
    new ProtocolViolation({ ...evidence, message: `${upstream} does not take an argument that was given`, path: "" }),
  ARGUMENTLITERALSINCOMPATIBLE: (evidence) =>
    new ProtocolViolation({ ...evidence, message: `${upstream} does not take an argument that was given`, path: "" }),
  GRAPHQL_VALIDATION_FAILED: (evidence) =>
    new ProtocolViolation({ ...evidence, message: `${upstream} does not take the query`, path: "" }),
  GRAPHQL_PARSE_FAILED: (evidence) =>
    new ProtocolViolation({ ...evidence, message: `${upstream} does not take the query`, path: "" }),
  INVALID_CURSOR: (evidence) =>
    new ProtocolViolation({
      ...evidence,
      message: `${upstream} does not take its own cursor`,
      path: "pageInfo.endCursor"
    })
}

const throttled = new Set(["RATE_LIMITED", "RATE_LIMIT_EXCEEDED", "THROTTLED", "TOO_MANY_REQUESTS"])

/**
 * What the errors of an answer mean: of several, the first that is known. What came beside them is no whole answer and is
 * never used. One without a code that is known is taken for a fault of theirs that passes.
 */
export const graphqlRefusal = (
  errors: GraphqlErrors,
  headers: OutboundResponse["headers"],
  counts: Counts,
  now: number
): ProviderError => {
  const codes = errors.map(({ extensions }) => (extensions?.code ?? "").trim().toUpperCase().slice(0, 80))
  for (const code of codes) {
    if (throttled.has(code)) return rateLimited(code, counts, headers, now)
    const meaning = Object.hasOwn(graphqlMeanings, code) ? graphqlMeanings[code] : undefined
    if (meaning !== undefined) return meaning({ providerCode: code })
  }
  const providerCode = codes.find((code) => /^[A-Z0-9_]{1,80}$/.test(code)) ?? "GRAPHQL_ERROR"
  return new ProviderUnavailable({ message: `${upstream} could not answer the query`, providerCode })
}

interface StatusMeaning {
  readonly health: ConnectionHealth
  /** Why data cannot be read in this state, where they cannot. */
  readonly refusal?: () => ProviderError
  /** Data are still coming in: what is not shown yet may still come. */
  readonly isFilling?: boolean
}

const reauthMessage = "The person has to sign in at the bank again"
const institutionMessage = "The bank cannot be reached at the moment"
const providerMessage = "The data provider behind Quiltt reports an error with the connection"
const serviceMessage = "Quiltt has an error of its own with the connection"
const goneMessage = "The connection was taken apart at Quiltt"

const gone: StatusMeaning = {
  health: { status: "disconnected", errorCode: "RECONNECT_REQUIRED", errorMessage: goneMessage },
  refusal: () => new ConnectionGone({ message: goneMessage, providerCode: "DISCONNECTED" })
}

const statusMeanings: Readonly<Record<string, StatusMeaning>> = {
  INITIALIZING: { health: { status: "pending" }, isFilling: true },
  SYNCING: { health: { status: "connected" }, isFilling: true },
  UPGRADING: { health: { status: "connected" }, isFilling: true },
  SYNCED: { health: { status: "connected" } },
  ERROR_REPAIRABLE: {
    health: { status: "reauth_required", errorCode: "RECONNECT_REQUIRED", errorMessage: reauthMessage },
    refusal: () => new ReauthRequired({ message: reauthMessage, providerCode: "ERROR_REPAIRABLE" })
  },
  ERROR_INSTITUTION: {
    health: { status: "degraded", errorCode: "INSTITUTION_UNAVAILABLE", errorMessage: institutionMessage },
    refusal: () => new InstitutionUnavailable({ message: institutionMessage, providerCode: "ERROR_INSTITUTION" })
  },
  ERROR_PROVIDER: {
    health: { status: "degraded", errorCode: "PROVIDER_UNAVAILABLE", errorMessage: providerMessage },
    refusal: () => new ProviderUnavailable({ message: providerMessage, providerCode: "ERROR_PROVIDER" })
  },
  ERROR_SERVICE: {
    health: { status: "degraded", errorCode: "PROVIDER_UNAVAILABLE", errorMessage: serviceMessage },
    refusal: () => new ProviderUnavailable({ message: serviceMessage, providerCode: "ERROR_SERVICE" })
  },
  DISCONNECTING: gone,
  DISCONNECTED: gone
}

/** A status that is new to us says nothing against reading; what is not shown is then not taken for gone. */
const unknownStatus: StatusMeaning = { health: { status: "degraded" }, isFilling: true }

export const statusMeaning = (status: string): StatusMeaning =>
  Object.hasOwn(statusMeanings, status) ? statusMeanings[status]! : unknownStatus
