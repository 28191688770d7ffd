/**
 * A stand-in for SnapTrade: users with secrets, the portal, signed requests, activities by offset, removal that takes its
 * time, signed webhooks. A connection that is disabled goes on to show what was read last, as there.
 */
import { createHash } from "node:crypto"
import { Timestamp } from "@millrace/core"
import type { ClientStep, ConnectPayload } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { type FakeProtocol, startFakeServer } from "../FakeServer.ts"
import type { FakeConnection, FakeUpstream, FakeWebhooks, SignIn } from "../FakeUpstream.ts"
import type { Refusal } from "../Incident.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount } from "../TrueRecord.ts"
import { dumps, snapTradeHmac, snapTradeRequestSignature } from "./SnapTradeSigning.ts"
import { accountOf, activitiesOf, balancesOf, brokerageOf, ordersOf, positionsOf } from "./SnapTradeWire.ts"
import { snapTradeInstitutions, snapTradeLedger, uuidOf } from "./SnapTradeWorld.ts"

export interface FakeSnapTradeOptions {
  readonly port?: number
  /** Rows of a page at most, however many are asked for. 1,000, as there, unless given. */
  readonly pageRows?: number
  /** The key of one person, who needs no user. */
  readonly isPersonal?: boolean
}

export const snapTradeClientId = "MILLRACE-TEST"
const consumerKey = "consumer-key-of-the-fake-snaptrade"

interface Connected {
  readonly ref: string
  readonly userId: string
  readonly person: string
  readonly ledger: TrueLedger
  disabled: boolean
  isAway: boolean
  isCollecting: boolean
  isRevoked: boolean
  /** Milliseconds from which on it is no longer known. */
  goneAt: number
}

interface Portal {
  readonly userId: string
  readonly expiresAt: number
  readonly broker?: string
  readonly reconnect?: string
}

/** The one user of a personal key. */
const keyOwner = "owner-of-the-key"
/** Seconds until a queued removal is done. */
const removalSeconds = 30
const portalSeconds = 300
/** Seconds by which clocks may differ. */
const skew = 60

const failure = (status: number, code: string, detail: string, headers: Readonly<Record<string, string>> = {}): FakeAnswer => ({
  status,
  headers: { "x-request-id": createHash("sha256").update(detail).digest("hex").slice(0, 32), ...headers },
  body: { detail, status_code: status, code }
})

const notFound = failure(404, "1011", "The requested resource does not exist.")

class Upstream {
  readonly users = new Map<string, string>()
  readonly portals = new Map<string, Portal>()
  readonly connected: Array<Connected> = []
  readonly ledgers = new Map<string, TrueLedger>()
  readonly now: () => number
  readonly pageRows: number
  readonly isPersonal: boolean
  private made = 0

  constructor(now: () => number, { isPersonal = false, pageRows = 1_000 }: FakeSnapTradeOptions) {
    this.now = now
    this.pageRows = pageRows
    this.isPersonal = isPersonal
    if (isPersonal) this.users.set(keyOwner, "")
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const institution =
      snapTradeInstitutions.find(({ id }) => id === institutionId) ?? snapTradeInstitutions[0]!
    const key = `${institution.id} ${person}`
    const known = this.ledgers.get(key)
    if (known !== undefined) return known
    const made = snapTradeLedger(institution, person, this.now)
    this.ledgers.set(key, made)
    return made
  }

  secretOf(userId: string): string {
    return createHash("sha256").update(`secret of ${userId} ${++this.made}`).digest("hex")
  }

  live(ref: string): Connected | undefined {
    return this.connected.find((one) => one.ref === ref && this.now() < one.goneAt)
  }

  /** The account, where the user has it. */
  account(userId: string, id: string): { readonly one: Connected; readonly account: TrueAccount } | undefined {
    for (const one of this.connected) {
      if (one.userId !== userId || this.now() >= one.goneAt) continue
      const account = one.ledger.accountShownAs(id)
      if (account !== undefined) return { one, account }
    }
    return undefined
  }

  /** Whose request it is, by its query. */
  userOf({ query }: Pick<FakeRequest, "query">): string | undefined {
    if (this.isPersonal) return query.has("userId") ? undefined : keyOwner
    const userId = query.get("userId") ?? ""
    const secret = this.users.get(userId)
    return secret !== undefined && secret !== "" && query.get("userSecret") === secret ? userId : undefined
  }

  /** SnapTrade makes one connection for one login: who signs in again gets the one that is there. */
  connect(userId: string, who: SignIn): Connected {
    const ledger = this.ledger(who)
    const { person = "ada" } = who
    const before = this.connected.filter((one) => one.ledger === ledger && one.person === person)
    const known = before.find((one) => one.userId === userId && this.now() < one.goneAt)
    if (known !== undefined) {
      known.disabled = false
      return known
    }
    // A new connection shows accounts and activities under new ids.
    if (before.length > 0 && before.every((one) => this.now() >= one.goneAt)) ledger.renumber()
    const one: Connected = {
      ref: uuidOf(`connection ${++this.made}`),
      userId,
      person,
      ledger,
      disabled: false,
      isAway: false,
      isCollecting: false,
      isRevoked: false,
      goneAt: Number.POSITIVE_INFINITY
    }
    this.connected.push(one)
    return one
  }
}

const dated = (activity: { readonly date: string }, query: URLSearchParams): boolean =>
  activity.date >= (query.get("startDate") ?? "") && activity.date <= (query.get("endDate") ?? "9999-12-31")

const pageOf = (upstream: Upstream, account: TrueAccount, ledger: TrueLedger, query: URLSearchParams): FakeAnswer => {
  const all = activitiesOf(account, ledger).filter((activity) => dated(activity, query))
  const offset = Number(query.get("offset") ?? 0)
  const limit = Math.min(Number(query.get("limit") ?? 1_000), upstream.pageRows)
  const data = all.slice(offset, offset + limit).map(({ date: _, ...activity }) => activity)
  return { status: 200, body: { data, pagination: { offset, limit, total: all.length } } }
}

/** Answers about one account. */
const accountAnswer = (upstream: Upstream, userId: string, id: string, rest: string, query: URLSearchParams): FakeAnswer => {
  const found = upstream.account(userId, id)
  if (found === undefined) return notFound
  const { account, one } = found
  if (one.isAway) return failure(503, "3002", "Unable to sync with brokerage account. Invalid response from Brokerage API.")
  if (one.isCollecting) return failure(425, "3012", "The resource is currently being populated. Please try again later.")
  switch (rest) {
    case "balances":
      return { status: 200, body: balancesOf(account, one.ledger) }
    case "positions/all":
      return { status: 200, body: positionsOf(account, one.ledger, upstream.now()) }
    case "orders/v2":
      return { status: 200, body: ordersOf(account, one.ledger) }
    case "activities":
      return pageOf(upstream, account, one.ledger, query)
    default:
      return notFound
  }
}

const connectionView = (one: Connected) => ({
  id: one.ref,
  created_date: "2026-01-02T03:04:05.678901+00:00",
  brokerage: brokerageOf(one.ledger.institution, one.isAway),
  name: "Connection-1",
  type: "read",
  disabled: one.disabled,
  disabled_date: one.disabled ? "2026-01-21T15:11:19.217000-05:00" : null,
  data_freshness_mode: "delayed"
})

/** Answers about one connection. */
const connectionAnswer = (upstream: Upstream, userId: string, request: FakeRequest, ref: string, rest: string): FakeAnswer => {
  const one = upstream.live(ref)
  if (one === undefined || one.userId !== userId) return notFound
  if (request.method === "DELETE") {
    one.isRevoked = true
    one.goneAt = Math.min(one.goneAt, upstream.now() + removalSeconds * 1000)
    return { status: 200, body: { detail: "Connection queued for deletion; please wait for webhook for confirmation.", connection_id: ref } }
  }
  if (request.method === "POST") {
    return one.disabled
      ? failure(402, "3003", "Unable to sync with brokerage account because the connection is disabled.")
      : { status: 200, body: { detail: `Connection ${ref} scheduled to refresh holdings for all accounts.` } }
  }
  if (rest === "accounts") {
    const view = { ledger: one.ledger, connectionRef: ref, isCollecting: one.isCollecting, now: upstream.now() }
    return { status: 200, body: one.ledger.listed.map((account) => accountOf(account, view)) }
  }
  return { status: 200, body: connectionView(one) }
}

const register = (upstream: Upstream, request: FakeRequest): FakeAnswer => {
  if (upstream.isPersonal) return failure(403, "1066", "Personal keys have no users.")
  const { userId } = JSON.parse(request.body) as { readonly userId: string }
  if (upstream.users.has(userId)) {
    return failure(400, "1010", `User with the following userId already exist: '${userId}'`)
  }
  const userSecret = upstream.secretOf(userId)
  upstream.users.set(userId, userSecret)
  return { status: 200, body: { userId, userSecret } }
}

const login = (upstream: Upstream, url: string, request: FakeRequest): FakeAnswer => {
  const userId = upstream.userOf(request)
  if (userId === undefined) return failure(401, "1083", "Invalid userID or userSecret provided")
  const body = JSON.parse(request.body) as Readonly<Record<string, string | undefined>>
  if (body["locale"] !== undefined && !/^(en|pt[-_]BR)/i.test(body["locale"])) return failure(400, "1076", "Unsupported locale")
  const { broker, reconnect } = body
  if (reconnect !== undefined && upstream.live(reconnect)?.userId !== userId) return notFound
  const token = uuidOf(`portal ${upstream.portals.size} ${userId}`)
  upstream.portals.set(token, {
    userId,
    expiresAt: upstream.now() + portalSeconds * 1000,
    ...(broker === undefined ? {} : { broker }),
    ...(reconnect === undefined ? {} : { reconnect })
  })
  return { status: 200, body: { redirectURI: `${url}/portal?token=${token}`, sessionId: token } }
}

const answer = (upstream: Upstream, url: string, request: FakeRequest): FakeAnswer => {
  const { path, query } = request
  const isSigned =
    query.get("clientId") === snapTradeClientId &&
    request.headers["signature"] === snapTradeRequestSignature(consumerKey, { path, query: request.rawQuery, body: request.body })
  if (!isSigned) return failure(401, "1076", "Unable to verify signature sent")
  if (Math.abs(Number(query.get("timestamp")) - upstream.now() / 1000) > skew) {
    return failure(401, "1076", "Invalid timestamp")
  }
  if (path === "/brokerages") return { status: 200, body: snapTradeInstitutions.map((one) => brokerageOf(one, false)) }
  if (path === "/snapTrade/registerUser") return register(upstream, request)
  if (path === "/snapTrade/login") return login(upstream, url, request)
  const userId = upstream.userOf(request)
  if (userId === undefined) return failure(401, "1083", "Invalid userID or userSecret provided")
  const [, ref, of = ""] = /^\/(?:authorizations|connection)\/([^/]+)(?:\/(.+))?$/.exec(path) ?? []
  if (ref !== undefined) return connectionAnswer(upstream, userId, request, ref, of)
  const [, account, rest = ""] = /^\/accounts\/([^/]+)\/(.+)$/.exec(path) ?? []
  return account === undefined ? notFound : accountAnswer(upstream, userId, account, rest, query)
}

const endpoints: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\/brokerages$/, "institutions"],
  [/^\/snapTrade\/registerUser$/, "register"],
  [/^\/snapTrade\/login$/, "login"],
  [/^\/connection\//, "revoke"],
  [/\/accounts$/, "accounts"],
  [/\/activities$/, "activities"],
  [/\/balances$/, "balances"],
  [/\/positions\/all$/, "positions"],
  [/\/orders\/v2$/, "orders"],
  [/\/(refresh|transactions\/sync)$/, "refresh"],
  [/^\/authorizations\//, "connection"]
]

const refusal = (refused: Refusal, request: FakeRequest): FakeAnswer => {
  switch (refused.kind) {
    case "rateLimited": {
      const ofAccount = refused.scope === "connection" && request.path.startsWith("/accounts/")
      const after = String(refused.retryAfter)
      return failure(
        429,
        "0000",
        `Request was throttled. Expected available in ${after} seconds.`,
        refused.scope === "endpoint"
          ? {}
          : {
              "x-ratelimit-limit": "250",
              "x-ratelimit-remaining": ofAccount ? "120" : "0",
              "x-ratelimit-reset": ofAccount ? "31" : after,
              ...(ofAccount
                ? {
                    "x-ratelimit-account-limit": "10",
                    "x-ratelimit-account-remaining": "0",
                    "x-ratelimit-account-reset": after
                  }
                : {})
            }
      )
    }
    case "unauthorized":
      return failure(401, "1076", "Unable to verify signature sent")
    case "forbidden":
      return failure(403, "1066", "User does not have permission to access this resource")
    case "serverError":
      return failure(500, "1000", "Encountered an unexpected exception.")
    case "unavailable":
      return failure(503, "3002", "Unable to sync with brokerage account. Invalid response from Brokerage API.")
    case "code":
      return failure(refused.status ?? 400, refused.code, "Refused")
  }
}

const eventTypes = {
  dataChanged: "ACCOUNT_TRANSACTIONS_UPDATED",
  reauth: "CONNECTION_BROKEN",
  repaired: "CONNECTION_FIXED",
  revoked: "CONNECTION_DELETED",
  connected: "CONNECTION_ADDED",
  unknown: "CONNECTION_PAINTED_BLUE"
} as const

const webhooksOf = (upstream: Upstream): FakeWebhooks => {
  let sent = 0
  return {
    events: ["dataChanged", "reauth", "repaired", "revoked", "connected", "unknown"],
    forgeries: ["tampered", "unsigned", "otherKey", "old"],
    sign: (event, { connectionRef, forgery, url }) => {
      const one = upstream.connected.find(({ ref }) => ref === connectionRef)
      const at = upstream.now() - (forgery === "old" ? 3 * 86_400_000 : 0)
      const body = {
        webhookId: uuidOf(`webhook ${++sent}`),
        clientId: snapTradeClientId,
        eventTimestamp: Timestamp.fromMillis(at).replace("Z", "123+00:00"),
        userId: one?.userId ?? "nobody",
        eventType: event === "consentEnding" ? eventTypes.unknown : eventTypes[event],
        brokerageAuthorizationId: connectionRef,
        // It is signed in another writing than the one in which it is sent.
        details: { note: "Café ✓" }
      }
      const signature = snapTradeHmac(forgery === "otherKey" ? "somebody else's" : consumerKey, dumps(body))
      const shown = forgery === "tampered" ? { ...body, eventType: "CONNECTION_DELETED", webhookId: uuidOf("x") } : body
      return {
        url,
        rawBody: new TextEncoder().encode(JSON.stringify(shown)),
        headers: { "content-type": "application/json", ...(forgery === "unsigned" ? {} : { signature }) }
      }
    }
  }
}

/** Starts a stand-in; it ends with the scope. */
export const fakeSnapTrade = (
  options: FakeSnapTradeOptions = {}
): Effect.Effect<FakeUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    let upstream: Upstream | undefined
    const server = yield* startFakeServer(({ time, url }): FakeProtocol => {
      const own = (upstream = new Upstream(time.now, options))
      return {
        about: ({ path }) => {
          const [, ref] = /^\/(?:authorizations|connection)\/([^/]+)/.exec(path) ?? []
          const [, account = ""] = /^\/accounts\/([^/]+)\//.exec(path) ?? []
          const one = ref === undefined ? own.connected.find(({ ledger }) => ledger.accountShownAs(account)) : undefined
          const connectionRef = ref ?? one?.ref
          return {
            endpoint: endpoints.find(([form]) => form.test(path))?.[1] ?? "other",
            ...(connectionRef === undefined ? {} : { connectionRef })
          }
        },
        answer: (request) => answer(own, url, request),
        refuse: refusal,
        enumKeys: new Set(["type", "kind", "status", "account_category", "raw_type", "order_type", "time_in_force"]),
        limits: [{ name: "client", requests: 250, seconds: 60, per: "client" }]
      }
    }, options)
    const own = upstream!
    const portalOf = (step: ClientStep): Portal => {
      const token = step.kind === "popup" ? new URL(step.url).searchParams.get("token") : null
      const portal = own.portals.get(token ?? "")
      if (portal === undefined || own.now() > portal.expiresAt) throw new RangeError("there is no such portal")
      return portal
    }
    const paid = (connectionId: string): ConnectPayload => ({ kind: "provider_connection_id", connectionId })
    const find = (ref: string): Connected => {
      const one = own.connected.find((each) => each.ref === ref)
      if (one === undefined) throw new RangeError(`there is no connection ${ref}`)
      return one
    }
    return {
      kind: "snaptrade",
      config: {
        clientId: snapTradeClientId,
        consumerKey,
        baseUrl: server.url,
        ...(options.isPersonal === true ? { keyType: "personal" } : {})
      },
      secrets: [consumerKey],
      server,
      institutions: snapTradeInstitutions,
      ledger: (who) => own.ledger(who),
      get connections(): ReadonlyArray<FakeConnection> {
        return own.connected.map(({ isRevoked, ledger, ref, userId }) => ({
          ref,
          institution: ledger.institution,
          ledger,
          isRevoked,
          secrets: [own.users.get(userId) ?? ""].filter((secret) => secret !== "")
        }))
      },
      signIn: (step, who = {}) => {
        const portal = portalOf(step)
        if (portal.reconnect !== undefined) return paid(find(portal.reconnect).ref)
        const institutionId = who.institutionId ?? portal.broker
        return paid(own.connect(portal.userId, institutionId === undefined ? who : { ...who, institutionId }).ref)
      },
      refused: (_, how) => {
        switch (how) {
          case "unknown":
            return paid(uuidOf("a connection that never was"))
          case "foreign": {
            own.users.set("somebody-else", own.secretOf("somebody-else"))
            return paid(own.connect("somebody-else", { person: "eve" }).ref)
          }
          case "malformed":
            return paid("../accounts?x=")
          case "otherKind":
            return { kind: "plaid_public_token", publicToken: "public-sandbox-1" }
        }
      },
      repair: (step, connectionRef) => {
        if (portalOf(step).reconnect !== connectionRef) throw new RangeError("the portal is about another connection")
        const one = find(connectionRef)
        one.disabled = false
        return paid(one.ref)
      },
      break: (connectionRef, how) => {
        const one = find(connectionRef)
        if (how === "reauth") one.disabled = true
        else if (how === "institutionDown") one.isAway = true
        else if (how === "gone") one.goneAt = own.now()
        else throw new RangeError(`SnapTrade has no ${how}`)
      },
      mend: (connectionRef) => {
        const one = find(connectionRef)
        one.disabled = false
        one.isAway = false
        if (!one.isRevoked) one.goneAt = Number.POSITIVE_INFINITY
      },
      breakages: ["reauth", "gone", "institutionDown"],
      collecting: (connectionRef, isCollecting) => {
        find(connectionRef).isCollecting = isCollecting
      },
      webhooks: webhooksOf(own)
    }
  })
