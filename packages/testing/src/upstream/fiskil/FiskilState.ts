/** What the fake Fiskil holds: tokens, people, sessions, and consents that end. */
import type { SignIn } from "../FakeUpstream.ts"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution } from "../TrueRecord.ts"
import { fiskilIds, fiskilInstitutions, fiskilLedger, type FiskilHistory } from "./FiskilWorld.ts"

export interface EndUser {
  readonly id: string
  readonly name: string
  readonly email: string
  isRemoved: boolean
}

export interface AuthSession {
  readonly id: string
  readonly endUserId: string
  readonly institutionId?: string
  readonly expiresAt: number
  isUsed: boolean
}

export interface Consent {
  readonly consentId: string
  readonly arrangementId: string
  readonly endUserId: string
  readonly createdAt: number
  readonly expiresAt: number
  active: boolean
  reason: string | undefined
  readonly connected: Connected
}

/** A person at an institution, through all the consents that they gave for it. */
export interface Connected {
  readonly ref: string
  readonly endUserId: string
  readonly person: string
  readonly ledger: TrueLedger
  readonly consents: Array<Consent>
  isAway: boolean
  isCollecting: boolean
  isGone: boolean
  isRevoked: boolean
}

const tokenMillis = 900_000
const sessionMillis = 5 * 86_400_000
const consentMillis = 365 * 86_400_000

const marked = (one: TrueInstitution, mark: string): TrueInstitution => ({ ...one, name: `${one.name} ${mark}` })

export class FiskilState {
  readonly now: () => number
  readonly pageRows: number
  readonly history: FiskilHistory
  /** Removed ones too. */
  readonly endUsers: Array<EndUser> = []
  readonly sessions = new Map<string, AuthSession>()
  readonly connected: Array<Connected> = []
  readonly tokens = new Map<string, number>()
  private readonly ledgers = new Map<string, TrueLedger>()
  private made = 0

  readonly institutions: ReadonlyArray<TrueInstitution>

  constructor(now: () => number, pageRows: number, history: FiskilHistory, mark?: string) {
    this.institutions = mark === undefined ? fiskilInstitutions : fiskilInstitutions.map((one) => marked(one, mark))
    this.now = now
    this.pageRows = pageRows
    this.history = history
  }

  newToken(): string {
    const token = `jwt.${fiskilIds.uuid(`token ${++this.made}`)}`
    this.tokens.set(token, this.now() + tokenMillis)
    return token
  }

  isToken(token: string): boolean {
    return this.now() < (this.tokens.get(token) ?? 0)
  }

  /** Another person for every request, whatever the address. */
  newEndUser(name: string, email: string): EndUser {
    const endUser = { id: fiskilIds.endUser(++this.made), name, email, isRemoved: false }
    this.endUsers.push(endUser)
    return endUser
  }

  endUser(id: string): EndUser | undefined {
    return this.endUsers.find((one) => one.id === id && !one.isRemoved)
  }

  /** The person, with all that they consented to. */
  removeEndUser(endUser: EndUser): void {
    endUser.isRemoved = true
    for (const one of this.connected) {
      if (one.endUserId !== endUser.id) continue
      for (const consent of one.consents) this.end(consent, "Revoked")
      one.isRevoked = true
      one.isGone = true
    }
  }

  newSession(endUserId: string, institutionId: string | undefined): AuthSession {
    const session: AuthSession = {
      id: fiskilIds.uuid(`session ${++this.made}`),
      endUserId,
      ...(institutionId === undefined ? {} : { institutionId }),
      expiresAt: this.now() + sessionMillis,
      isUsed: false
    }
    this.sessions.set(session.id, session)
    return session
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const institution = this.institutions.find(({ id }) => id === institutionId) ?? this.institutions[0]!
    const key = `${institution.id} ${person}`
    const known = this.ledgers.get(key)
    if (known !== undefined) return known
    const ledger = fiskilLedger(institution, person, this.now, this.history)
    this.ledgers.set(key, ledger)
    return ledger
  }

  /** The person consents: what they consented to before for the same bank ends. */
  consent(endUserId: string, who: SignIn): Consent {
    const ledger = this.ledger(who)
    const { person = "ada" } = who
    const { id: institutionId } = ledger.institution
    let connected = this.connected.find((one) => one.endUserId === endUserId && one.ledger === ledger)
    if (connected === undefined) {
      const ref = `${endUserId}/${institutionId}/${fiskilIds.key(ledger)}`
      connected = {
        ref,
        endUserId,
        person,
        ledger,
        consents: [],
        isAway: false,
        isCollecting: false,
        isGone: false,
        isRevoked: false
      }
      this.connected.push(connected)
    }
    for (const before of connected.consents) this.end(before, "Revoked")
    connected.isGone = false
    connected.isRevoked = false
    const consent: Consent = {
      consentId: fiskilIds.uuid(`consent ${++this.made}`),
      arrangementId: fiskilIds.uuid(`arrangement ${this.made}`),
      endUserId,
      createdAt: this.now(),
      expiresAt: this.now() + consentMillis,
      active: true,
      reason: undefined,
      connected
    }
    connected.consents.push(consent)
    return consent
  }

  end(consent: Consent, reason: string): void {
    if (!consent.active) return
    consent.active = false
    consent.reason = reason
  }

  /** Consents of a person; those of a connection that is gone were forgotten. */
  consents(endUserId: string): ReadonlyArray<Consent> {
    return this.connected
      .filter((one) => one.endUserId === endUserId && !one.isGone)
      .flatMap(({ consents }) => consents)
  }

  /** Accounts of a person: what was read stays, also after the consent has ended. */
  accounts(endUserId: string): ReadonlyArray<{ readonly one: Connected; readonly account: TrueAccount }> {
    return this.connected
      .filter((one) => one.endUserId === endUserId && !one.isGone && !one.isCollecting)
      .flatMap((one) => one.ledger.listed.map((account) => ({ one, account })))
  }
}
