/** Asking an upstream that speaks JSON over HTTP: what a driver needs between `Outbound` and its own translation. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { Outbound, type OutboundFailure, type OutboundRequest, type OutboundResponse } from "../outbound/Outbound.ts"
import { isRawNumber, parseExactly } from "../shared/RawNumber.ts"
import { pathText } from "../shared/StrictDecoding.ts"
import { hintSeconds, retryAfterSeconds } from "./Hint.ts"
import {
  Misconfigured,
  ProtocolViolation,
  ProviderUnavailable,
  RateLimited,
  ReauthRequired,
  type ProviderError
} from "./ProviderError.ts"

/** What it means for a driver that a request had no answer. */
export const unanswered = ({ message, reason, retryAfter }: OutboundFailure): ProviderError => {
  switch (reason) {
    case "rateLimited":
      return new RateLimited({ message, scope: "client", retryAfter: hintSeconds(retryAfter), unasked: true })
    case "unreachable":
    case "timedOut":
      return new ProviderUnavailable(retryAfter === undefined ? { message } : { message, retryAfter })
    case "tooLarge":
    case "garbled":
      return new ProtocolViolation({ message, path: "" })
    case "invalidRequest":
    case "addressRefused":
    case "redirectRefused":
      return new Misconfigured({ message })
  }
}

/** Whether a page for people came in place of data: a sign of maintenance, which passes. */
const isPage = ({ body, headers }: Pick<OutboundResponse, "body" | "headers">): boolean =>
  (headers["content-type"] ?? "").toLowerCase().includes("text/html") ||
  /^[\s\uFEFF]*<(!doctype|html|head|body|\?xml)\b/i.test(new TextDecoder().decode(body.subarray(0, 200)))

/**
 * What the status of an answer means where the upstream has no code of its own for it; `undefined` for an answer that
 * can be read. `counts` says which limit a 429 is about.
 */
export const refusalOf = (
  name: string,
  answer: OutboundResponse,
  counts: OutboundRequest["counts"] = {}
): ProviderError | undefined => {
  const { status } = answer
  if (status >= 200 && status < 300) return undefined
  const message = `${name} answered ${status}`
  const providerCode = String(status)
  if (status === 429) {
    const { connection, endpoint } = counts
    const scope = endpoint !== undefined ? "endpoint" : connection !== undefined ? "connection" : "client"
    return new RateLimited({
      message,
      providerCode,
      scope,
      retryAfter: hintSeconds(retryAfterSeconds(answer.headers, undefined)),
      ...(endpoint === undefined ? {} : { endpoint })
    })
  }
  if (status >= 500 || status === 408) return new ProviderUnavailable({ message, providerCode })
  if (status === 401 || status === 403) {
    return counts.connection === undefined
      ? new Misconfigured({ message, providerCode })
      : new ReauthRequired({ message, providerCode })
  }
  return isPage(answer)
    ? new ProviderUnavailable({ message: `${message} with a page in place of data`, providerCode })
    : new ProtocolViolation({ message, providerCode, path: "" })
}

/** Numbers whose digits a double would lose are their text: `Decimal.DecimalNumber` reads both. */
const exactly = (value: unknown): unknown => {
  if (isRawNumber(value)) return value.rawJSON
  if (Array.isArray(value)) return value.map(exactly)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, exactly(inner)]))
    : value
}

const firstPath = (issue: SchemaIssue.Issue): string =>
  pathText(
    (SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues[0]?.path ?? []).map((part) =>
      typeof part === "object" ? part.key : part
    )
  )

/**
 * The body of an answer, decoded. One that is no JSON, or of another form, is a `ProtocolViolation` that names the place
 * and repeats nothing of it; keys that the schema does not know are left out. A page for people is a `ProviderUnavailable`.
 */
export const readJson = <A>(
  name: string,
  schema: Schema.Codec<A, unknown>,
  answer: OutboundResponse
): Result.Result<A, ProtocolViolation | ProviderUnavailable> => {
  const parsed = Result.try({
    try: () => exactly(parseExactly(new TextDecoder("utf-8", { fatal: true }).decode(answer.body))),
    catch: () =>
      isPage(answer)
        ? new ProviderUnavailable({ message: `${name} answered with a page in place of data` })
        : new ProtocolViolation({ message: `${name} did not answer with JSON`, path: "" })
  })
  return Result.flatMap(parsed, (value) =>
    Result.mapError(SchemaParser.decodeUnknownResult(schema)(value), (issue) => {
      const path = firstPath(issue)
      return new ProtocolViolation({ message: `The answer of ${name} does not have the agreed form`, path })
    })
  )
}

/** A client of an upstream, for a driver that asks for JSON. */
export interface JsonClient {
  /** Sends a request and decodes its answer; every way in which that fails is a `ProviderError`. */
  readonly ask: <A>(schema: Schema.Codec<A, unknown>, request: OutboundRequest) => Effect.Effect<A, ProviderError>
}

/** The client of one instance; `name` is that of the upstream, for messages. */
export const makeJsonClient = (name: string): Effect.Effect<JsonClient, never, Outbound> =>
  Effect.map(Outbound, (outbound) => ({
    ask: Effect.fnUntraced(function* (schema, request) {
      const asked = { ...request, headers: { accept: "application/json", ...request.headers } }
      const answer = yield* Effect.mapError(outbound.request(asked), unanswered)
      const refusal = refusalOf(name, answer, request.counts)
      if (refusal !== undefined) return yield* refusal
      return yield* Effect.fromResult(readJson(name, schema, answer))
    })
  }))
