/**
 * A fake SimpleFIN Bridge: setup tokens that work once, access URLs, windows of at most 60 days, errors beside data, and
 * about 24 requests a day.
 */
import { createHash } from "node:crypto"
import type { ClientStep, Connection, ConnectPayload } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { type FakeProtocol, type FakeServer, startFakeServer } from "../FakeServer.ts"
import type { FakeTime } from "../FakeTime.ts"
import type { FakeConnection, FakeUpstream, RefusedPayload, SignIn } from "../FakeUpstream.ts"
import { accountNumber, fillAccount, fillPortfolio, householdAccount } from "../Household.ts"
import type { Breakage, Refusal } from "../Incident.ts"
import { trialForm, trialPage } from "../TrialPage.ts"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution, TrueRow } from "../TrueRecord.ts"

export interface SimpleFinFakeOptions {
  readonly seed?: number
  /** Ordinary rows of each account, and days that they are spread over. */
  readonly rows?: number
  readonly days?: number
  readonly port?: number
  readonly enforcesLimits?: boolean
  /** Written behind the name of every institution. */
  readonly mark?: string
}

const institution = (id: string, name: string): TrueInstitution => ({
  id,
  name,
  countryCode: "US",
  bankType: "bank",
  status: "ok",
  url: `https://${id}`
})

const institutions = [
  institution("platypus.example", "First Platypus Bank"),
  institution("gingham.example", "Gingham CU")
]

const templates = [
  householdAccount("checking", "checking", ["transactions"], { name: "Everyday Checking", opening: "1200.42" }),
  householdAccount("card", "credit_card", ["transactions"], { name: "Platinum Card", opening: "-310.15" }),
  householdAccount("broker", "brokerage", ["transactions", "holdings"], { name: "Brokerage", opening: "4000" })
]

const daySeconds = 86_400
const longestWindow = 60 * daySeconds
const fromBase64 = (text: string): string => Buffer.from(text, "base64").toString("utf8")
const toBase64 = (text: string): string => Buffer.from(text).toString("base64")

/** Noon of a day, as the Bridge has it. */
const noon = (date: string): number => Date.parse(`${date}T12:00:00Z`) / 1000

class Access implements FakeConnection {
  /** As the driver names it. */
  ref: string
  isRevoked = false
  broken: Breakage | undefined = undefined
  readonly username: string
  readonly password: string
  readonly ledger: TrueLedger

  constructor(n: number, url: string, ledger: TrueLedger) {
    this.username = `user${n}5A5A`
    this.password = `pass${n}word9C9C9C`
    const about = JSON.stringify([`${url}/simplefin`, this.username])
    this.ref = `sfin_${createHash("sha256").update(about).digest("hex").slice(0, 32)}`
    this.ledger = ledger
  }

  get institution() {
    return this.ledger.institution
  }

  get secrets() {
    return [this.password, this.username]
  }
}

export class SimpleFinFake implements FakeUpstream {
  readonly kind = "simplefin"
  readonly secrets: ReadonlyArray<string> = []
  readonly institutions: ReadonlyArray<TrueInstitution>
  readonly breakages: ReadonlyArray<Breakage> = ["consentExpired", "gone", "institutionDown"]
  /** Set when it was started. */
  server!: FakeServer
  readonly connections: Array<Access> = []
  private readonly time: FakeTime
  private readonly url: string
  private readonly options: SimpleFinFakeOptions
  private readonly ledgers = new Map<string, TrueLedger>()
  private readonly claims = new Map<string, { readonly access: Access; claimed: boolean }>()

  constructor(url: string, time: FakeTime, options: SimpleFinFakeOptions) {
    this.url = url
    this.time = time
    this.options = options
    const { mark } = options
    this.institutions =
      mark === undefined ? institutions : institutions.map((one) => ({ ...one, name: `${one.name} ${mark}` }))
  }

  get config() {
    return { bridgeUrl: this.url }
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const of = this.institutions.find(({ id }) => id === institutionId) ?? this.institutions[0]!
    const key = `${of.id} ${person}`
    const found = this.ledgers.get(key)
    if (found !== undefined) return found
    const { days = 80, rows = 30, seed = 1 } = this.options
    const ledger = new TrueLedger({
      institution: of,
      accounts: [],
      now: this.time.now,
      makeId: (kind, n) => (kind === "account" ? `ACT-${key.length}-${person}-${n}` : `TRN-${person}-${n}`)
    })
    for (const template of templates) {
      const number = accountNumber(seed + key.length, template.key)
      ledger.openAccount({ ...template, name: `${template.name} (${number.slice(-4)})`, number })
      const filling = { days, rows, seed: seed + template.key.length }
      if (template.key === "broker") {
        fillPortfolio(ledger, template.key, filling)
        // Trades are not shown: what they did to the cash is in the opening balance.
        ledger.trades.clear()
      } else fillAccount(ledger, template.key, filling)
    }
    this.ledgers.set(key, ledger)
    return ledger
  }

  private makeToken(who: SignIn, replaced?: Access): string {
    const ledger = replaced?.ledger ?? this.ledger(who)
    const access = new Access(this.claims.size + 1, this.url, ledger)
    // A connection keeps its name when a new access takes the place of the old one.
    if (replaced !== undefined) {
      access.ref = replaced.ref
      replaced.ref = `${replaced.ref} before`
    }
    const path = `/simplefin/claim/claim${this.claims.size + 1}DEMO`
    this.claims.set(path, { access, claimed: false })
    return toBase64(`${this.url}${path}`)
  }

  paste(who: SignIn = {}): ConnectPayload {
    return { kind: "provider_connection_id", connectionId: this.makeToken(who) }
  }

  signIn(_: ClientStep, who: SignIn = {}): ConnectPayload {
    return this.paste(who)
  }

  unknown({ secrets }: Connection): Connection {
    return { ref: "nobody", secrets: { ...secrets, username: "nobody" } }
  }

  refused(_: ClientStep | undefined, how: RefusedPayload): ConnectPayload | undefined {
    switch (how) {
      case "unknown":
        return { kind: "provider_connection_id", connectionId: toBase64(`${this.url}/simplefin/claim/nobody`) }
      case "malformed":
        return { kind: "provider_connection_id", connectionId: "this is no token" }
      case "otherKind":
        return { kind: "plaid_public_token", publicToken: "public-x" }
      case "foreign":
        // Anyone who has a token may claim it.
        return undefined
    }
  }

  private accessOf(ref: string): Access {
    const found = this.connections.find((access) => access.ref === ref)
    if (found === undefined) throw new RangeError(`there is no access ${ref}`)
    return found
  }

  repair(_: ClientStep, connectionRef: string): ConnectPayload {
    const old = this.accessOf(connectionRef)
    old.broken = "gone"
    return { kind: "provider_connection_id", connectionId: this.makeToken({}, old) }
  }

  break(connectionRef: string, how: Breakage): void {
    this.accessOf(connectionRef).broken = how
  }

  mend(connectionRef: string): void {
    this.accessOf(connectionRef).broken = undefined
  }

  accessIn(headers: Readonly<Record<string, string>>): Access | undefined {
    const [username, password] = fromBase64((headers["authorization"] ?? "").replace(/^Basic /, "")).split(":")
    return this.connections.find((access) => access.username === username && access.password === password)
  }

  answer({ headers, method, path, query }: FakeRequest): FakeAnswer {
    const claim = this.claims.get(path)
    if (path === "/simplefin/create") return this.createAnswer(method)
    if (path.startsWith("/simplefin/claim/") && method === "POST") {
      if (claim === undefined || claim.claimed) return { status: 403, body: "Forbidden", contentType: "text/plain" }
      claim.claimed = true
      this.connections.push(claim.access)
      const { password, username } = claim.access
      const url = this.url.replace("://", `://${username}:${password}@`)
      return { status: 200, body: `${url}/simplefin`, contentType: "text/plain" }
    }
    if (path !== "/simplefin/accounts" || method !== "GET")
      return { status: 404, body: "Not found", contentType: "text/plain" }
    const access = this.accessIn(headers)
    if (access === undefined || access.broken === "gone")
      return { status: 403, body: { errors: ["Forbidden"], accounts: [] } }
    if (access.broken === "consentExpired") return { status: 402, body: { errors: ["Payment required"], accounts: [] } }
    return this.accountsAnswer(access, query)
  }

  /** The page on which a person makes a setup token. */
  private createAnswer(method: string): FakeAnswer {
    return method === "POST"
      ? trialPage(
          "Copy this setup token and paste it where you came from. It works once.",
          `<p><code>${this.makeToken({})}</code></p>`
        )
      : trialPage(
          "Here a person makes a setup token. Nobody asks for a password: every bank and every amount is invented.",
          trialForm({}, "Make a setup token")
        )
  }

  private accountsAnswer({ broken, ledger }: Access, query: URLSearchParams): FakeAnswer {
    const errors: Array<string> = []
    const now = Math.floor(this.time.now() / 1000)
    let from = Number(query.get("start-date") ?? now - 30 * daySeconds)
    const before = Number(query.get("end-date") ?? now + daySeconds)
    if (before - from > longestWindow) {
      from = before - longestWindow
      errors.push("Requested date range exceeds 60 days, and was cut")
    }
    const isDown = broken === "institutionDown"
    if (isDown)
      errors.push(`Connection to ${ledger.institution.name} may need attention: <a href="https://x">sign in</a>`)
    const withRows = query.get("balances-only") !== "1"
    const shows = (row: TrueRow) =>
      row.pending ? query.has("pending") : noon(row.date) >= from && noon(row.date) < before
    return {
      status: 200,
      body: {
        errors,
        accounts: ledger.listed.map((account) => ({
          org: { domain: ledger.institution.id, name: ledger.institution.name, "sfin-url": `${this.url}/simplefin` },
          ...this.accountWire(ledger, account),
          transactions:
            withRows && !isDown
              ? ledger
                  .shown(account.key)
                  .filter(shows)
                  .map((row) => this.rowWire(row))
              : [],
          ...(account.supports.includes("holdings") ? { holdings: this.holdingsWire(ledger, account) } : {})
        }))
      }
    }
  }

  private accountWire(ledger: TrueLedger, account: TrueAccount) {
    return {
      id: account.id,
      name: account.name,
      currency: account.currency.startsWith("x:")
        ? `https://money.example/${account.currency.slice(2)}`
        : account.currency,
      balance: ledger.balance(account.key),
      "available-balance": ledger.available(account.key),
      "balance-date": Math.floor(this.time.now() / 1000)
    }
  }

  private rowWire(row: TrueRow) {
    const moved = row.pending ? row.date : row.authorizedDate
    return {
      id: row.id,
      posted: row.pending ? 0 : noon(row.date),
      ...(moved === undefined ? {} : { transacted_at: noon(moved) }),
      ...(row.pending ? { pending: true } : {}),
      amount: row.amount,
      description: row.description,
      ...(row.merchant === undefined ? {} : { payee: row.merchant }),
      memo: ""
    }
  }

  private holdingsWire(ledger: TrueLedger, account: TrueAccount) {
    return (ledger.holdings.get(account.key) ?? []).map(({ cost, price, quantity, security, value }) => ({
      id: `HOL-${security.id}`,
      created: 0,
      currency: "",
      cost_basis: cost ?? "0",
      description: security.name,
      market_value: value,
      purchase_price: price,
      shares: quantity,
      symbol: security.ticker ?? ""
    }))
  }

  refuse(refusal: Refusal): FakeAnswer {
    switch (refusal.kind) {
      case "rateLimited":
        return { status: 429, headers: { "retry-after": String(refusal.retryAfter) }, body: { errors: ["Slow down"] } }
      case "unauthorized":
        return { status: 401, body: "Unauthorized", contentType: "text/plain" }
      case "forbidden":
        return { status: 403, body: "Forbidden", contentType: "text/plain" }
      case "serverError":
        return { status: 500, body: "Oops", contentType: "text/plain" }
      case "unavailable":
        return { status: 503, body: "Busy", contentType: "text/plain" }
      case "code":
        return { status: refusal.status ?? 400, body: { errors: [refusal.code], accounts: [] } }
    }
  }
}

/** Starts a fake SimpleFIN Bridge on this machine; it ends with the scope. */
export const startSimpleFin = Effect.fnUntraced(function* (options: SimpleFinFakeOptions = {}) {
  let fake: SimpleFinFake | undefined
  const server = yield* startFakeServer(
    ({ time, url }): FakeProtocol => {
      const made = (fake = new SimpleFinFake(url, time, options))
      return {
        about: ({ headers, path }) => {
          const access = made.accessIn(headers)
          return { endpoint: path, ...(access === undefined ? {} : { connectionRef: access.username }) }
        },
        answer: (request) => made.answer(request),
        refuse: (refusal) => made.refuse(refusal),
        enumKeys: new Set(),
        limits: [{ name: "day", requests: 24, seconds: daySeconds, per: "connection" }]
      }
    },
    options.port === undefined ? {} : { port: options.port }
  )
  if (fake === undefined) return yield* Effect.die("the protocol of the fake was not asked for")
  fake.server = server
  server.enforcesLimits = options.enforcesLimits ?? false
  return fake
})
