/** The outbound port on undici: checked connections, bounded answers, redirects one by one. */
import {
  Outbound,
  OutboundFailure,
  type OutboundPurpose,
  type OutboundRequest,
  type OutboundResponse
} from "@millrace/core/outbound"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { OtherEncoding, readBody, TooLarge } from "./AnswerBody.ts"
import { checkedConnector, type Dial, Refusal, type Resolve } from "./CheckedConnector.ts"
import { noPrivateHosts, plainHost, type PrivateHosts, type PrivateHostsByPurpose } from "./PrivateHosts.ts"
import { targetOf } from "./Target.ts"

export interface OutboundOptions {
  /** Hosts that may be private for any purpose, as where one program asks one upstream; none unless given. */
  readonly privateHosts?: PrivateHosts
  /** Hosts that may be private for a purpose; none unless given. */
  readonly privateHostsFor?: PrivateHostsByPurpose | undefined
  /** How names become addresses; the system's way unless given. */
  readonly resolve?: Resolve
  /** How an address is connected to; TCP and TLS unless given. */
  readonly dial?: Dial
}

type Headers = Readonly<Record<string, string>>

/** Connections to one origin at the same time, and the time that making one may take. */
const connectionsPerOrigin = 32
const connectMillis = 10_000
const redirects = new Set([301, 302, 303, 307, 308])
/** What an origin that was not meant may hear of the request. */
const harmless = new Set(["accept", "accept-language", "user-agent"])
/** Headers that are the client's own. */
const reserved = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const failure = (
  reason: OutboundFailure["reason"],
  message: string,
  sent = reason !== "invalidRequest"
): OutboundFailure => new OutboundFailure({ reason, message, sent })

/** No request has left before there was a connection. */
const unconnected: ReadonlySet<string> = new Set([
  "EACCES",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT"
])

const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : "unknown"

/** The library's errors may repeat what was sent, so none of their texts goes on. */
const failureOf = (host: string, error: unknown): OutboundFailure => {
  if (error instanceof Refusal) return error.failure
  if (error instanceof OutboundFailure) return error
  if (error instanceof TooLarge) return failure("tooLarge", `${host} sent more than may be read`)
  if (error instanceof OtherEncoding)
    return failure("garbled", `${host} packed its answer in a way that was not asked for`)
  const code = codeOf(error)
  if (code === "UND_ERR_INVALID_ARG")
    return failure("invalidRequest", "A header or the method of the request is not valid")
  if (code === "UND_ERR_HEADERS_OVERFLOW") return failure("tooLarge", `${host} sent more headers than may be read`)
  if (
    (error instanceof Error && error.name === "HTTPParserError") ||
    code.startsWith("Z_") ||
    code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"
  )
    return failure("garbled", `${host} did not send a valid answer (${code})`)
  return failure("unreachable", `${host} could not be reached (${code})`, !unconnected.has(code))
}

const plainHeaders = (headers: OutboundRequest["headers"]): Result.Result<Headers, OutboundFailure> => {
  const plain: Record<string, string> = { "user-agent": "millrace" }
  for (const [name, value] of Object.entries(headers ?? {})) {
    const key = name.toLowerCase()
    if (reserved.has(key))
      return Result.fail(failure("invalidRequest", `The header ${key} is set by the client itself`))
    plain[key] = Redacted.isRedacted(value) ? String(Redacted.value(value)) : value
  }
  return Result.succeed({ ...plain, "accept-encoding": "gzip" })
}

const headersOf = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>): Headers =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )

/** Where an answer leads, if it is a redirect that is to be followed. */
const locationOf = (asked: OutboundRequest, { headers, status }: OutboundResponse): string | undefined =>
  redirects.has(status) && (asked.redirects ?? 0) > 0 && ["GET", "HEAD"].includes(asked.method ?? "GET")
    ? headers["location"]
    : undefined

const hostsOf = (options: OutboundOptions, purpose: OutboundPurpose | undefined): PrivateHosts => {
  const own = purpose === undefined ? undefined : options.privateHostsFor?.[purpose]
  const shared = options.privateHosts ?? noPrivateHosts
  return own === undefined ? shared : { has: (hostname, port) => own.has(hostname, port) || shared.has(hostname, port) }
}

export const make = (options: OutboundOptions = {}) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    // The library is loaded with the first request: it costs more than all else that a program starts with.
    const open = (purpose: OutboundPurpose | undefined) =>
      Effect.acquireRelease(
        Effect.promise(async () => {
          const { Agent, buildConnector, request } = await import("undici")
          const dial = options.dial ?? buildConnector({ timeout: connectMillis, allowH2: false })
          const agent = new Agent({
            connect: checkedConnector({ ...options, hosts: hostsOf(options, purpose), purpose, dial }),
            connections: connectionsPerOrigin,
            pipelining: 1,
            maxHeaderSize: limits.headerBytes,
            // The bound of the whole request is the only one.
            headersTimeout: 0,
            bodyTimeout: 0
          })
          return { agent, request }
        }),
        ({ agent }) => Effect.promise(() => agent.destroy())
      ).pipe(Effect.provideService(Scope.Scope, scope), Effect.uninterruptible, Effect.cached)

    /** No purpose uses the connections of another: they lead to hosts that only that one may reach. */
    const clients = new Map<OutboundPurpose | undefined, Effect.Success<ReturnType<typeof open>>>()
    const clientFor = Effect.fnUntraced(function* (purpose: OutboundPurpose | undefined) {
      const client = clients.get(purpose) ?? (yield* open(purpose))
      clients.set(purpose, client)
      return yield* client
    })

    /** One request and its answer, no redirects. */
    const once = Effect.fnUntraced(function* (url: URL, asked: OutboundRequest, headers: Headers) {
      const { agent, request } = yield* clientFor(asked.purpose)
      return yield* Effect.tryPromise({
        try: async (signal): Promise<OutboundResponse> => {
          const answer = await request(url, {
            dispatcher: agent,
            method: asked.method ?? "GET",
            headers,
            body: asked.body ?? null,
            signal
          })
          // What is wrong with a body is heard where it is read; ending one that is left has nobody to tell.
          answer.body.on("error", () => undefined)
          const found = headersOf(answer.headers)
          try {
            const body = await readBody(answer.body, found, asked.maxBytes ?? limits.outboundBytes)
            return { status: answer.statusCode, headers: found, body }
          } finally {
            answer.body.destroy()
          }
        },
        catch: (error) => failureOf(plainHost(url.hostname), error)
      })
    })

    const follow = Effect.fnUntraced(function* (asked: OutboundRequest) {
      const hosts = hostsOf(options, asked.purpose)
      let url = yield* Effect.fromResult(targetOf(asked.url, hosts, asked.purpose))
      let headers = yield* Effect.fromResult(plainHeaders(asked.headers))
      for (let left = asked.redirects ?? 0; ; left--) {
        const answer = yield* once(url, asked, headers)
        const location = locationOf(asked, answer)
        if (location === undefined) return answer
        const host = plainHost(url.hostname)
        if (left === 0) return yield* failure("redirectRefused", `${host} led on too often`)
        const next = yield* Effect.fromResult(targetOf(location, hosts, asked.purpose, url))
        if (url.protocol === "https:" && next.protocol !== "https:") {
          return yield* failure("redirectRefused", `${host} led away from https:`)
        }
        if (next.origin !== url.origin) {
          headers = Object.fromEntries(
            Object.entries(headers).filter(([name]) => harmless.has(name) || name === "accept-encoding")
          )
        }
        url = next
      }
    })

    return Outbound.of({
      request: (asked) => {
        const seconds = asked.timeoutSeconds ?? limits.outboundSeconds
        return Effect.timeoutOrElse(follow(asked), {
          duration: `${seconds} seconds`,
          orElse: () => {
            const host = plainHost(URL.parse(asked.url)?.hostname ?? "The host")
            return Effect.fail(failure("timedOut", `${host} did not answer within ${seconds} s`))
          }
        })
      }
    })
  })

/** The client that a program shares for everything it asks outside. */
export const layer = (options: OutboundOptions = {}): Layer.Layer<Outbound> => Layer.effect(Outbound, make(options))
