/** The answers of the fake Salt Edge, and its refusals. */
import { createHash, createVerify } from "node:crypto"
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import type { Refusal } from "../Incident.ts"
import type { TrueAccount } from "../TrueRecord.ts"
import { connectPage } from "./SaltEdgePage.ts"
import {
  type Connected,
  data,
  failure,
  keys,
  saltEdgeAppId,
  type SaltEdgeState,
  second,
  secret,
  sessionMillis
} from "./SaltEdgeState.ts"
import { accountOf, providerOf, transactionOf } from "./SaltEdgeWire.ts"
import { saltEdgeId, saltEdgeInstitutions } from "./SaltEdgeWorld.ts"

/** A page of a list, from the id asked for on. */
const paged = (
  upstream: SaltEdgeState,
  query: URLSearchParams,
  entries: ReadonlyArray<{ readonly id: string }>
): FakeAnswer => {
  const from = BigInt(query.get("from_id") ?? 0)
  const size = Math.min(Number(query.get("per_page") ?? 100), upstream.pageRows)
  const left = entries.filter(({ id }) => BigInt(id) >= from).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
  return data(left.slice(0, size), left[size]?.id ?? null)
}

const rowsOf = (upstream: SaltEdgeState, { ledger, refreshes }: Connected, account: TrueAccount, pending: boolean) =>
  ledger
    .shown(account.key)
    .filter((row) => row.pending === pending)
    .flatMap((row) => {
      // Pending rows are made again whenever the bank is read.
      const id = pending ? (BigInt(row.id) + BigInt(refreshes) * 1_000_000_000n).toString() : row.id
      const shown = transactionOf(row, account, id, false)
      const hasCopy = upstream.copies > 0 && !pending && row.line % upstream.copies === 0
      return hasCopy ? [shown, transactionOf(row, account, (BigInt(id) + 5n).toString(), true)] : [shown]
    })

/** When the bank was read last, and the number of that reading: whenever the ledger moved, and when it was asked for. */
const readingOf = ({ connectedAt, ledger, refreshes }: Connected) => ({
  at: Math.max(connectedAt, ledger.changes.at(-1)?.at ?? 0),
  id: saltEdgeId(90_000_000 + ledger.changes.length + refreshes)
})

const connectionView = (one: Connected, mark: string) => {
  const { at, id } = readingOf(one)
  const read = one.isCollecting ? null : second(at)
  return {
    id: one.ref,
    customer_id: one.customerId,
    provider_code: one.ledger.institution.id,
    provider_name: `${one.ledger.institution.name}${mark}`,
    country_code: one.ledger.institution.countryCode,
    status: one.status,
    last_success_at: read,
    next_refresh_possible_at: null,
    last_consent_id: saltEdgeId(1),
    last_attempt: {
      id,
      success_at: one.failure === undefined ? read : null,
      fail_at: one.failure === undefined ? null : read,
      fail_error_class: one.failure ?? null,
      partial: false,
      stages: [{ name: one.isCollecting ? "fetch_accounts" : "finish" }]
    }
  }
}

const consentView = (upstream: SaltEdgeState, one: Connected) => ({
  id: saltEdgeId(1),
  connection_id: one.ref,
  customer_id: one.customerId,
  status: one.consentEnds <= upstream.now() ? "expired" : "given",
  scopes: one.scopes,
  period_days: 90,
  expires_at: second(one.consentEnds),
  created_at: second(one.connectedAt)
})

interface Asked {
  readonly customer_id?: string
  readonly identifier?: string
  readonly consent?: { readonly scopes?: ReadonlyArray<string>; readonly from_date?: string }
  readonly attempt?: { readonly return_to?: string; readonly custom_fields?: { readonly attempt_id?: string } }
  readonly provider?: { readonly code?: string }
}

const startSession = (upstream: SaltEdgeState, url: string, asked: Asked, reconnect?: Connected): FakeAnswer => {
  const customerId = reconnect?.customerId ?? asked.customer_id ?? ""
  if (!upstream.hasCustomer(customerId)) return failure(404, "CustomerNotFound")
  if (asked.consent?.from_date === undefined || asked.consent.scopes === undefined)
    return failure(406, "WrongRequestFormat")
  const provider = asked.provider?.code
  if (provider !== undefined && !saltEdgeInstitutions.some(({ id }) => id === provider)) {
    return failure(404, "ProviderNotFound")
  }
  const token = createHash("sha256").update(`session ${upstream.sessions.size}`).digest("hex")
  const expiresAt = upstream.now() + sessionMillis
  upstream.sessions.set(token, {
    customerId,
    attemptId: asked.attempt?.custom_fields?.attempt_id ?? "",
    scopes: asked.consent.scopes,
    expiresAt,
    ...(provider === undefined ? {} : { provider }),
    ...(reconnect === undefined ? {} : { reconnect: reconnect.ref }),
    ...(asked.attempt?.return_to === undefined ? {} : { redirect: asked.attempt.return_to })
  })
  return data({ connect_url: `${url}/connect?token=${token}`, expires_at: second(expiresAt), customer_id: customerId })
}

const customerAnswer = (upstream: SaltEdgeState, request: FakeRequest, asked: Asked): FakeAnswer => {
  if (request.method === "GET") {
    const identifier = request.query.get("identifier") ?? ""
    const id = upstream.customer(identifier)
    return data(id === undefined ? [] : [{ customer_id: id, identifier }])
  }
  const identifier = asked.identifier ?? ""
  if (identifier === "") return failure(406, "WrongRequestFormat")
  if (upstream.customer(identifier) !== undefined) return failure(409, "DuplicatedCustomer")
  const id = upstream.nextId()
  upstream.customers.set(identifier, id)
  return data({ customer_id: id, identifier, secret: `customer-secret-${id}` })
}

const connectionAnswer = (
  upstream: SaltEdgeState,
  url: string,
  request: FakeRequest,
  asked: Asked,
  ref: string,
  of: string
) => {
  const one = upstream.live(ref)
  if (one === undefined) return failure(404, "ConnectionNotFound")
  if (request.method === "DELETE") {
    one.isRevoked = true
    one.isGone = true
    return data({ removed: true, id: ref })
  }
  if (of === "reconnect") return startSession(upstream, url, asked, one)
  if (of === "refresh") {
    if (one.failure !== undefined) return failure(406, one.failure)
    one.refreshes++
    return data(connectionView(one, upstream.mark))
  }
  return data(connectionView(one, upstream.mark))
}

/** Lists of one connection. */
const listAnswer = (upstream: SaltEdgeState, { path, query }: FakeRequest): FakeAnswer => {
  const one = upstream.live(query.get("connection_id"))
  if (one === undefined) return failure(404, "ConnectionNotFound")
  if (path === "/consents") return paged(upstream, query, [consentView(upstream, one)])
  if (path === "/accounts") {
    const { at } = readingOf(one)
    const listed = one.isCollecting ? [] : one.ledger.listed
    return paged(
      upstream,
      query,
      listed.map((account) => accountOf(account, one.ledger, one.ref, at))
    )
  }
  const account = one.ledger.accountShownAs(query.get("account_id") ?? "")
  if (account === undefined) return failure(404, "AccountNotFound")
  return paged(upstream, query, rowsOf(upstream, one, account, query.get("pending") === "true"))
}

const isSigned = (url: string, request: FakeRequest, now: number): boolean => {
  const { "expires-at": expires = "", signature = "" } = request.headers
  const left = Number(expires) - now / 1000
  const asked = `${url}${request.path}${request.rawQuery === "" ? "" : `?${request.rawQuery}`}`
  return (
    left > 0 &&
    left <= 3_600 &&
    createVerify("sha256")
      .update(`${expires}|${request.method}|${asked}|${request.body}`)
      .verify(keys().client.publicKey, signature, "base64")
  )
}

export const answer = (upstream: SaltEdgeState, url: string, request: FakeRequest): FakeAnswer => {
  const { headers, path, query } = request
  if (path === "/connect") return connectPage(upstream, request)
  if (headers["app-id"] !== saltEdgeAppId || headers["secret"] !== secret) return failure(401, "ApiKeyNotFound")
  if (!isSigned(url, request, upstream.now())) return failure(401, "SignatureNotMatch")
  const asked = request.body === "" ? {} : ((JSON.parse(request.body) as { readonly data?: Asked }).data ?? {})
  if (path === "/customers") return customerAnswer(upstream, request, asked)
  const [, customer] = /^\/customers\/(\d+)$/.exec(path) ?? []
  if (customer !== undefined && request.method === "DELETE") {
    if (!upstream.hasCustomer(customer)) return failure(404, "CustomerNotFound")
    upstream.removeCustomer(customer)
    return data({ deleted: true, customer_id: customer })
  }
  if (path === "/connections/connect") return startSession(upstream, url, asked)
  if (path === "/providers") {
    const country = query.get("country_code")
    const listed = saltEdgeInstitutions.map((one, n) => providerOf(one, saltEdgeId(n), upstream.mark))
    return paged(
      upstream,
      query,
      listed.filter((one) => country === null || one.country_code === country)
    )
  }
  const [, code] = /^\/providers\/(.+)$/.exec(path) ?? []
  if (code !== undefined) {
    const found = saltEdgeInstitutions.find(({ id }) => id === code)
    return found === undefined
      ? failure(404, "ProviderNotFound")
      : data(providerOf(found, saltEdgeId(1), upstream.mark))
  }
  const [, ref, of = ""] = /^\/connections\/([^/]+)(?:\/(.+))?$/.exec(path) ?? []
  return ref === undefined ? listAnswer(upstream, request) : connectionAnswer(upstream, url, request, asked, ref, of)
}

export const endpointOf = (path: string): string => {
  const [, first = "", , of = ""] = path.split("/")
  if (first === "connections")
    return path.endsWith("/connect") || of === "reconnect" ? "connect" : of === "" ? "connection" : of
  if (first === "providers") return path === "/providers" ? "institutions" : "institution"
  return first
}

export const refusal = (refused: Refusal): FakeAnswer => {
  switch (refused.kind) {
    case "rateLimited":
      return failure(429, "TooManyRequests", { "retry-after": String(refused.retryAfter) })
    case "unauthorized":
      return failure(401, "ApiKeyNotFound")
    case "forbidden":
      return failure(403, "ClientRestricted")
    case "serverError":
      return failure(500, "InternalServerError")
    case "unavailable":
      return failure(503, "ProviderUnavailable")
    case "code":
      return failure(refused.status ?? 406, refused.code)
  }
}
