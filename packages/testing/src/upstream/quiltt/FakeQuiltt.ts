/**
 * A stand-in for Quiltt: profiles, sessions that are few, the Connector, GraphQL with places in lists as cursors, errors
 * that come with status 200, batched webhooks. A connection that is broken goes on to show what was read last, as there.
 */
import { createHmac } from "node:crypto"
import type { ClientStep } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { type FakeProtocol, startFakeServer } from "../FakeServer.ts"
import type { FakeConnection, FakeUpstream, FakeWebhooks, SignIn, WebhookEvent } from "../FakeUpstream.ts"
import { connectionOf, returned, type StandInOptions } from "../StandIn.ts"
import type { Refusal } from "../Incident.ts"
import { graphqlAnswer } from "./QuilttGraphql.ts"
import { QuilttState } from "./QuilttState.ts"
import { connectorPage, connectorScript } from "./QuilttPage.ts"

export const quilttConnectorId = "millrace-test"
const apiSecret = "api-secret-of-the-fake-quiltt"
const webhookSecret = "webhook-secret-of-the-fake-quiltt"
const version = "2025-04-01"

const plain = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): FakeAnswer => ({
  status,
  headers,
  body: { message, instruction: "See https://www.quiltt.dev" }
})

const unauthorized = plain(401, "Unauthorized")
const notFound = plain(404, "Not Found")

const bearerOf = ({ headers }: Pick<FakeRequest, "headers">): string =>
  (headers["authorization"] ?? "").replace(/^Bearer /u, "")

const basicOf = ({ headers }: Pick<FakeRequest, "headers">): readonly [profileId: string, secret: string] => {
  const encoded = (headers["authorization"] ?? "").replace(/^Basic /u, "")
  const [profileId = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":")
  return [profileId, secret.join(":")]
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const json = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const sessionAnswer = (state: QuilttState, request: FakeRequest): FakeAnswer => {
  if (bearerOf(request) !== apiSecret) return unauthorized
  const { metadata, userId, uuid } = json(request.body)
  const known = state.profile(String(userId ?? ""))
  if (userId !== undefined && known === undefined) return notFound
  if (uuid !== undefined && state.profile(String(uuid)) !== undefined) {
    return { status: 422, body: { uuid: ["has already been taken"] } }
  }
  const profile = known ?? state.newProfile(typeof uuid === "string" ? uuid : undefined, recordOf(metadata))
  const session = state.newSession(profile.id)
  return {
    status: 201,
    body: {
      token: session.token,
      userId: profile.id,
      environmentId: "env_test",
      expiration: Math.floor(session.expiresAt / 1000),
      expiresAt: new Date(session.expiresAt).toISOString().replace(/\.\d+Z$/u, "Z")
    }
  }
}

const ownSession = (state: QuilttState, request: FakeRequest): FakeAnswer => {
  const token = bearerOf(request)
  const session = state.session(token)
  if (session === undefined) return unauthorized
  if (request.method !== "DELETE") return { status: 200, body: { token, userId: session.profileId } }
  state.endSession(token)
  return { status: 204, body: "" }
}

const searchAnswer = (state: QuilttState, request: FakeRequest): FakeAnswer => {
  if (request.headers["quiltt-sdk-agent"] === undefined) return plain(403, "Unsupported SDK")
  if (state.session(bearerOf(request)) === undefined) return unauthorized
  const term = (request.query.get("term") ?? "").toLowerCase()
  return {
    status: 200,
    body: state.institutions
      .filter(({ name }) => name.toLowerCase().includes(term))
      .map(({ name }) => ({ name, logoUrl: `https://logos.example/${encodeURIComponent(name)}.png` }))
  }
}

const refreshAnswer = (state: QuilttState, request: FakeRequest, accountId: string): FakeAnswer => {
  if (bearerOf(request) !== apiSecret) return unauthorized
  return state.ofAccount(accountId) === undefined ? notFound : { status: 202, body: {} }
}

const answerOf = (state: QuilttState, request: FakeRequest): FakeAnswer => {
  const { method, path } = request
  if (path === "/v1/connector.js") return connectorScript
  if (path === "/connector") return connectorPage(state, request)
  if (request.headers["quiltt-version"] !== version) return plain(400, "Quiltt-Version is not one that we have")
  if (path === "/v1/graphql" && method === "POST") {
    const [profileId, secret] = basicOf(request)
    const profile = state.profile(profileId)
    return secret !== apiSecret || profile === undefined
      ? unauthorized
      : { status: 200, body: graphqlAnswer(state, profile.id, json(request.body)) }
  }
  if (path === "/v1/users/sessions" && method === "POST") return sessionAnswer(state, request)
  if (path === "/v1/users/session") return ownSession(state, request)
  if (path === `/v1/sdk/connectors/${quilttConnectorId}/institutions`) return searchAnswer(state, request)
  const [, profileId] = /^\/v1\/profiles\/([^/]+)$/u.exec(path) ?? []
  if (profileId !== undefined) {
    if (bearerOf(request) !== apiSecret) return unauthorized
    const profile = state.profile(decodeURIComponent(profileId))
    if (profile === undefined) return notFound
    if (method !== "DELETE") return { status: 200, body: { id: profile.id, uuid: profile.uuid } }
    state.removeProfile(profile)
    return { status: 204, body: "" }
  }
  const [, accountId] = /^\/v1\/accounts\/([^/]+)\/balances\/refresh$/u.exec(path) ?? []
  return accountId === undefined ? notFound : refreshAnswer(state, request, accountId)
}

const refusal = (now: () => number, what: Refusal): FakeAnswer => {
  switch (what.kind) {
    case "rateLimited": {
      // The instant at which the window ends, in seconds since 1970.
      const reset = String(Math.ceil(now() / 1000) + what.retryAfter)
      return plain(429, "Too Many Requests", {
        "ratelimit-limit": "25",
        "ratelimit-remaining": "0",
        "ratelimit-reset": reset
      })
    }
    case "unauthorized":
      return unauthorized
    case "forbidden":
      return plain(403, "Forbidden")
    case "serverError":
      return plain(500, "Internal Server Error")
    case "unavailable":
      return plain(503, "Service Unavailable")
    case "code":
      return {
        status: what.status ?? 200,
        body: { data: null, errors: [{ message: "it went wrong", extensions: { code: what.code } }] }
      }
  }
}

const about = (state: QuilttState, { body, path }: Omit<FakeRequest, "endpoint">) => {
  if (path === "/v1/users/sessions") {
    const { userId, uuid } = json(body)
    const named = String(userId ?? uuid ?? "")
    return { endpoint: "sessions", connectionRef: `profile ${state.profile(named)?.id ?? named}` }
  }
  if (path !== "/v1/graphql") return { endpoint: path.includes("/institutions") ? "institutions" : "other" }
  const { operationName, variables } = json(body)
  const { accountIds, id } = (variables ?? {}) as { readonly accountIds?: ReadonlyArray<string>; readonly id?: string }
  const account = accountIds?.[0] ?? (String(id).startsWith("acct_") ? id : undefined)
  const connectionRef = account === undefined ? id : state.ofAccount(account)?.one.ref
  return {
    endpoint: String(operationName ?? "graphql"),
    ...(connectionRef === undefined ? {} : { connectionRef })
  }
}

const eventTypes: Readonly<Partial<Record<WebhookEvent, string>>> = {
  dataChanged: "connection.synced.successful.historical",
  reauth: "connection.synced.errored.repairable",
  repaired: "account.reconnected",
  revoked: "connection.disconnected",
  connected: "connection.created",
  unknown: "connection.sparkled"
}

const webhooksOf = (state: QuilttState): FakeWebhooks => {
  let sent = 0
  return {
    events: ["dataChanged", "reauth", "repaired", "revoked", "connected", "unknown"],
    forgeries: ["tampered", "unsigned", "otherKey", "old"],
    sign: (event, { connectionRef, forgery, url }) => {
      const type = eventTypes[event] ?? "connection.sparkled"
      const one = state.connected.find(({ ref }) => ref === connectionRef)
      const profile = one === undefined ? undefined : state.profile(one.profileId)
      const record = type.startsWith("connection.")
        ? { id: connectionRef, provider: "PLAID", status: one?.status ?? "SYNCED" }
        : { id: one?.ledger.listed[0]?.id ?? "acct_0", connectionId: connectionRef }
      const body = JSON.stringify({
        environment: { id: "env_test", mode: "SANDBOX", metadata: null },
        eventTypes: [type],
        events: [
          {
            id: `evt_${++sent}`,
            at: new Date(state.now()).toISOString(),
            type,
            profile: { id: profile?.id ?? "p_0", uuid: profile?.uuid ?? null, metadata: { note: "Café ✓" } },
            record
          }
        ]
      })
      const at = String(Math.floor(state.now() / 1000) - (forgery === "old" ? 900 : 0))
      const key = forgery === "otherKey" ? "somebody else's" : webhookSecret
      const signature = createHmac("sha256", key).update(`1${at}${body}`).digest("base64")
      return {
        url,
        rawBody: new TextEncoder().encode(forgery === "tampered" ? body.replace(type, "connection.created ") : body),
        headers: {
          "content-type": "application/json",
          "quiltt-timestamp": at,
          ...(forgery === "unsigned" ? {} : { "quiltt-signature": signature })
        }
      }
    }
  }
}

/** Starts a stand-in; it ends with the scope. */
export const fakeQuiltt = (options: StandInOptions = {}): Effect.Effect<FakeUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    let made: QuilttState | undefined
    const server = yield* startFakeServer(({ time }): FakeProtocol => {
      const state = (made = new QuilttState(
        time.now,
        options.pageRows ?? 100,
        {
          days: options.days ?? 260,
          rows: options.rows ?? 90
        },
        options.mark
      ))
      return {
        about: (request) => about(state, request),
        answer: (request) => answerOf(state, request),
        refuse: (what) => refusal(time.now, what),
        enumKeys: new Set(["status", "kind", "provider", "state", "entryType", "type", "subtype", "primary"]),
        limits: [
          { name: "requests", requests: 25, seconds: 1, per: "client" },
          { name: "sessions", requests: 10, seconds: 3_600, per: "connection", endpoint: "sessions" },
          { name: "sessions of a day", requests: 20, seconds: 86_400, per: "connection", endpoint: "sessions" }
        ]
      }
    }, options)
    const state = made!
    const find = (ref: string) => connectionOf(state.connected, ref)
    const sessionOf = (step: ClientStep) => {
      const session = step.kind === "connector" ? state.session(step.sessionToken) : undefined
      if (step.kind !== "connector" || session === undefined) throw new RangeError("there is no such session")
      return { step, profileId: session.profileId }
    }
    return {
      kind: "quiltt",
      config: {
        apiSecret,
        connectorId: quilttConnectorId,
        webhookSecret,
        baseUrl: server.url,
        authUrl: server.url,
        connectorUrl: server.url
      },
      secrets: [apiSecret, webhookSecret],
      server,
      institutions: state.institutions,
      ledger: (who) => state.ledger(who),
      get connections(): ReadonlyArray<FakeConnection> {
        return state.connected.map(({ isRevoked, ledger, profileId, ref }) => ({
          ref,
          institution: ledger.institution,
          ledger,
          isRevoked,
          secrets: state.tokensOf(profileId)
        }))
      },
      subjects: () =>
        state.profiles.map(({ metadata, removedAt, uuid }) => ({
          ref: Object.values(metadata).join(" ") || uuid,
          isRemoved: removedAt !== undefined
        })),
      signIn: (given, who = {}) => {
        const { profileId, step } = sessionOf(given)
        if (step.connectionId !== undefined) return returned(find(step.connectionId).ref)
        const institutionId = who.institutionId ?? step.institutionId
        const chosen: SignIn = institutionId === undefined ? who : { ...who, institutionId }
        return returned(state.connect(profileId, chosen).ref)
      },
      unknown: ({ secrets }) => ({ ref: "conn_elsewhere", secrets }),
      refused: (_, how) => {
        switch (how) {
          case "unknown":
            return returned("conn_neverwas")
          case "foreign":
            return returned(state.connect(state.newProfile(undefined).id, { person: "eve" }).ref)
          case "malformed":
            return returned("../profiles/x")
          case "otherKind":
            return { kind: "plaid_public_token", publicToken: "public-sandbox-1" }
        }
      },
      repair: (given, connectionRef) => {
        const { step } = sessionOf(given)
        if (step.connectionId !== connectionRef) throw new RangeError("the session is about another connection")
        find(connectionRef).broken = undefined
        return returned(connectionRef)
      },
      break: (connectionRef, how) => {
        const one = find(connectionRef)
        if (how === "reauth") one.broken = "ERROR_REPAIRABLE"
        else if (how === "institutionDown") one.broken = "ERROR_INSTITUTION"
        else if (how === "gone") one.isGone = true
        else throw new RangeError(`Quiltt has no ${how}`)
      },
      mend: (connectionRef) => {
        const one = find(connectionRef)
        one.broken = undefined
        one.isGone = false
      },
      breakages: ["reauth", "gone", "institutionDown"],
      loseSubjects: () => {
        for (const one of state.profiles) state.removeProfile(one)
      },
      collecting: (connectionRef, isCollecting) => {
        find(connectionRef).isCollecting = isCollecting
      },
      webhooks: webhooksOf(state)
    }
  })
