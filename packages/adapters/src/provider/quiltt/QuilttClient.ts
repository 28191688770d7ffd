/** Quiltt over HTTP: GraphQL for the data of a profile, REST for profiles, sessions and refreshes. */
import { Outbound, type OutboundRequest, type OutboundResponse } from "@millrace/core/outbound"
import { ConnectionGone, type ProviderError, readJson, unanswered } from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Envelope, InstitutionsAnswer, SessionAnswer } from "./QuilttAnswers.ts"
import type { QuilttConfig } from "./QuilttConfig.ts"
import type { Document } from "./QuilttDocuments.ts"
import { endpoints, graphqlRefusal, httpRefusal, upstream } from "./QuilttErrors.ts"

const origins = { api: "https://api.quiltt.io", auth: "https://auth.quiltt.io" }
const defaultVersion = "2025-04-01"

/** Whose data are asked for, and what the request counts against. */
export interface QuilttScope {
  readonly profileId: string
  readonly connection: string
}

/** A session of a profile; the instant in milliseconds. */
export interface QuilttSession {
  readonly token: string
  readonly profileId: string
  readonly expiresAt: number
}

/** An existing profile by its id, or one by an id of ours, which is made where there is none yet. */
export type ProfileNamed =
  | { readonly userId: string }
  | { readonly uuid: string; readonly email?: string; readonly metadata: Readonly<Record<string, string>> }

/** Searching institutions is meant for the SDK, and refused to what does not call itself one. */
const sdkAgent = "Quiltt/5.2.0 (Millrace)"

const sessionHours = 24
const hour = 3_600_000

const bearer = (token: string) => Redacted.make(`Bearer ${token}`)

const isSuccess = ({ status }: OutboundResponse): boolean => status >= 200 && status < 300

/** The client of an instance. */
export const makeClient = Effect.fnUntraced(function* (config: QuilttConfig) {
  const outbound = yield* Outbound
  const api = config.baseUrl ?? origins.api
  const auth = config.authUrl ?? config.baseUrl ?? origins.auth
  const version = config.version ?? defaultVersion
  const secret = Redacted.value(config.apiSecret)

  const send = (request: OutboundRequest) =>
    Effect.mapError(
      outbound.request({
        ...request,
        headers: {
          accept: "application/json",
          "quiltt-version": version,
          ...(request.body === undefined ? {} : { "content-type": "application/json" }),
          ...request.headers
        }
      }),
      unanswered
    )

  /** The answer where it is a success; else what it means. */
  const accepted = Effect.fnUntraced(function* (
    request: OutboundRequest
  ): Effect.fn.Return<OutboundResponse, ProviderError> {
    const answer = yield* send(request)
    const refusal = httpRefusal(answer, request.counts, yield* Clock.currentTimeMillis)
    return refusal === undefined ? answer : yield* refusal
  })

  /** Whether Quiltt says that the profile is none of this environment; anything else says nothing. */
  const isUnknownProfile = (profileId: string) =>
    Effect.map(
      send({
        url: `${api}/v1/profiles/${encodeURIComponent(profileId)}`,
        headers: { authorization: bearer(secret) }
      }),
      ({ status }) => status === 404 || status === 410
    )

  /** Takes a profile back; `pending` while Quiltt still has it. */
  const removeProfile = Effect.fn("Quiltt.removeProfile")(function* (
    profileId: string
  ): Effect.fn.Return<"done" | "pending", ProviderError> {
    const answer = yield* send({
      url: `${api}/v1/profiles/${encodeURIComponent(profileId)}`,
      method: "DELETE",
      headers: { authorization: bearer(secret) }
    })
    if (answer.status === 404 || answer.status === 410) return "done"
    const refusal = httpRefusal(answer, undefined, yield* Clock.currentTimeMillis)
    if (refusal !== undefined) return yield* refusal
    return (yield* isUnknownProfile(profileId)) ? "done" : "pending"
  })

  /** Asks for data of a profile. Errors that come with status 200 are errors, whatever came beside them. */
  const query = Effect.fn("Quiltt.query")(function* <A>(
    { connection, profileId }: QuilttScope,
    document: Document,
    schema: Schema.Codec<A, unknown>,
    variables: Readonly<Record<string, unknown>>
  ): Effect.fn.Return<A, ProviderError> {
    const counts = { connection }
    const answer = yield* send({
      url: `${api}/v1/graphql`,
      method: "POST",
      headers: {
        authorization: Redacted.make(`Basic ${Buffer.from(`${profileId}:${secret}`).toString("base64")}`)
      },
      body: JSON.stringify({ operationName: document.name, query: document.text, variables }),
      counts
    })
    const now = yield* Clock.currentTimeMillis
    const refusal = httpRefusal(answer, counts, now)
    if (refusal !== undefined) {
      // A profile that was deleted is refused like a wrong secret.
      if (answer.status === 401 && (yield* isUnknownProfile(profileId))) {
        return yield* new ConnectionGone({ message: `${upstream} does not know the profile`, providerCode: "401" })
      }
      return yield* refusal
    }
    const envelope = yield* Effect.fromResult(readJson(upstream, Envelope, answer))
    const { errors } = envelope
    if (errors !== undefined && errors !== null && errors.length > 0) {
      return yield* graphqlRefusal(errors, answer.headers, counts, now)
    }
    const read = readJson(upstream, Schema.Struct({ data: schema }), answer)
    return (yield* Effect.fromResult(read)).data
  })

  /** A new session: counted per profile, and not repeated by itself. */
  const issueSession = Effect.fn("Quiltt.issueSession")(function* (
    profile: ProfileNamed
  ): Effect.fn.Return<QuilttSession, ProviderError> {
    const counts = {
      connection: "userId" in profile ? profile.userId : profile.uuid,
      endpoint: endpoints.sessions
    }
    const request = (body: unknown): OutboundRequest => ({
      url: `${auth}/v1/users/sessions`,
      method: "POST",
      headers: { authorization: bearer(secret) },
      body: JSON.stringify(body),
      counts
    })
    let answer = yield* send(request(profile))
    // An id that is taken is that of the profile that an attempt before has made.
    if ("uuid" in profile && (answer.status === 409 || answer.status === 422)) {
      answer = yield* send(request({ userId: profile.uuid }))
    }
    const now = yield* Clock.currentTimeMillis
    const refusal = httpRefusal(answer, counts, now)
    if (refusal !== undefined) return yield* refusal
    const session = yield* Effect.fromResult(readJson(upstream, SessionAnswer, answer))
    const said = Date.parse(session.expiresAt ?? "")
    const expiresAt = Number.isNaN(said) ? (session.expiration ?? 0) * 1000 : said
    return {
      token: session.token,
      profileId: session.userId,
      // No session lives longer than a day, and one that says nothing about it lives an hour.
      expiresAt: Math.min(expiresAt > now ? expiresAt : now + hour, now + sessionHours * hour)
    }
  })

  /** Whether a session still opens anything; where that cannot be found out, it is believed to. */
  const isAlive = (token: string) =>
    Effect.match(send({ url: `${auth}/v1/users/session`, headers: { authorization: bearer(token) } }), {
      onFailure: () => true,
      onSuccess: ({ status }) => ![401, 403, 404, 410].includes(status)
    })

  const searchInstitutions = Effect.fn("Quiltt.searchInstitutions")(function* (token: string, term: string) {
    const path = `/v1/sdk/connectors/${encodeURIComponent(config.connectorId)}/institutions`
    const answer = yield* accepted({
      url: `${api}${path}?${new URLSearchParams({ term }).toString()}`,
      headers: { authorization: bearer(token), "quiltt-sdk-agent": sdkAgent }
    })
    return yield* Effect.fromResult(readJson(upstream, InstitutionsAnswer, answer))
  })

  /** Asks for the balance of an account again; `false` where the connection has no such right. */
  const refreshBalance = Effect.fn("Quiltt.refreshBalance")(function* (
    accountId: string,
    connection: string
  ): Effect.fn.Return<boolean, ProviderError> {
    const counts = { connection, endpoint: endpoints.refreshes }
    const answer = yield* send({
      url: `${api}/v1/accounts/${encodeURIComponent(accountId)}/balances/refresh`,
      method: "POST",
      headers: { authorization: bearer(secret) },
      counts
    })
    if (isSuccess(answer)) return true
    if ([400, 403, 404, 405, 409, 422].includes(answer.status)) return false
    const refusal = httpRefusal(answer, counts, yield* Clock.currentTimeMillis)
    return refusal === undefined ? false : yield* refusal
  })

  return { query, removeProfile, issueSession, isAlive, searchInstitutions, refreshBalance }
})

export type QuilttClient = Effect.Success<ReturnType<typeof makeClient>>
