/** The answers of the fake SnapTrade, and its refusals. */
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import type { Refusal } from "../Incident.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount } from "../TrueRecord.ts"
import { snapTradeRequestSignature } from "./SnapTradeSigning.ts"
import {
  type Connected,
  consumerKey,
  failure,
  notFound,
  portalSeconds,
  removalSeconds,
  skew,
  snapTradeClientId,
  type SnapTradeState
} from "./SnapTradeState.ts"
import { portalPage } from "./SnapTradePortal.ts"
import { accountOf, activitiesOf, balancesOf, brokerageOf, ordersOf, positionsOf } from "./SnapTradeWire.ts"
import { snapTradeInstitutions, uuidOf } from "./SnapTradeWorld.ts"

const dated = (activity: { readonly date: string }, query: URLSearchParams): boolean =>
  activity.date >= (query.get("startDate") ?? "") && activity.date <= (query.get("endDate") ?? "9999-12-31")

const pageOf = (
  upstream: SnapTradeState,
  account: TrueAccount,
  ledger: TrueLedger,
  query: URLSearchParams
): FakeAnswer => {
  const all = activitiesOf(account, ledger).filter((activity) => dated(activity, query))
  const offset = Number(query.get("offset") ?? 0)
  const limit = Math.min(Number(query.get("limit") ?? 1_000), upstream.pageRows)
  const data = all.slice(offset, offset + limit).map(({ wire }) => wire)
  return { status: 200, body: { data, pagination: { offset, limit, total: all.length } } }
}

/** The documents let it look back 90 days at most, and 30 unless asked for more. */
const ordersAnswer = (
  upstream: SnapTradeState,
  account: TrueAccount,
  ledger: TrueLedger,
  query: URLSearchParams
): FakeAnswer => {
  const days = Number(query.get("days") ?? 30)
  return Number.isInteger(days) && days >= 1 && days <= 90
    ? { status: 200, body: ordersOf(account, ledger, upstream.now() - days * 86_400_000) }
    : failure(400, "1012", "days must be between 1 and 90")
}

/** Answers about one account. */
const accountAnswer = (
  upstream: SnapTradeState,
  userId: string,
  id: string,
  rest: string,
  query: URLSearchParams
): FakeAnswer => {
  const found = upstream.account(userId, id)
  if (found === undefined) return notFound
  const { account, one } = found
  if (one.isAway)
    return failure(503, "3002", "Unable to sync with brokerage account. Invalid response from Brokerage API.")
  if (one.isCollecting)
    return failure(425, "3012", "The resource is currently being populated. Please try again later.")
  switch (rest) {
    case "balances":
      return { status: 200, body: balancesOf(account, one.ledger) }
    case "positions/all":
      return { status: 200, body: positionsOf(account, one.ledger, upstream.now()) }
    case "orders/v2":
      return ordersAnswer(upstream, account, one.ledger, query)
    case "activities":
      return pageOf(upstream, account, one.ledger, query)
    default:
      return notFound
  }
}

const connectionView = (one: Connected, mark: string) => ({
  id: one.ref,
  created_date: "2026-01-02T03:04:05.678901+00:00",
  brokerage: brokerageOf(one.ledger.institution, one.isAway, mark),
  name: "Connection-1",
  type: "read",
  disabled: one.disabled,
  disabled_date: one.disabled ? "2026-01-21T15:11:19.217000-05:00" : null,
  data_freshness_mode: "delayed"
})

/** Answers about one connection. */
const connectionAnswer = (
  upstream: SnapTradeState,
  userId: string,
  request: FakeRequest,
  ref: string,
  rest: string
): FakeAnswer => {
  const one = upstream.live(ref)
  if (one === undefined || one.userId !== userId) return notFound
  if (request.method === "DELETE") {
    one.isRevoked = true
    one.goneAt = Math.min(one.goneAt, upstream.now() + removalSeconds * 1000)
    return {
      status: 200,
      body: { detail: "Connection queued for deletion; please wait for webhook for confirmation.", connection_id: ref }
    }
  }
  if (request.method === "POST") {
    return one.disabled
      ? failure(402, "3003", "Unable to sync with brokerage account because the connection is disabled.")
      : { status: 200, body: { detail: `Connection ${ref} scheduled to refresh holdings for all accounts.` } }
  }
  if (rest === "accounts") {
    const view = {
      ledger: one.ledger,
      connectionRef: ref,
      isCollecting: one.isCollecting,
      now: upstream.now(),
      firstDay: (id: string, shown: string | undefined) => upstream.firstDay(id, shown)
    }
    return { status: 200, body: one.ledger.listed.map((account) => accountOf(account, view)) }
  }
  return { status: 200, body: connectionView(one, upstream.mark) }
}

const register = (upstream: SnapTradeState, request: FakeRequest): FakeAnswer => {
  if (upstream.isPersonal) return failure(403, "1066", "Personal keys have no users.")
  const { userId } = JSON.parse(request.body) as { readonly userId: string }
  if (upstream.hasUser(userId)) {
    return failure(400, "1010", `User with the following userId already exist: '${userId}'`)
  }
  const userSecret = upstream.secretOf(userId)
  upstream.removedUsers.delete(userId)
  upstream.users.set(userId, userSecret)
  return { status: 200, body: { userId, userSecret } }
}

/** Queued: the user is there until it is done. */
const removeUser = (upstream: SnapTradeState, { query }: FakeRequest): FakeAnswer => {
  if (upstream.isPersonal) return failure(403, "1066", "Personal keys have no users.")
  const userId = query.get("userId") ?? ""
  if (!upstream.hasUser(userId)) return notFound
  upstream.removeUser(userId)
  return { status: 200, body: { status: "deleted", detail: `User queued for deletion: ${userId}`, userId } }
}

const login = (upstream: SnapTradeState, url: string, request: FakeRequest): FakeAnswer => {
  const userId = upstream.userOf(request)
  if (userId === undefined) return failure(401, "1083", "Invalid userID or userSecret provided")
  const body = JSON.parse(request.body) as Readonly<Record<string, string | undefined>>
  if (body["locale"] !== undefined && !/^(en|pt[-_]BR)/i.test(body["locale"]))
    return failure(400, "1076", "Unsupported locale")
  const { broker, customRedirect, reconnect } = body
  if (reconnect !== undefined && upstream.live(reconnect)?.userId !== userId) return notFound
  const token = uuidOf(`portal ${upstream.portals.size} ${userId}`)
  upstream.portals.set(token, {
    userId,
    expiresAt: upstream.now() + portalSeconds * 1000,
    ...(broker === undefined ? {} : { broker }),
    ...(reconnect === undefined ? {} : { reconnect }),
    ...(customRedirect === undefined ? {} : { redirect: customRedirect })
  })
  return { status: 200, body: { redirectURI: `${url}/portal?token=${token}`, sessionId: token } }
}

export const answer = (upstream: SnapTradeState, url: string, request: FakeRequest): FakeAnswer => {
  const { path, query } = request
  if (path === "/portal") return portalPage(upstream, request)
  const isSigned =
    query.get("clientId") === snapTradeClientId &&
    request.headers["signature"] ===
      snapTradeRequestSignature(consumerKey, { path, query: request.rawQuery, body: request.body })
  if (!isSigned) return failure(401, "1076", "Unable to verify signature sent")
  if (Math.abs(Number(query.get("timestamp")) - upstream.now() / 1000) > skew) {
    return failure(401, "1076", "Invalid timestamp")
  }
  if (path === "/brokerages")
    return { status: 200, body: snapTradeInstitutions.map((one) => brokerageOf(one, false, upstream.mark)) }
  if (path === "/snapTrade/registerUser") return register(upstream, request)
  if (path === "/snapTrade/deleteUser" && request.method === "DELETE") return removeUser(upstream, request)
  if (path === "/snapTrade/listUsers") {
    return { status: 200, body: [...upstream.users.keys()].filter((userId) => upstream.hasUser(userId)) }
  }
  if (path === "/snapTrade/login") return login(upstream, url, request)
  const userId = upstream.userOf(request)
  if (userId === undefined) return failure(401, "1083", "Invalid userID or userSecret provided")
  const [, ref, of = ""] = /^\/(?:authorizations|connection)\/([^/]+)(?:\/(.+))?$/.exec(path) ?? []
  if (ref !== undefined) return connectionAnswer(upstream, userId, request, ref, of)
  const [, account, rest = ""] = /^\/accounts\/([^/]+)\/(.+)$/.exec(path) ?? []
  return account === undefined ? notFound : accountAnswer(upstream, userId, account, rest, query)
}

export const endpoints: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\/brokerages$/, "institutions"],
  [/^\/snapTrade\/registerUser$/, "register"],
  [/^\/snapTrade\/login$/, "login"],
  [/^\/snapTrade\/(listUsers|deleteUser)$/, "users"],
  [/^\/connection\//, "revoke"],
  [/\/accounts$/, "accounts"],
  [/\/activities$/, "activities"],
  [/\/balances$/, "balances"],
  [/\/positions\/all$/, "positions"],
  [/\/orders\/v2$/, "orders"],
  [/\/(refresh|transactions\/sync)$/, "refresh"],
  [/^\/authorizations\//, "connection"]
]

export const refusal = (refused: Refusal, request: FakeRequest): FakeAnswer => {
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
