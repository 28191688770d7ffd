/** What the fake Salt Edge holds: customers, pages that were opened, connections with their consents. */
import type { StandInOptions } from "../StandIn.ts"
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto"
import { Timestamp } from "@millrace/core"
import type { FakeAnswer } from "../FakeRequest.ts"
import type { SignIn } from "../FakeUpstream.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import { saltEdgeId, saltEdgeInstitutions, saltEdgeLedger } from "./SaltEdgeWorld.ts"

export interface FakeSaltEdgeOptions extends StandInOptions {
  /** Every n-th posted row has a copy that is marked as one; none unless given. */
  readonly copies?: number
}

export const saltEdgeAppId = "app-of-the-tests"
export const secret = "secret-of-the-fake-salt-edge"

interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

let pairs: { readonly client: Pair; readonly upstream: Pair } | undefined
/** Made once in a process: the client's own, and that of the upstream. Short ones, since every request is signed. */
export const keys = () =>
  (pairs ??= {
    client: generateKeyPairSync("rsa", { modulusLength: 1024 }),
    upstream: generateKeyPairSync("rsa", { modulusLength: 1024 })
  })

/** An instant as Salt Edge writes it. */
export const second = (millis: number): string => `${Timestamp.fromMillis(millis).slice(0, 19)}Z`

export interface Connected {
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

export interface Session {
  readonly customerId: string
  readonly attemptId: string
  readonly scopes: ReadonlyArray<string>
  readonly expiresAt: number
  readonly provider?: string
  readonly reconnect?: string
  /** Where the person is sent back to. */
  readonly redirect?: string
}

export const sessionMillis = 3_600_000
const consentMillis = 90 * 86_400_000

export const failure = (
  status: number,
  errorClass: string,
  headers: Readonly<Record<string, string>> = {}
): FakeAnswer => ({
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

export const data = (body: unknown, nextId: string | null = null): FakeAnswer => ({
  status: 200,
  body: { data: body, meta: { next_id: nextId, next_page: nextId === null ? null : `/?from_id=${nextId}` } }
})

export class SaltEdgeState {
  /** The ids of customers by their identifiers. */
  readonly customers = new Map<string, string>()
  readonly removedCustomers = new Set<string>()
  readonly sessions = new Map<string, Session>()
  readonly connected: Array<Connected> = []
  readonly ledgers = new Map<string, TrueLedger>()
  readonly now: () => number
  readonly pageRows: number
  readonly copies: number
  readonly mark: string
  readonly size: { readonly rows: number; readonly days: number }
  private made = 0

  constructor(
    now: () => number,
    { copies = 0, days = 85, mark = "", pageRows = 1_000, rows = 26 }: FakeSaltEdgeOptions
  ) {
    this.now = now
    this.pageRows = pageRows
    this.copies = copies
    this.mark = mark === "" ? "" : ` ${mark}`
    this.size = { rows, days }
  }

  nextId(): string {
    return saltEdgeId(50_000_000 + ++this.made)
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const institution = saltEdgeInstitutions.find(({ id }) => id === institutionId) ?? saltEdgeInstitutions[0]!
    const key = `${institution.id} ${person}`
    const known = this.ledgers.get(key)
    if (known !== undefined) return known
    const ledger = saltEdgeLedger(institution, person, this.now, {
      ...this.size,
      offset: 1_000_000 * (this.ledgers.size + 1)
    })
    this.ledgers.set(key, ledger)
    return ledger
  }

  /** The customer, with all connections. */
  removeCustomer(customerId: string): void {
    this.removedCustomers.add(customerId)
    for (const one of this.connected) {
      if (one.customerId !== customerId) continue
      one.isRevoked = true
      one.isGone = true
    }
  }

  hasCustomer(id: string): boolean {
    return !this.removedCustomers.has(id) && [...this.customers.values()].includes(id)
  }

  /** The id of the customer of an identifier, where it is there. */
  customer(identifier: string): string | undefined {
    const id = this.customers.get(identifier)
    return id === undefined || this.removedCustomers.has(id) ? undefined : id
  }

  /** The person has signed in again. */
  mend(one: Connected): void {
    one.status = "active"
    one.failure = undefined
    one.consentEnds = this.now() + consentMillis
    if (!one.isRevoked) one.isGone = false
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
