/** Fiskil over HTTP: a token of a quarter of an hour for the whole instance, and lists that go on page by page. */
import { Outbound, type OutboundRequest, type OutboundResponse } from "@millrace/core/outbound"
import {
  Misconfigured,
  ProtocolViolation,
  type ProviderError,
  type ProviderUnavailable,
  type PsuContext,
  readJson,
  unanswered
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { TokenAnswer } from "./FiskilAnswers.ts"
import type { FiskilConfig } from "./FiskilConfig.ts"
import { refusalOf, upstream } from "./FiskilErrors.ts"

const origin = "https://api.fiskil.com"
const defaultVersion = "v2"

/** Rows of a page; Fiskil gives no more. */
const pageSize = 1_000
/** Pages of a list that is read at once: none is anywhere near as long. */
const mostPages = 100
const longestToken = 2_000

/** Milliseconds that a token lasts unless it says otherwise, and before its end at which it is renewed. */
const tokenMillis = 900_000
const renewBefore = 60_000

export interface FiskilRequest {
  readonly path: string
  readonly method?: NonNullable<OutboundRequest["method"]>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** The connection that it is about. */
  readonly connection?: string
  readonly endpoint?: string
  /** Statuses that are answers as well, besides those of success. */
  readonly accepts?: ReadonlyArray<number>
  /** The person who waits for the answer: told to the bank. */
  readonly psu?: PsuContext | undefined
}

export interface FiskilPage {
  readonly rows: ReadonlyArray<unknown>
  /** Where the next page begins, `undefined` after the last one. */
  readonly after: string | undefined
}

interface Token {
  readonly text: string
  readonly until: number
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const violation = (path: string) =>
  new ProtocolViolation({ message: `The answer of ${upstream} does not have the agreed form`, path })

/** Only the place is taken from a link: its host and its other parameters are ours to say. */
const afterOf = (link: unknown): Effect.Effect<string | undefined, ProtocolViolation> => {
  if (link === undefined || link === null || link === "") return Effect.succeed(undefined)
  if (typeof link !== "string" || !URL.canParse(link, origin)) return Effect.fail(violation("links.next"))
  const after = new URL(link, origin).searchParams.get("page[after]") ?? ""
  return after !== "" && after.length <= longestToken ? Effect.succeed(after) : Effect.fail(violation("links.next"))
}

/** A page of a list: bare in one version of the API, under a name in another. */
const pageOf = Effect.fnUntraced(function* (
  name: string,
  answer: OutboundResponse
): Effect.fn.Return<FiskilPage, ProtocolViolation | ProviderUnavailable> {
  const body = yield* Effect.fromResult(readJson(upstream, Schema.Unknown, answer))
  if (Array.isArray(body)) return { rows: body, after: undefined }
  const rows = isRecord(body) ? body[name] : undefined
  if (!isRecord(body) || !Array.isArray(rows)) return yield* violation(name)
  const { links } = body
  if (links !== undefined && links !== null && !isRecord(links)) return yield* violation("links")
  const after = yield* afterOf(isRecord(links) ? links["next"] : undefined)
  // The end is reported by a list without rows as well.
  return { rows, after: rows.length === 0 ? undefined : after }
})

/** The client of an instance. */
export const makeClient = Effect.fnUntraced(function* (config: FiskilConfig) {
  const outbound = yield* Outbound
  const base = config.baseUrl ?? origin
  const version = config.version ?? defaultVersion
  const oneAtATime = Semaphore.makeUnsafe(1)
  let token: Token | undefined

  const send = (
    { body, connection, endpoint, method = "GET", path, psu, query = {} }: FiskilRequest,
    bearer: string | undefined
  ) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const text = new URLSearchParams(given).toString()
    const counts = {
      ...(connection === undefined ? {} : { connection }),
      ...(endpoint === undefined ? {} : { endpoint })
    }
    return Effect.mapError(
      outbound.request({
        url: `${base}${path}${text === "" ? "" : `?${text}`}`,
        method,
        headers: {
          accept: "application/json",
          "x-fiskil-version": version,
          ...(bearer === undefined ? {} : { authorization: Redacted.make(`Bearer ${bearer}`) }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(psu === undefined ? {} : { "x-fiskil-client-ip-address": psu.ipAddress }),
          ...(psu?.userAgent === undefined ? {} : { "x-fiskil-client-user-agent": psu.userAgent })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        counts
      }),
      unanswered
    )
  }

  const renew = Effect.fn("Fiskil.renewToken")(function* (): Effect.fn.Return<Token, ProviderError> {
    const answer = yield* send(
      {
        path: "/v1/token",
        method: "POST",
        body: { client_id: config.clientId, client_secret: Redacted.value(config.clientSecret) }
      },
      undefined
    )
    const now = yield* Clock.currentTimeMillis
    const refusal = refusalOf(answer, undefined, now)
    if (refusal?._tag === "ProtocolViolation") {
      return yield* new Misconfigured({
        message: `${upstream} does not accept the API key`,
        providerCode: refusal.providerCode ?? "400"
      })
    }
    if (refusal !== undefined) return yield* refusal
    const { access_token, expires_in, token: named } = yield* Effect.fromResult(readJson(upstream, TokenAnswer, answer))
    const text = named ?? access_token ?? ""
    if (text === "") return yield* violation("token")
    const millis = expires_in === undefined || expires_in === null || expires_in <= 0 ? tokenMillis : expires_in * 1000
    return { text, until: now + Math.min(millis, tokenMillis) }
  })

  /** The token that all requests share; one request renews it for all who wait. */
  const bearer = (dead?: string) =>
    oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (token === undefined || token.text === dead || token.until - renewBefore <= now) token = yield* renew()
        return token.text
      })
    )

  /** The answer where it is a success or one that is accepted. A token that died early is renewed once. */
  const ask = Effect.fn("Fiskil.ask")(function* (
    request: FiskilRequest
  ): Effect.fn.Return<OutboundResponse, ProviderError> {
    const first = yield* bearer()
    let answer = yield* send(request, first)
    if (answer.status === 401) answer = yield* send(request, yield* bearer(first))
    if (request.accepts?.includes(answer.status) === true) return answer
    const { connection, endpoint } = request
    const counts = {
      ...(connection === undefined ? {} : { connection }),
      ...(endpoint === undefined ? {} : { endpoint })
    }
    const refusal = refusalOf(answer, counts, yield* Clock.currentTimeMillis)
    return refusal === undefined ? answer : yield* refusal
  })

  const askJson = <A>(request: FiskilRequest, schema: Schema.Codec<A, unknown>) =>
    Effect.flatMap(ask(request), (answer) => Effect.fromResult(readJson(upstream, schema, answer)))

  const askPage = (request: FiskilRequest, name: string, after?: string) =>
    Effect.flatMap(
      ask({
        ...request,
        query: {
          ...request.query,
          "page[size]": String(pageSize),
          ...(after === undefined ? {} : { "page[after]": after })
        }
      }),
      (answer) => pageOf(name, answer)
    )

  /** A whole list. */
  const askAll = Effect.fnUntraced(function* (
    request: FiskilRequest,
    name: string
  ): Effect.fn.Return<ReadonlyArray<unknown>, ProviderError> {
    const rows: Array<unknown> = []
    const seen = new Set<string>()
    let after: string | undefined
    for (let pages = 0; pages < mostPages; pages++) {
      const page: FiskilPage = yield* askPage(request, name, after)
      rows.push(...page.rows)
      after = page.after
      if (after === undefined) return rows
      if (seen.has(after)) break
      seen.add(after)
    }
    return yield* new ProtocolViolation({
      message: `${upstream} leads from page to page without an end`,
      path: "links.next"
    })
  })

  return { ask, askJson, askPage, askAll }
})

export type FiskilClient = Effect.Success<ReturnType<typeof makeClient>>
