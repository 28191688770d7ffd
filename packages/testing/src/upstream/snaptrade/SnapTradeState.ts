/** What the fake SnapTrade holds: users and their secrets, portals, connections. */
import type { StandInOptions } from "../StandIn.ts"
import { createHash } from "node:crypto"
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import type { SignIn } from "../FakeUpstream.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount } from "../TrueRecord.ts"
import { snapTradeInstitutions, snapTradeLedger, type SnapTradeSize, uuidOf } from "./SnapTradeWorld.ts"

export interface FakeSnapTradeOptions extends StandInOptions {
  /** The key of one person, who needs no user. */
  readonly isPersonal?: boolean
}

export const snapTradeClientId = "MILLRACE-TEST"
export const consumerKey = "consumer-key-of-the-fake-snaptrade"

export interface Connected {
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

export interface Portal {
  readonly userId: string
  readonly expiresAt: number
  readonly broker?: string
  readonly reconnect?: string
  /** Where the person is sent back to. */
  readonly redirect?: string
}

/** The one user of a personal key. */
const keyOwner = "owner-of-the-key"
/** Seconds until a queued removal is done. */
export const removalSeconds = 30
export const portalSeconds = 300
/** Seconds by which clocks may differ. */
export const skew = 60

export const failure = (
  status: number,
  code: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {}
): FakeAnswer => ({
  status,
  headers: { "x-request-id": createHash("sha256").update(detail).digest("hex").slice(0, 32), ...headers },
  body: { detail, status_code: status, code }
})

export const notFound = failure(404, "1011", "The requested resource does not exist.")

export class SnapTradeState {
  /** Secrets of users; those that are being removed are there until they are gone. */
  readonly users = new Map<string, string>()
  /** Milliseconds from which on users that are removed are no longer known. */
  readonly removedUsers = new Map<string, number>()
  readonly portals = new Map<string, Portal>()
  readonly connected: Array<Connected> = []
  readonly ledgers = new Map<string, TrueLedger>()
  readonly now: () => number
  readonly pageRows: number
  readonly isPersonal: boolean
  readonly mark: string
  readonly size: SnapTradeSize
  /** The first day of each account that was ever known: that of a row which is gone counts on. */
  readonly firstDays = new Map<string, string>()
  private made = 0

  constructor(
    now: () => number,
    { days = 240, isPersonal = false, mark = "", pageRows = 1_000, rows = 24 }: FakeSnapTradeOptions
  ) {
    this.now = now
    this.pageRows = pageRows
    this.isPersonal = isPersonal
    this.mark = mark === "" ? "" : ` ${mark}`
    this.size = { rows, days }
    if (isPersonal) this.users.set(keyOwner, "")
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const institution = snapTradeInstitutions.find(({ id }) => id === institutionId) ?? snapTradeInstitutions[0]!
    const key = `${institution.id} ${person}`
    const known = this.ledgers.get(key)
    if (known !== undefined) return known
    const made = snapTradeLedger(institution, person, this.now, this.size)
    this.ledgers.set(key, made)
    return made
  }

  /** The first day of an account that is known, or was. */
  firstDay(account: string, shown: string | undefined): string | null {
    const known = this.firstDays.get(account)
    const first = known === undefined || (shown !== undefined && shown < known) ? shown : known
    if (first !== undefined) this.firstDays.set(account, first)
    return first ?? null
  }

  secretOf(userId: string): string {
    return createHash("sha256")
      .update(`secret of ${userId} ${++this.made}`)
      .digest("hex")
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

  hasUser(userId: string): boolean {
    return this.users.has(userId) && this.now() < (this.removedUsers.get(userId) ?? Infinity)
  }

  /** The user, with all connections, after some time. */
  removeUser(userId: string): void {
    const goneAt = Math.min(this.removedUsers.get(userId) ?? Infinity, this.now() + removalSeconds * 1000)
    this.removedUsers.set(userId, goneAt)
    for (const one of this.connected) {
      if (one.userId !== userId) continue
      one.isRevoked = true
      one.goneAt = Math.min(one.goneAt, goneAt)
    }
  }

  /** Whose request it is, by its query. */
  userOf({ query }: Pick<FakeRequest, "query">): string | undefined {
    if (this.isPersonal) return query.has("userId") ? undefined : keyOwner
    const userId = query.get("userId") ?? ""
    const secret = this.users.get(userId)
    return this.hasUser(userId) && secret !== undefined && secret !== "" && query.get("userSecret") === secret
      ? userId
      : undefined
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
