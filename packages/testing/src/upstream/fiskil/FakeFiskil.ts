/**
 * A stand-in for Fiskil: tokens of a quarter of an hour, people who are made again by every request, sessions that work
 * once, consents that end, lists page by page with links to a host of its own, signed webhooks. What was read is shown on
 * when a consent has ended, as there.
 */
import { createHmac } from "node:crypto"
import { Timestamp } from "@millrace/core"
import type { ClientStep } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { type FakeProtocol, startFakeServer } from "../FakeServer.ts"
import type { FakeConnection, FakeUpstream, FakeWebhooks, SignIn, WebhookEvent } from "../FakeUpstream.ts"
import { connectionOf, returned, type StandInOptions } from "../StandIn.ts"
import type { Refusal } from "../Incident.ts"
import { consentPage } from "./FiskilPage.ts"
import { type Connected, type Consent, type EndUser, FiskilState } from "./FiskilState.ts"
import { accountOf, balanceOf, institutionOf, transactionOf, type WireTransaction } from "./FiskilWire.ts"

const clientId = "client-of-the-fake-fiskil"
const clientSecret = "secret-of-the-fake-fiskil"
const webhookSecret = Buffer.from("webhook secret of the fake fiskil").toString("base64")
const versions = new Set(["v1", "v2", "v3"])

let faults = 0
const fault = (
  status: number,
  name: string,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): FakeAnswer => ({
  status,
  headers,
  body: { id: `err_${++faults}`, name, message, temporary: status >= 500, timeout: false, fault: status >= 500 }
})

const unauthorized = fault(401, "unauthorized", "the token is not valid")
const notFound = fault(404, "not_found", "there is no such thing")

const json = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/** A page of a list. Its link names the real host: only the place in it is of use. */
const pageOf = <A>(
  state: FiskilState,
  { path, query }: FakeRequest,
  name: string,
  all: ReadonlyArray<A>,
  keyOf: (row: A) => string
): FakeAnswer => {
  const after = query.get("page[after]")
  const at = after === null ? -1 : all.findIndex((row) => keyOf(row) === Buffer.from(after, "base64url").toString())
  if (after !== null && at < 0) return fault(503, "unavailable", "temporarily unavailable")
  const size = Math.min(Number(query.get("page[size]") ?? 25), state.pageRows)
  const rows = all.slice(at + 1, at + 1 + size)
  const last = rows.at(-1)
  const hasMore = last !== undefined && at + 1 + size < all.length
  const token = hasMore ? Buffer.from(keyOf(last)).toString("base64url") : ""
  return {
    status: 200,
    body: {
      [name]: rows,
      links: hasMore ? { next: `https://api.fiskil.com${path}?page[after]=${encodeURIComponent(token)}` } : {}
    }
  }
}

const consentView = (consent: Consent, state: FiskilState) => ({
  consent_id: consent.consentId,
  arrangement_id: consent.arrangementId,
  end_user_id: consent.endUserId,
  institution_id: consent.connected.ledger.institution.id,
  institution_name: consent.connected.ledger.institution.name,
  institution_type: "banking",
  active: consent.active && state.now() < consent.expiresAt,
  created_at: Timestamp.fromMillis(consent.createdAt),
  expires_at: Timestamp.fromMillis(consent.expiresAt),
  last_accessed: Timestamp.fromMillis(state.now()),
  duration: 31_536_000,
  permissions: ["accounts", "balances", "transactions"],
  account_ids: consent.connected.ledger.listed.map(({ id }) => id),
  ...(consent.reason === undefined ? {} : { termination_reason: consent.reason })
})

const arrangementOf = ({ consents }: Connected): string => consents.at(-1)?.arrangementId ?? ""

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u

const transactionsAnswer = (state: FiskilState, request: FakeRequest, endUserId: string): FakeAnswer => {
  const { query } = request
  const [from, to, status] = [query.get("from"), query.get("to"), query.get("status")]
  for (const given of [from, to]) {
    if (given !== null && !rfc3339.test(given))
      return fault(400, "InvalidRequest", "invalid datetime: not in RFC3339 format")
  }
  if (status !== null && status !== "PENDING" && status !== "POSTED")
    return fault(400, "InvalidRequest", "invalid status")
  const isInside = (row: WireTransaction): boolean => {
    if (from === null && to === null) return true
    const at = Date.parse("posting_date_time" in row ? (row.posting_date_time ?? "") : (row.execution_date_time ?? ""))
    return !Number.isNaN(at) && at >= Date.parse(from ?? "1970-01-01") && at <= Date.parse(to ?? "2199-01-01")
  }
  const rows = state
    .accounts(endUserId)
    .filter(({ account }) => query.get("account_id") === null || query.get("account_id") === account.id)
    .flatMap(({ account, one }) =>
      one.ledger.shown(account.key).map((row) => transactionOf(row, account, one.ledger, arrangementOf(one)))
    )
    .filter((row) => (status === null || row.status === status) && isInside(row))
  return pageOf(state, request, "transactions", rows, ({ fiskil_id }) => fiskil_id)
}

const dataAnswer = (state: FiskilState, request: FakeRequest): FakeAnswer => {
  const { path, query } = request
  const endUserId = query.get("end_user_id") ?? ""
  if (endUserId === "") return fault(400, "InvalidRequest", "end_user_id is missing")
  const accounts = state
    .accounts(endUserId)
    .filter(({ account }) => query.get("account_id") === null || query.get("account_id") === account.id)
  switch (path) {
    case "/v1/banking/accounts": {
      const rows = accounts.map(({ account, one }) => accountOf(account, one.ledger, arrangementOf(one)))
      return pageOf(state, request, "accounts", rows, ({ account_id }) => account_id)
    }
    case "/v1/banking/balances": {
      const rows = accounts.map(({ account, one }) => balanceOf(account, one.ledger, arrangementOf(one)))
      return pageOf(state, request, "balances", rows, ({ account_id }) => account_id)
    }
    case "/v1/banking/transactions":
      return transactionsAnswer(state, request, endUserId)
    default:
      return notFound
  }
}

const endUserView = ({ email, id, name }: EndUser) => ({ id, name, email })

const endUsersAnswer = (state: FiskilState, request: FakeRequest): FakeAnswer => {
  const isBare = request.headers["x-fiskil-version"] !== "v3"
  if (request.method === "POST") {
    const { email, name } = json(request.body)
    if (typeof email !== "string" || !email.includes("@")) return fault(400, "bad_request", "email is missing")
    return { status: 201, body: { end_user_id: state.newEndUser(String(name ?? ""), email).id } }
  }
  const found = state.endUsers.filter(({ email, isRemoved }) => !isRemoved && email === request.query.get("email"))
  const views = found.map(endUserView)
  return isBare ? { status: 200, body: views } : pageOf(state, request, "end_users", views, ({ id }) => id)
}

const sessionAnswer = (state: FiskilState, request: FakeRequest): FakeAnswer => {
  const { end_user_id: endUserId, institution_id: institutionId } = json(request.body)
  if (state.endUser(String(endUserId)) === undefined)
    return fault(404, "end_user_not_found", "there is no such end user")
  const session = state.newSession(String(endUserId), typeof institutionId === "string" ? institutionId : undefined)
  return {
    status: 201,
    body: {
      id: clientId,
      session_id: session.id,
      auth_url: `https://auth.fiskil.com?sess_id=${session.id}`,
      expires_at: Math.floor(session.expiresAt / 1000)
    }
  }
}

const consentAnswer = (state: FiskilState, request: FakeRequest): FakeAnswer => {
  if (request.method === "DELETE") {
    const arrangement = decodeURIComponent(request.path.slice("/v1/consent/".length))
    for (const one of state.connected) {
      for (const consent of one.consents) {
        if (consent.arrangementId !== arrangement) continue
        state.end(consent, "Revoked")
        one.isRevoked = one.consents.every(({ active }) => !active)
      }
    }
    // The same for one that never was.
    return { status: 204, body: "" }
  }
  const all = state.consents(request.query.get("end_user_id") ?? "").map((consent) => consentView(consent, state))
  return request.headers["x-fiskil-version"] === "v3"
    ? pageOf(state, request, "consents", all, ({ arrangement_id }) => arrangement_id)
    : { status: 200, body: all }
}

const answerOf = (state: FiskilState, request: FakeRequest): FakeAnswer => {
  const { method, path } = request
  if (path === "/") return consentPage(state, request)
  if (!versions.has(request.headers["x-fiskil-version"] ?? ""))
    return fault(400, "bad_request", "X-Fiskil-Version is missing")
  if (path === "/v1/token" && method === "POST") {
    const body = json(request.body)
    return body["client_id"] === clientId && body["client_secret"] === clientSecret
      ? { status: 200, body: { token: state.newToken(), token_type: "Bearer", expires_in: 900 } }
      : unauthorized
  }
  if (!state.isToken((request.headers["authorization"] ?? "").replace(/^Bearer /u, ""))) return unauthorized
  if (path === "/v1/end-users") return endUsersAnswer(state, request)
  if (path.startsWith("/v1/end-users/")) {
    const found = state.endUser(path.slice("/v1/end-users/".length))
    if (found === undefined) return notFound
    if (method !== "DELETE") return { status: 200, body: endUserView(found) }
    state.removeEndUser(found)
    return { status: 204, body: "" }
  }
  if (path === "/v1/auth/session" && method === "POST") return sessionAnswer(state, request)
  if (path === "/v1/consent" || path.startsWith("/v1/consent/")) return consentAnswer(state, request)
  if (path === "/v1/institutions" || path.startsWith("/v1/institutions/")) {
    const away = new Set(state.connected.filter(({ isAway }) => isAway).map(({ ledger }) => ledger.institution.id))
    const views = state.institutions.map((one, at) => institutionOf(one, away.has(one.id), at))
    if (path === "/v1/institutions") return pageOf(state, request, "institutions", views, ({ id }) => id)
    const found = views.find(({ id }) => path === `/v1/institutions/${id}`)
    return found === undefined ? notFound : { status: 200, body: found }
  }
  return path.startsWith("/v1/banking/") ? dataAnswer(state, request) : notFound
}

const refusal = (what: Refusal): FakeAnswer => {
  switch (what.kind) {
    case "rateLimited":
      return fault(429, "rate_limited", "too many requests", { "retry-after": String(what.retryAfter) })
    case "unauthorized":
      return unauthorized
    case "forbidden":
      return fault(403, "forbidden", "the consent does not allow it")
    case "serverError":
      return fault(500, "internal_error", "something went wrong")
    case "unavailable":
      return fault(503, "unavailable", "temporarily unavailable")
    case "code":
      return fault(what.status ?? 400, what.code, "it went wrong")
  }
}

const about = (state: FiskilState, { path, query }: Omit<FakeRequest, "endpoint">) => {
  const accountId = query.get("account_id")
  const endUserId = query.get("end_user_id")
  const own = state.connected.filter((one) => one.endUserId === endUserId)
  const one = own.find(({ ledger }) => ledger.accountShownAs(accountId ?? "") !== undefined) ?? own[0]
  return {
    endpoint: path.replace(/^\/v1\/(?:banking\/)?/u, "").replace(/\/.*/u, ""),
    ...(one === undefined ? {} : { connectionRef: one.ref })
  }
}

const eventNames: Readonly<Partial<Record<WebhookEvent, string>>> = {
  dataChanged: "banking.transactions.sync.completed",
  repaired: "consent.updated",
  revoked: "consent.revoked",
  connected: "consent.received",
  unknown: "banking.sparkles.sync.completed"
}

const webhooksOf = (state: FiskilState): FakeWebhooks => {
  let sent = 0
  return {
    events: ["dataChanged", "repaired", "revoked", "connected", "unknown"],
    forgeries: ["tampered", "unsigned", "otherKey", "old"],
    sign: (event, { connectionRef, forgery, url }) => {
      const [endUserId = "", institutionId = ""] = connectionRef.split("/")
      const name = eventNames[event] ?? "banking.sparkles.sync.completed"
      const one = state.connected.find(({ ref }) => ref === connectionRef)
      const body = JSON.stringify({
        message_id: `msg-${++sent}`,
        delivery_attempt: 1,
        publish_time: Timestamp.fromMillis(state.now() - (forgery === "old" ? 3 * 86_400_000 : 0)),
        data: {
          event: name,
          end_user_id: endUserId,
          client_id: clientId,
          consent_id: one?.consents.at(-1)?.consentId ?? "none",
          institution_id: institutionId,
          account_ids: one?.ledger.listed.map(({ id }) => id) ?? []
        }
      })
      const key = forgery === "otherKey" ? "somebody else's" : Buffer.from(webhookSecret, "base64")
      return {
        url,
        rawBody: new TextEncoder().encode(forgery === "tampered" ? body.replace(name, "consent.received") + " " : body),
        headers: {
          "content-type": "application/json",
          ...(forgery === "unsigned"
            ? {}
            : { "x-fiskil-signature": createHmac("sha256", key).update(body).digest("base64") })
        }
      }
    }
  }
}

/** Starts a stand-in; it ends with the scope. */
export const fakeFiskil = (options: StandInOptions = {}): Effect.Effect<FakeUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    let made: FiskilState | undefined
    const server = yield* startFakeServer(({ time }): FakeProtocol => {
      const state = (made = new FiskilState(
        time.now,
        options.pageRows ?? 1_000,
        {
          days: options.days ?? 300,
          rows: options.rows ?? 60
        },
        options.mark
      ))
      return {
        about: (request) => about(state, request),
        answer: (request) => answerOf(state, request),
        refuse: refusal,
        enumKeys: new Set(["status", "product_category", "open_status", "type", "primary_category", "industry"])
      }
    }, options)
    const state = made!
    const find = (ref: string) => connectionOf(state.connected, ref)
    /** A session works once, and only before its end. */
    const used = (step: ClientStep) => {
      const session = step.kind === "authSession" ? state.sessions.get(step.authSessionId) : undefined
      if (session === undefined || session.isUsed || state.now() > session.expiresAt) {
        throw new RangeError("there is no such session")
      }
      session.isUsed = true
      return session
    }
    return {
      kind: "fiskil",
      config: {
        clientId,
        clientSecret,
        webhookSecret,
        emailDomain: "users.example.com",
        baseUrl: server.url,
        authUrl: server.url
      },
      secrets: [clientSecret, webhookSecret],
      server,
      institutions: state.institutions,
      ledger: (who) => state.ledger(who),
      get connections(): ReadonlyArray<FakeConnection> {
        return state.connected.map(({ isRevoked, ledger, ref }) => ({
          ref,
          institution: ledger.institution,
          ledger,
          isRevoked,
          secrets: [...state.tokens.keys()]
        }))
      },
      subjects: () => state.endUsers.map(({ isRemoved, name }) => ({ ref: name, isRemoved })),
      signIn: (step, who = {}) => {
        const { endUserId, institutionId = who.institutionId } = used(step)
        const chosen: SignIn = institutionId === undefined ? who : { ...who, institutionId }
        return returned(state.consent(endUserId, chosen).consentId)
      },
      unknown: ({ secrets }) => ({ ref: "eu_elsewhere/22", secrets }),
      refused: (_, how) => {
        switch (how) {
          case "unknown":
            return returned("00000000-0000-4000-8000-000000000000")
          case "foreign": {
            const other = state.newEndUser("somebody else", "eve@example.com")
            return returned(state.consent(other.id, { person: "eve" }).consentId)
          }
          case "malformed":
            return returned("../end-users/x?")
          case "otherKind":
            return { kind: "plaid_public_token", publicToken: "public-sandbox-1" }
        }
      },
      repair: (step, connectionRef) => {
        const { endUserId, institutionId } = used(step)
        const one = find(connectionRef)
        if (!one.ref.startsWith(`${endUserId}/${institutionId ?? ""}/`))
          throw new RangeError("the session is about another bank")
        return returned(
          state.consent(endUserId, { institutionId: one.ledger.institution.id, person: one.person }).consentId
        )
      },
      break: (connectionRef, how) => {
        const one = find(connectionRef)
        if (how === "consentExpired") for (const consent of one.consents) state.end(consent, "Expired")
        else if (how === "institutionDown") one.isAway = true
        else if (how === "gone") one.isGone = true
        else throw new RangeError(`Fiskil has no ${how}`)
      },
      mend: (connectionRef) => {
        const one = find(connectionRef)
        one.isAway = false
        one.isGone = false
        const last = one.consents.at(-1)
        if (last !== undefined && !one.isRevoked) last.active = true
      },
      breakages: ["consentExpired", "gone", "institutionDown"],
      loseSubjects: () => {
        for (const one of state.endUsers) if (!one.isRemoved) state.removeEndUser(one)
      },
      collecting: (connectionRef, isCollecting) => {
        find(connectionRef).isCollecting = isCollecting
      },
      webhooks: webhooksOf(state)
    }
  })
