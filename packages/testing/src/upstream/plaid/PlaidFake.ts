/**
 * A fake Plaid: it speaks the wire format of API version 2020-09-14, with its credentials, its change feed, its errors,
 * its limits and its signed webhooks. Link itself is a person of the script, who signs in with `signIn`.
 */
import { Timestamp } from "@millrace/core"
import type { ClientStep, Connection, ConnectPayload, SecretValues } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { type FakeProtocol, type FakeServer, startFakeServer } from "../FakeServer.ts"
import type { FakeTime } from "../FakeTime.ts"
import type { FakeUpstream, FakeWebhooks, RefusedPayload, SignedWebhook, SignIn } from "../FakeUpstream.ts"
import type { Breakage, Refusal } from "../Incident.ts"
import type { RequestLimit } from "../RequestLimits.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import { trialChoice, trialPage } from "../TrialPage.ts"
import type { TrueInstitution } from "../TrueRecord.ts"
import { PlaidItem, problem } from "./PlaidItem.ts"
import { plaidInstitutions, plaidLedger } from "./PlaidPeople.ts"
import { PlaidSigning } from "./PlaidSigning.ts"
import { holdingWire, institutionWire, liabilitiesWire, securityWire, tradeWire } from "./PlaidWire.ts"

export interface PlaidFakeOptions {
  readonly seed?: number
  /** Most rows of a page, whatever is asked for; 500 unless given, which is what Plaid gives. */
  readonly pageSize?: number
  /** Ordinary rows of each account, and days that they are spread over. */
  readonly rows?: number
  readonly days?: number
  readonly port?: number
  /** The limits of production are held; told in `server.exceeded` at any rate. */
  readonly enforcesLimits?: boolean
  /** People sign in on a page of the fake instead of in a widget. */
  readonly hostedLink?: boolean
  /** Written behind the name of every institution. */
  readonly mark?: string
}

const clientId = "5f0c3a8e2b6d4c0012a3b4c5"
const secret = "0d2f7b6c1a9e4d5f8b3c2a1e6f7d8c9b"

interface LinkSession {
  readonly publicToken?: string
}

interface LinkToken {
  readonly token: string
  readonly subject: string
  /** The item that is to be mended. */
  readonly item: PlaidItem | undefined
  readonly products: ReadonlyArray<string>
  readonly webhook: string | undefined
  readonly expiresAt: number
  readonly redirectUri: string | undefined
  readonly sessions: Array<LinkSession>
}

const perMinute: ReadonlyArray<readonly [path: string, item: number, client: number]> = [
  ["/accounts/get", 15, 15_000],
  ["/accounts/balance/get", 5, 1_200],
  ["/transactions/sync", 50, 2_500],
  ["/investments/holdings/get", 15, 2_000],
  ["/investments/transactions/get", 30, 20_000],
  ["/liabilities/get", 15, 1_000],
  ["/item/get", 15, 5_000],
  ["/item/remove", 30, 2_000],
  ["/institutions/get", Infinity, 50],
  ["/institutions/get_by_id", Infinity, 400]
]

const limits: ReadonlyArray<RequestLimit> = perMinute.flatMap(
  ([endpoint, item, client]): ReadonlyArray<RequestLimit> => [
    { name: `${endpoint} of an item`, requests: item, seconds: 60, per: "connection", endpoint },
    { name: `${endpoint} of a client`, requests: client, seconds: 60, per: "client", endpoint }
  ]
)

const enumKeys = new Set(
  `type subtype payment_channel transaction_type primary detailed confidence_level update_type apr_type
   transactions_update_status status`.split(/\s+/)
)

type Body = Readonly<Record<string, unknown>>

const jsonOf = (text: string): Body => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Body) : {}
  } catch {
    return {}
  }
}

const ok = (body: object): FakeAnswer => ({ status: 200, body: { ...body, request_id: "qpCtl9YiLd4vmX1" } })

const hour = 3_600_000

export class PlaidFake implements FakeUpstream {
  readonly kind = "plaid"
  readonly institutions: ReadonlyArray<TrueInstitution>
  readonly breakages: ReadonlyArray<Breakage> = ["reauth", "consentExpired", "gone", "institutionDown"]
  readonly webhooks: FakeWebhooks
  readonly secrets = [secret]
  /** Set when it was started. */
  server!: FakeServer
  readonly items: Array<PlaidItem> = []
  /** Requests to read from the bank now. */
  readonly refreshes: Array<string> = []
  private readonly time: FakeTime
  private readonly options: PlaidFakeOptions
  private readonly url: string
  private readonly signing: PlaidSigning
  private readonly ledgers = new Map<string, TrueLedger>()
  private readonly linkTokens = new Map<string, LinkToken>()
  private readonly publicTokens = new Map<
    string,
    { readonly item: PlaidItem; readonly expiresAt: number; used: boolean }
  >()
  private count = 0

  constructor(url: string, time: FakeTime, options: PlaidFakeOptions) {
    this.url = url
    this.time = time
    this.options = options
    const { mark } = options
    this.institutions =
      mark === undefined ? plaidInstitutions : plaidInstitutions.map((one) => ({ ...one, name: `${one.name} ${mark}` }))
    this.signing = new PlaidSigning(time.now)
    this.webhooks = {
      sign: (event, about) => this.signing.sign(event, about),
      forgeries: ["tampered", "unsigned", "otherKey", "old"],
      events: ["dataChanged", "reauth", "repaired", "consentEnding", "revoked", "unknown"]
    }
  }

  get config() {
    return {
      environment: "sandbox",
      clientId,
      secret,
      baseUrl: this.url,
      linkEvents: true,
      refresh: true,
      ...(this.options.hostedLink === true ? { hostedLink: true } : {})
    }
  }

  get connections() {
    return this.items.filter(({ isExchanged }) => isExchanged)
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const institution = this.institutions.find(({ id }) => id === institutionId) ?? this.institutions[0]!
    const key = `${institution.id} ${person}`
    let ledger = this.ledgers.get(key)
    if (ledger === undefined) {
      const { days = 120, rows = 40, seed = 1 } = this.options
      ledger = plaidLedger(institution, person, this.time.now, { days, rows, seed })
      this.ledgers.set(key, ledger)
    }
    return ledger
  }

  /** Puts a ledger of somebody's own in the place of what a person has. */
  give(who: SignIn, ledger: TrueLedger): void {
    this.ledgers.set(`${ledger.institution.id} ${who.person ?? "ada"}`, ledger)
  }

  private itemOf(ref: string): PlaidItem {
    const item = this.items.find((one) => one.ref === ref)
    if (item === undefined) throw new RangeError(`there is no item ${ref}`)
    return item
  }

  private linkOf(step: ClientStep): LinkToken {
    const token =
      step.kind === "link"
        ? step.token
        : step.kind === "popup"
          ? new URL(step.url).searchParams.get("token")
          : undefined
    const link = this.linkTokens.get(token ?? "")
    if (link === undefined) throw new RangeError("this step is none of this upstream")
    return link
  }

  private payloadOf(step: ClientStep, publicToken: string, institutionId?: string): ConnectPayload {
    return step.kind === "link"
      ? { kind: "plaid_public_token", publicToken, ...(institutionId === undefined ? {} : { institutionId }) }
      : { kind: "provider_connection_id", connectionId: "hosted-link" }
  }

  private signInTo(link: LinkToken, who: SignIn): { readonly publicToken: string; readonly institutionId: string } {
    const ledger = this.ledger(who)
    const n = ++this.count
    const { institution } = ledger
    const item = new PlaidItem({
      n,
      institution,
      ledger,
      products: link.products,
      webhook: link.webhook,
      now: this.time.now
    })
    this.items.push(item)
    const publicToken = `public-sandbox-${n}-b0e2c4ee-a763-4df5-bfe9-46a46bce993d`
    this.publicTokens.set(publicToken, { item, expiresAt: this.time.now() + hour / 2, used: false })
    link.sessions.push({ publicToken })
    return { publicToken, institutionId: institution.id }
  }

  signIn(step: ClientStep, who: SignIn = {}): ConnectPayload {
    const link = this.linkOf(step)
    const { institutionId, publicToken } = this.signInTo(link, who)
    return this.payloadOf(step, publicToken, institutionId)
  }

  /** The person leaves without a success. */
  stop(step: ClientStep): void {
    this.linkOf(step).sessions.push({})
  }

  /** What tells, to the address of the link token, that a person has finished with it. */
  sessionFinished(step: ClientStep): SignedWebhook {
    const { sessions, token, webhook } = this.linkOf(step)
    if (webhook === undefined) throw new RangeError("this link token has no address for webhooks")
    const { publicToken } = sessions.at(-1) ?? {}
    const body = {
      webhook_type: "LINK",
      webhook_code: "SESSION_FINISHED",
      status: publicToken === undefined ? "EXITED" : "SUCCESS",
      link_session_id: "356dbb28-7f98-44d1-8e6d-0cec580f3171",
      link_token: token,
      ...(publicToken === undefined ? {} : { public_token: publicToken, public_tokens: [publicToken] }),
      environment: "sandbox"
    }
    return this.signing.signBody(body, { url: webhook })
  }

  repair(step: ClientStep, connectionRef: string): ConnectPayload {
    const link = this.linkOf(step)
    if (link.item?.ref !== connectionRef) throw new RangeError("this step mends another connection")
    this.mend(connectionRef)
    return this.payloadOf(step, `public-sandbox-update-${++this.count}`)
  }

  unknown({ secrets }: Connection): Connection {
    const forged = Object.entries(secrets).map(([name, value]) => [name, value.replaceAll(/[0-9a-f]/g, "0")])
    return { ref: "item-of-nobody", secrets: Object.fromEntries(forged) as SecretValues }
  }

  refused(_: ClientStep | undefined, how: RefusedPayload): ConnectPayload {
    switch (how) {
      case "unknown":
        return { kind: "plaid_public_token", publicToken: "public-sandbox-0-00000000-0000-0000-0000-000000000000" }
      case "foreign": {
        const link = this.createLink({ user: { client_user_id: "somebody-else" }, products: ["transactions"] })
        return { kind: "plaid_public_token", publicToken: this.signInTo(link, { person: "mallory" }).publicToken }
      }
      case "malformed":
        return { kind: "plaid_public_token", publicToken: " \u0000" }
      case "otherKind":
        return { kind: "provider_connection_id", connectionId: "elsewhere" }
    }
  }

  break(connectionRef: string, how: Breakage): void {
    this.itemOf(connectionRef).break(how)
  }

  mend(connectionRef: string): void {
    this.itemOf(connectionRef).broken = undefined
  }

  loseCheckpoints(connectionRef: string): void {
    this.itemOf(connectionRef).generation++
  }

  collecting(connectionRef: string, isCollecting: boolean): void {
    this.itemOf(connectionRef).isCollecting = isCollecting
  }

  private createLink(body: Body): LinkToken {
    const user = body["user"] as { readonly client_user_id?: unknown } | undefined
    const item = this.items.find(({ accessToken }) => accessToken === body["access_token"])
    const hosted = body["hosted_link"] as { readonly completion_redirect_uri?: string } | undefined
    const products = [body["products"], body["optional_products"]].flatMap((list) => (Array.isArray(list) ? list : []))
    const link: LinkToken = {
      token: `link-sandbox-${++this.count}-af1a0311-da53-4636-b754-dd15cc058176`,
      subject: String(user?.client_user_id ?? ""),
      item,
      products: products.map(String),
      webhook: typeof body["webhook"] === "string" ? body["webhook"] : undefined,
      expiresAt: this.time.now() + (item === undefined ? 4 * hour : hour / 2),
      redirectUri: hosted?.completion_redirect_uri,
      sessions: []
    }
    this.linkTokens.set(link.token, link)
    return link
  }

  about({ body }: { readonly body: string; readonly path: string }) {
    const token = jsonOf(body)["access_token"]
    const item = this.items.find(({ accessToken }) => accessToken === token)
    return item === undefined ? {} : { connectionRef: item.ref }
  }

  answer(request: FakeRequest): FakeAnswer {
    const { headers, path } = request
    if (path === "/trial/link") return this.pageAnswer(request)
    if (headers["plaid-client-id"] !== clientId || headers["plaid-secret"] !== secret) {
      return problem({ code: "INVALID_API_KEYS" })
    }
    if (headers["plaid-version"] !== "2020-09-14") return problem({ code: "INCOMPATIBLE_API_VERSION" })
    if (request.method !== "POST") return problem({ code: "NOT_FOUND", status: 404 })
    const body = jsonOf(request.body)
    return this.openAnswer(path, body) ?? this.itemAnswer(path, body) ?? problem({ code: "NOT_FOUND", status: 404 })
  }

  /** The page on which a person signs in where there is no widget, and where it leads to. */
  private pageAnswer({ body, method, query }: FakeRequest): FakeAnswer {
    const fields = method === "POST" ? new URLSearchParams(body) : query
    const link = this.linkTokens.get(fields.get("token") ?? "")
    if (link === undefined || link.expiresAt <= this.time.now())
      return trialPage("This link is not valid any more.", "")
    const chosen = fields.get("institution")
    if (method !== "POST" || chosen === null) {
      const offered = link.item === undefined ? this.institutions : [link.item.institution]
      const text = "Choose a bank. Nobody asks for a password: every bank and every amount here is invented."
      return trialChoice(text, { token: link.token }, "institution", offered)
    }
    if (chosen === "") link.sessions.push({})
    else if (link.item === undefined) this.signInTo(link, { institutionId: chosen })
    else this.mend(link.item.ref)
    if (link.item !== undefined && chosen !== "")
      link.sessions.push({ publicToken: `public-sandbox-update-${++this.count}` })
    return link.redirectUri === undefined
      ? trialPage("You can close this window.", "")
      : { status: 303, headers: { location: link.redirectUri }, body: "", contentType: "text/plain" }
  }

  private openAnswer(path: string, body: Body): FakeAnswer | undefined {
    switch (path) {
      case "/institutions/get":
      case "/institutions/search":
        return this.institutionsAnswer(body)
      case "/institutions/get_by_id": {
        const found = this.institutions.find(({ id }) => id === body["institution_id"])
        return found === undefined
          ? problem({ code: "INVALID_INSTITUTION" })
          : ok({ institution: institutionWire(found, true) })
      }
      case "/link/token/create":
        return this.linkAnswer(body)
      case "/link/token/get": {
        const link = this.linkTokens.get(String(body["link_token"]))
        return link === undefined
          ? problem({ code: "INVALID_LINK_TOKEN" })
          : ok({ link_token: link.token, link_sessions: link.sessions.map((session) => this.sessionWire(session)) })
      }
      case "/item/public_token/exchange":
        return this.exchangeAnswer(body)
      case "/sandbox/public_token/create": {
        const link = this.createLink({ products: body["initial_products"] })
        const institutionId = String(body["institution_id"])
        return ok({ public_token: this.signInTo(link, { institutionId }).publicToken })
      }
      case "/webhook_verification_key/get": {
        const key = this.signing.keyWire(body["key_id"])
        return key === undefined ? problem({ code: "INVALID_WEBHOOK_VERIFICATION_KEY_ID" }) : ok({ key })
      }
      default:
        return undefined
    }
  }

  private sessionWire({ publicToken }: LinkSession) {
    const results = publicToken === undefined ? [] : [{ public_token: publicToken, accounts: [], institution: {} }]
    return {
      link_session_id: "356dbb28-7f98-44d1-8e6d-0cec580f3171",
      finished_at: Timestamp.fromMillis(this.time.now()),
      on_success: null,
      results: { item_add_results: results },
      exit: publicToken === undefined ? { error: null, metadata: null } : null
    }
  }

  private institutionsAnswer(body: Body): FakeAnswer {
    const query = String(body["query"] ?? "").toLowerCase()
    const countries = body["country_codes"]
    if (!Array.isArray(countries)) return problem({ code: "MISSING_FIELDS" })
    const found = this.institutions.filter(
      ({ countryCode, name }) => countries.includes(countryCode) && name.toLowerCase().includes(query)
    )
    const most = typeof body["count"] === "number" ? body["count"] : 10
    return ok({ institutions: found.slice(0, most).map((one) => institutionWire(one, false)), total: found.length })
  }

  private linkAnswer(body: Body): FakeAnswer {
    const user = body["user"] as { readonly client_user_id?: unknown } | undefined
    const isUpdate = typeof body["access_token"] === "string"
    const hasProducts = Array.isArray(body["products"]) && body["products"].length > 0
    if (
      typeof user?.client_user_id !== "string" ||
      typeof body["client_name"] !== "string" ||
      isUpdate === hasProducts
    ) {
      return problem({ code: "MISSING_FIELDS" })
    }
    const link = this.createLink(body)
    if (isUpdate && link.item?.isRevoked !== false) return problem({ code: "INVALID_ACCESS_TOKEN" })
    return ok({
      link_token: link.token,
      expiration: Timestamp.fromMillis(link.expiresAt),
      ...(body["hosted_link"] === undefined ? {} : { hosted_link_url: `${this.url}/trial/link?token=${link.token}` })
    })
  }

  private exchangeAnswer(body: Body): FakeAnswer {
    const found = this.publicTokens.get(String(body["public_token"]))
    if (found === undefined || found.used || found.expiresAt <= this.time.now()) {
      return problem({ code: "INVALID_PUBLIC_TOKEN" })
    }
    found.used = true
    found.item.isExchanged = true
    return ok({ access_token: found.item.accessToken, item_id: found.item.ref })
  }

  private itemAnswer(path: string, body: Body): FakeAnswer | undefined {
    const item = this.items.find(({ accessToken, isExchanged }) => isExchanged && accessToken === body["access_token"])
    if (item === undefined) return problem({ code: "INVALID_ACCESS_TOKEN" })
    const refusal = path === "/item/get" || path === "/item/remove" ? item.refusal : item.dataRefusal
    if (refusal !== undefined) return refusal
    const accounts = item.accounts
    const most = Math.min(this.options.pageSize ?? 500, 500)
    switch (path) {
      case "/item/get":
        return ok({ item: item.itemWire, status: item.statusWire })
      case "/item/remove":
        item.isRevoked = true
        return ok({})
      case "/accounts/get":
      case "/accounts/balance/get":
        return ok({ accounts: item.accountsWire(), item: item.itemWire })
      case "/transactions/sync": {
        const count = typeof body["count"] === "number" ? body["count"] : 100
        return count < 1 || count > 500 ? problem({ code: "INVALID_FIELD" }) : item.sync(body, Math.min(count, most))
      }
      case "/transactions/refresh":
      case "/investments/refresh":
        this.refreshes.push(`${path} ${item.ref}`)
        return ok({})
      case "/investments/holdings/get":
      case "/investments/transactions/get":
        return path.includes("holdings") ? this.holdingsAnswer(item) : this.tradesAnswer(item, body, most)
      case "/liabilities/get": {
        const owing = accounts.filter((account) => account.supports.includes("loans"))
        return owing.length === 0
          ? problem({ code: "NO_LIABILITY_ACCOUNTS" })
          : ok({
              accounts: item.accountsWire(owing),
              item: item.itemWire,
              liabilities: liabilitiesWire(item.ledger, owing, item.idOf)
            })
      }
      default:
        return undefined
    }
  }

  private holdingsAnswer(item: PlaidItem): FakeAnswer {
    const accounts = item.accounts.filter(({ supports }) => supports.includes("holdings"))
    if (accounts.length === 0) return problem({ code: "NO_INVESTMENT_ACCOUNTS" })
    const holdings = accounts.flatMap(({ key }) => item.ledger.holdings.get(key) ?? [])
    return ok({
      accounts: item.accountsWire(accounts),
      holdings: holdings.map((holding) => holdingWire(item.ledger, holding, item.idOf)),
      securities: holdings.map(({ security }) => securityWire(security)),
      item: item.itemWire
    })
  }

  private tradesAnswer(item: PlaidItem, body: Body, most: number): FakeAnswer {
    const accounts = item.accounts.filter(({ supports }) => supports.includes("trades"))
    if (accounts.length === 0) return problem({ code: "NO_INVESTMENT_ACCOUNTS" })
    const [from, to] = [String(body["start_date"]), String(body["end_date"])]
    const { count = 100, offset = 0 } = (body["options"] ?? {}) as { readonly count?: number; readonly offset?: number }
    const trades = accounts
      .flatMap(({ key }) => item.ledger.tradesOf(key))
      .filter(({ date }) => date >= from && date <= to)
      .toSorted((a, b) => (a.date === b.date ? b.line - a.line : a.date < b.date ? 1 : -1))
    const page = trades.slice(offset, offset + Math.min(count, most))
    const securities = new Map(
      page.flatMap(({ security }) => (security === undefined ? [] : [[security.id, security]]))
    )
    return ok({
      accounts: item.accountsWire(accounts),
      investment_transactions: page.map((trade) => tradeWire(item.ledger, trade, item.idOf)),
      securities: [...securities.values()].map(securityWire),
      total_investment_transactions: trades.length,
      item: item.itemWire
    })
  }

  refuse(refusal: Refusal, request: FakeRequest): FakeAnswer {
    switch (refusal.kind) {
      case "rateLimited": {
        // Plaid names no time to wait.
        const name = request.path
          .slice(1)
          .replace(/\/get$/, "")
          .replaceAll("/", "_")
          .toUpperCase()
        return problem({ code: `${name}_LIMIT`, status: 429 })
      }
      case "unauthorized":
        return problem({ code: "INVALID_API_KEYS", status: 401 })
      case "forbidden":
        return problem({ code: "UNAUTHORIZED_ENVIRONMENT", status: 403 })
      case "serverError":
        return problem({ code: "INTERNAL_SERVER_ERROR", status: 500 })
      case "unavailable":
        return problem({ code: "PLANNED_MAINTENANCE", status: 503 })
      case "code":
        return problem({ code: refusal.code, ...(refusal.status === undefined ? {} : { status: refusal.status }) })
    }
  }
}

/** Starts a fake Plaid on this machine; it ends with the scope. */
export const startPlaid = Effect.fnUntraced(function* (options: PlaidFakeOptions = {}) {
  let fake: PlaidFake | undefined
  const server = yield* startFakeServer(
    ({ time, url }): FakeProtocol => {
      const made = (fake = new PlaidFake(url, time, options))
      return {
        about: (request) => ({ endpoint: request.path, ...made.about(request) }),
        answer: (request) => made.answer(request),
        refuse: (refusal, request) => made.refuse(refusal, request),
        enumKeys,
        limits
      }
    },
    options.port === undefined ? {} : { port: options.port }
  )
  if (fake === undefined) return yield* Effect.die("the protocol of the fake was not asked for")
  fake.server = server
  server.enforcesLimits = options.enforcesLimits ?? false
  return fake
})
