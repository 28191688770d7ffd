/** What the fake Quiltt holds: profiles with their sessions, and connections with their status. */
import { TrueLedger } from "../TrueLedger.ts"
import type { SignIn } from "../FakeUpstream.ts"
import type { TrueAccount, TrueInstitution } from "../TrueRecord.ts"
import { globalId, quilttInstitutions, quilttLedger, type QuilttHistory } from "./QuilttWorld.ts"

export interface Profile {
  readonly id: string
  readonly uuid: string
  /** What its maker wrote next to it. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** When it was asked to be removed. */
  removedAt: number | undefined
}

interface Session {
  readonly token: string
  readonly profileId: string
  readonly expiresAt: number
}

/** Milliseconds until a connection, or a profile, that is being taken apart is. */
const disconnecting = 30_000
const sessionMillis = 86_400_000

export class Connected {
  readonly ref: string
  readonly profileId: string
  readonly ledger: TrueLedger
  /** A status of trouble, while there is some. */
  broken: string | undefined
  isCollecting = false
  isGone = false
  /** When it was asked to be taken apart. */
  revokedAt: number | undefined
  private readonly now: () => number

  constructor(ref: string, profileId: string, ledger: TrueLedger, now: () => number) {
    this.ref = ref
    this.profileId = profileId
    this.ledger = ledger
    this.now = now
  }

  get isRevoked(): boolean {
    return this.revokedAt !== undefined
  }

  get status(): string {
    if (this.revokedAt !== undefined) {
      return this.now() >= this.revokedAt + disconnecting ? "DISCONNECTED" : "DISCONNECTING"
    }
    return this.broken ?? (this.isCollecting ? "INITIALIZING" : "SYNCED")
  }
}

/** Their names are what they are known by. */
const marked = ({ name, ...one }: TrueInstitution, mark: string): TrueInstitution => ({
  ...one,
  id: `${name} ${mark}`,
  name: `${name} ${mark}`
})

export class QuilttState {
  readonly now: () => number
  readonly pageRows: number
  readonly history: QuilttHistory
  readonly connected: Array<Connected> = []
  /** Removed ones too. */
  readonly profiles: Array<Profile> = []
  private readonly sessions = new Map<string, Session>()
  private readonly ledgers = new Map<string, TrueLedger>()
  private made = 0

  readonly institutions: ReadonlyArray<TrueInstitution>

  constructor(now: () => number, pageRows: number, history: QuilttHistory, mark?: string) {
    this.institutions = mark === undefined ? quilttInstitutions : quilttInstitutions.map((one) => marked(one, mark))
    this.now = now
    this.pageRows = pageRows
    this.history = history
  }

  /** By its id, or by the id that a client gave it. */
  profile(named: string): Profile | undefined {
    return this.profiles.find(
      ({ id, removedAt = Infinity, uuid }) => (named === id || named === uuid) && this.now() < removedAt + disconnecting
    )
  }

  newProfile(uuid: string | undefined, metadata: Profile["metadata"] = {}): Profile {
    const id = globalId("p", `profile ${++this.made}`)
    const profile = { id, uuid: uuid ?? `uuid of ${id}`, metadata, removedAt: undefined }
    this.profiles.push(profile)
    return profile
  }

  /** The profile, with all connections; it is there until that is done. */
  removeProfile(profile: Profile): void {
    profile.removedAt ??= this.now()
    for (const one of this.connected) if (one.profileId === profile.id) one.revokedAt ??= profile.removedAt
    for (const token of this.tokensOf(profile.id)) this.endSession(token)
  }

  newSession(profileId: string): Session {
    const token = `session.${globalId("t", `${profileId} ${++this.made}`)}`
    const session = { token, profileId, expiresAt: this.now() + sessionMillis }
    this.sessions.set(token, session)
    return session
  }

  /** Of a token that still opens something. */
  session(token: string): Session | undefined {
    const session = this.sessions.get(token)
    return session !== undefined && this.now() < session.expiresAt ? session : undefined
  }

  endSession(token: string): void {
    this.sessions.delete(token)
  }

  tokensOf(profileId: string): ReadonlyArray<string> {
    return [...this.sessions.values()].filter((session) => session.profileId === profileId).map(({ token }) => token)
  }

  ledger({ institutionId, person = "ada" }: SignIn = {}): TrueLedger {
    const institution = this.institutions.find(({ id }) => id === institutionId) ?? this.institutions[0]!
    const key = `${institution.id} ${person}`
    const known = this.ledgers.get(key)
    if (known !== undefined) return known
    const ledger = quilttLedger(institution, person, this.now, this.history)
    this.ledgers.set(key, ledger)
    return ledger
  }

  /** A new connection shows accounts and rows under ids of its own. */
  connect(profileId: string, who: SignIn): Connected {
    const ledger = this.ledger(who)
    const before = this.connected.filter((one) => one.ledger === ledger)
    const known = before.find((one) => one.profileId === profileId && !one.isRevoked && !one.isGone)
    if (known !== undefined) return known
    if (before.length > 0) ledger.renumber()
    const ref = globalId("conn", `connection ${++this.made}`)
    const one = new Connected(ref, profileId, ledger, this.now)
    this.connected.push(one)
    return one
  }

  /** The connection, where the profile has it. */
  connection(profileId: string, ref: string): Connected | undefined {
    return this.connected.find((one) => one.ref === ref && one.profileId === profileId && !one.isGone)
  }

  ofAccount(id: string): { readonly one: Connected; readonly account: TrueAccount } | undefined {
    for (const one of this.connected) {
      const account = one.isGone ? undefined : one.ledger.accountShownAs(id)
      if (account !== undefined) return { one, account }
    }
    return undefined
  }
}
