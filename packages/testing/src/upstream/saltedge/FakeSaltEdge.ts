/**
 * A stand-in for Salt Edge: customers, the page, consents that end, signed requests and callbacks, lists by the next id, pending
 * rows that get new ids at each reading of the bank, and copies that are marked as such. What was read last is shown also
 * where nothing can be read any more, as there.
 */
import { createHash, createSign, createVerify, generateKeyPairSync, type KeyObject } from "node:crypto"
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
import { accountOf, providerOf, transactionOf } from "./SaltEdgeWire.ts"
import { saltEdgeId, saltEdgeInstitutions, saltEdgeLedger } from "./SaltEdgeWorld.ts"

export interface FakeSaltEdgeOptions {
  readonly port?: number
  /** Rows of a page at most, however many are asked for. 1,000, as there, unless given. */
  readonly pageRows?: number
  /** Every n-th posted row has a copy that is marked as one; none unless given. */
  readonly copies?: number
}

export const saltEdgeAppId = "app-of-the-tests"
const secret = "secret-of-the-fake-salt-edge"

interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

let pairs: { readonly client: Pair; readonly upstream: Pair } | undefined
/** Made once in a process: the client's own, and that of the upstream. */
const keys = () =>
  (pairs ??= {
    client: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    upstream: generateKeyPairSync("rsa", { modulusLength: 2048 })
  })

interface Connected {
  readonly ref: string
  readonly customerId: string
  readonly ledger: TrueLedger
  readonly scopes: ReadonlyArray<string>
  attemptId: string
  status: "active" | "inactive" | "disabled"
  failure: string | undefined
  consentEnds: number
  isCollecting: boolean
  isRevoked: boolean
  isGone: boolean
  connectedAt: number
  refreshes: number
}

interface Session {
  readonly customerId: string
  readonly attemptId: string
  readonly scopes: ReadonlyArray<string>
  readonly expiresAt: number
  readonly provider?: string
  readonly reconnect?: string
}

const sessionMillis = 3_600_000
const consentMillis = 90 * 86_400_000

const failure = (status: number, errorClass: string, headers: Readonly<Record<string, string>> = {}): FakeAnswer => ({
  status,
  headers,
  body: {
    error: {
      class: errorClass,
      message: `This is what ${errorClass} is called.`,
      documentation_url: "https://docs.saltedge.com/v6/#errors",
      request_id: createHash("sha256").update(errorClass).digest("hex").slice(0, 20)
    },
    request: {}
  }
})

const data = (body: unknown, nextId: string | null = null): FakeAnswer => ({
  status: 200,
  body: { data: body, meta: { next_id: nextId, next_page: nextId === null ? null : `/?from_id=${nextId}` } }
})

class Upstream {
  readonly customers = new Map<string, string>()
  readonly sessions = new Map<string, Session>()
  readonly connected: Array<Connected> = []
  readonly ledgers = new Map<string, TrueLedger>()
  readonly now: () => number
  readonly pageRows: number
  readonly copies: number
  private made = 0

  constructor(now: () => number, { copies = 0, pageRows = 1_000 }: FakeSaltEdgeOptions) {
    this.now = now
    this.pageRows = pageRows
    this.copies = copies
  }

  nextId(): string {
    return saltEdgeId(50_000_000 + ++this.made)
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const institution = saltEdgeInstitutions.find(({ id }) => id === institutionId) ?? saltEdgeInstitutions[0]!
    const key = `${institution.id} ${person}`
    const known = this.ledgers.get(key)
    if (known !== undefined) return known
    const ledger = saltEdgeLedger(institution, person, this.now, 1_000_000 * (this.ledgers.size + 1))
    this.ledgers.set(key, ledger)
    return ledger
  }

  live(ref: string | null): Connected | undefined {
    return this.connected.find((one) => one.ref === ref && !one.isGone)
  }

  connect(session: Pick<Session, "customerId" | "attemptId" | "scopes">, who: SignIn): Connected {
    const ledger = this.ledger(who)
    const before = this.connected.filter((one) => one.ledger === ledger)
    // A new connection shows accounts and transactions under new ids.
    if (before.length > 0 && before.every(({ isGone }) => isGone)) ledger.renumber()
    const one: Connected = {
      ref: this.nextId(),
      customerId: session.customerId,
      ledger,
      scopes: session.scopes,
      attemptId: session.attemptId,
      status: "active",
      failure: undefined,
      consentEnds: this.now() + consentMillis,
      isCollecting: false,
      isRevoked: false,
      isGone: false,
      connectedAt: this.now(),
      refreshes: 0
    }
    this.connected.push(one)
    return one
  }
}

/** A page of a list, from the id asked for on. */
const paged = (
  upstream: Upstream,
  query: URLSearchParams,
  entries: ReadonlyArray<{ readonly id: string }>
): FakeAnswer => {
  const from = BigInt(query.get("from_id") ?? 0)
  const size = Math.min(Number(query.get("per_page") ?? 100), upstream.pageRows)
  const left = entries.filter(({ id }) => BigInt(id) >= from).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
  return data(left.slice(0, size), left[size]?.id ?? null)
}

const rowsOf = (upstream: Upstream, { ledger, refreshes }: Connected, account: TrueAccount, pending: boolean) =>
  ledger
    .shown(account.key)
    .filter((row) => row.pending === pending)
    .flatMap((row) => {
      // Pending rows are made anew whenever the bank is read.
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

const second = (millis: number): string => `${Timestamp.fromMillis(millis).slice(0, 19)}Z`

const connectionView = (one: Connected) => {
  const { at, id } = readingOf(one)
  const read = one.isCollecting ? null : second(at)
  return {
    id: one.ref,
    customer_id: one.customerId,
    provider_code: one.ledger.institution.id,
    provider_name: one.ledger.institution.name,
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

const consentView = (upstream: Upstream, one: Connected) => ({
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
  readonly attempt?: { readonly custom_fields?: { readonly attempt_id?: string } }
  readonly provider?: { readonly code?: string }
}

const startSession = (upstream: Upstream, url: string, asked: Asked, reconnect?: Connected): FakeAnswer => {
  const customerId = reconnect?.customerId ?? asked.customer_id ?? ""
  if (![...upstream.customers.values()].includes(customerId)) return failure(404, "CustomerNotFound")
  if (asked.consent?.from_date === undefined || asked.consent.scopes === undefined) return failure(406, "WrongRequestFormat")
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
    ...(reconnect === undefined ? {} : { reconnect: reconnect.ref })
  })
  return data({ connect_url: `${url}/connect?token=${token}`, expires_at: second(expiresAt), customer_id: customerId })
}

const customerAnswer = (upstream: Upstream, request: FakeRequest, asked: Asked): FakeAnswer => {
  if (request.method === "GET") {
    const identifier = request.query.get("identifier") ?? ""
    const id = upstream.customers.get(identifier)
    return data(id === undefined ? [] : [{ customer_id: id, identifier }])
  }
  const identifier = asked.identifier ?? ""
  if (identifier === "") return failure(406, "WrongRequestFormat")
  if (upstream.customers.has(identifier)) return failure(409, "DuplicatedCustomer")
  const id = upstream.nextId()
  upstream.customers.set(identifier, id)
  return data({ customer_id: id, identifier, secret: `customer-secret-${id}` })
}

const connectionAnswer = (upstream: Upstream, url: string, request: FakeRequest, asked: Asked, ref: string, of: string) => {
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
    return data(connectionView(one))
  }
  return data(connectionView(one))
}

/** Lists of one connection. */
const listAnswer = (upstream: Upstream, { path, query }: FakeRequest): FakeAnswer => {
  const one = upstream.live(query.get("connection_id"))
  if (one === undefined) return failure(404, "ConnectionNotFound")
  if (path === "/consents") return paged(upstream, query, [consentView(upstream, one)])
  if (path === "/accounts") {
    const { at } = readingOf(one)
    const listed = one.isCollecting ? [] : one.ledger.listed
    return paged(upstream, query, listed.map((account) => accountOf(account, one.ledger, one.ref, at)))
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

const answer = (upstream: Upstream, url: string, request: FakeRequest): FakeAnswer => {
  const { headers, path, query } = request
  if (headers["app-id"] !== saltEdgeAppId || headers["secret"] !== secret) return failure(401, "ApiKeyNotFound")
  if (!isSigned(url, request, upstream.now())) return failure(401, "SignatureNotMatch")
  const asked = request.body === "" ? {} : ((JSON.parse(request.body) as { readonly data?: Asked }).data ?? {})
  if (path === "/customers") return customerAnswer(upstream, request, asked)
  if (path === "/connections/connect") return startSession(upstream, url, asked)
  if (path === "/providers") {
    const country = query.get("country_code")
    const listed = saltEdgeInstitutions.map((one, n) => providerOf(one, saltEdgeId(n)))
    return paged(upstream, query, listed.filter((one) => country === null || one.country_code === country))
  }
  const [, code] = /^\/providers\/(.+)$/.exec(path) ?? []
  if (code !== undefined) {
    const found = saltEdgeInstitutions.find(({ id }) => id === code)
    return found === undefined ? failure(404, "ProviderNotFound") : data(providerOf(found, saltEdgeId(1)))
  }
  const [, ref, of = ""] = /^\/connections\/([^/]+)(?:\/(.+))?$/.exec(path) ?? []
  return ref === undefined ? listAnswer(upstream, request) : connectionAnswer(upstream, url, request, asked, ref, of)
}

const endpointOf = (path: string): string => {
  const [, first = "", , of = ""] = path.split("/")
  if (first === "connections") return path.endsWith("/connect") || of === "reconnect" ? "connect" : of === "" ? "connection" : of
  if (first === "providers") return path === "/providers" ? "institutions" : "institution"
  return first
}

const refusal = (refused: Refusal): FakeAnswer => {
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

const webhooksOf = (upstream: Upstream): FakeWebhooks => ({
  events: ["dataChanged", "reauth", "repaired", "revoked", "connected", "unknown"],
  forgeries: ["tampered", "unsigned", "otherKey", "old"],
  sign: (event, { connectionRef, forgery, url }) => {
    const one = upstream.connected.find(({ ref }) => ref === connectionRef)
    const at = upstream.now() - (forgery === "old" ? 3 * 86_400_000 : 0)
    const told =
      event === "reauth"
        ? { error_class: "InvalidCredentials", error_message: "Invalid credentials." }
        : event === "unknown"
          ? { stage: "something_new" }
          : event === "revoked" || event === "consentEnding"
            ? {}
            : { stage: "finish" }
    const fields = event === "connected" ? { attempt_id: one?.attemptId ?? "" } : {}
    const body = JSON.stringify({
      data: { connection_id: connectionRef, customer_id: one?.customerId ?? "1", custom_fields: fields, ...told },
      meta: { version: "6", time: second(at) }
    })
    const { client, upstream: own } = keys()
    const key = forgery === "otherKey" ? client.privateKey : own.privateKey
    const signature = createSign("sha256").update(`${url}|${body}`).sign(key, "base64")
    return {
      url,
      rawBody: new TextEncoder().encode(forgery === "tampered" ? body.replace("data", "data ") : body),
      headers: { "content-type": "application/json", ...(forgery === "unsigned" ? {} : { signature }) }
    }
  }
})

const pem = (key: KeyObject): string =>
  key.export(key.type === "private" ? { type: "pkcs8", format: "pem" } : { type: "spki", format: "pem" }).toString()

/** Starts a stand-in; it ends with the scope. */
export const fakeSaltEdge = (options: FakeSaltEdgeOptions = {}): Effect.Effect<FakeUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    let upstream: Upstream | undefined
    const server = yield* startFakeServer(({ time, url }): FakeProtocol => {
      const own = (upstream = new Upstream(time.now, options))
      return {
        about: ({ path, query }) => {
          const [, ref] = /^\/connections\/(\d+)/.exec(path) ?? []
          const connectionRef = ref ?? query.get("connection_id") ?? undefined
          return { endpoint: endpointOf(path), ...(connectionRef === undefined ? {} : { connectionRef }) }
        },
        answer: (request) => answer(own, url, request),
        refuse: refusal,
        enumKeys: new Set(["nature", "status", "mode", "category", "stage"])
      }
    }, options)
    const own = upstream!
    const sessionOf = (step: ClientStep): Session => {
      const token = step.kind === "redirect" ? new URL(step.url).searchParams.get("token") : null
      const session = own.sessions.get(token ?? "")
      if (session === undefined || own.now() > session.expiresAt) throw new RangeError("there is no such page")
      return session
    }
    const paid = (connectionId: string): ConnectPayload => ({ kind: "provider_connection_id", connectionId })
    const find = (ref: string): Connected => {
      const one = own.connected.find((each) => each.ref === ref)
      if (one === undefined) throw new RangeError(`there is no connection ${ref}`)
      return one
    }
    const mend = (one: Connected): void => {
      one.status = "active"
      one.failure = undefined
      one.consentEnds = own.now() + consentMillis
      if (!one.isRevoked) one.isGone = false
    }
    const privateKey = pem(keys().client.privateKey)
    return {
      kind: "saltedge",
      config: {
        appId: saltEdgeAppId,
        secret,
        privateKey,
        callbackKey: pem(keys().upstream.publicKey),
        baseUrl: server.url
      },
      secrets: [secret, privateKey],
      server,
      institutions: saltEdgeInstitutions,
      ledger: (who) => own.ledger(who),
      get connections(): ReadonlyArray<FakeConnection> {
        return own.connected.map(({ isRevoked, ledger, ref }) => ({
          ref,
          institution: ledger.institution,
          ledger,
          isRevoked,
          // The application's own keys open every connection.
          secrets: []
        }))
      },
      signIn: (step, who = {}) => {
        const session = sessionOf(step)
        if (session.reconnect !== undefined) return paid(find(session.reconnect).ref)
        const institutionId = who.institutionId ?? session.provider
        return paid(own.connect(session, institutionId === undefined ? who : { ...who, institutionId }).ref)
      },
      refused: (_, how) => {
        switch (how) {
          case "unknown":
            return paid(saltEdgeId(99_999_999))
          case "foreign":
            return paid(own.connect({ customerId: own.nextId(), attemptId: "", scopes: ["accounts"] }, { person: "eve" }).ref)
          case "malformed":
            return paid("../customers?x=")
          case "otherKind":
            return { kind: "plaid_public_token", publicToken: "public-sandbox-1" }
        }
      },
      repair: (step, connectionRef) => {
        const session = sessionOf(step)
        if (session.reconnect !== connectionRef) throw new RangeError("the page is about another connection")
        const one = find(connectionRef)
        one.attemptId = session.attemptId
        one.refreshes++
        mend(one)
        return paid(one.ref)
      },
      break: (connectionRef, how) => {
        const one = find(connectionRef)
        if (how === "reauth") {
          one.status = "inactive"
          one.failure = "InvalidCredentials"
        } else if (how === "consentExpired") one.consentEnds = own.now() - 1_000
        else if (how === "institutionDown") one.failure = "ProviderUnavailable"
        else one.isGone = true
      },
      mend: (connectionRef) => mend(find(connectionRef)),
      breakages: ["reauth", "consentExpired", "gone", "institutionDown"],
      collecting: (connectionRef, isCollecting) => {
        find(connectionRef).isCollecting = isCollecting
      },
      webhooks: webhooksOf(own)
    }
  })
