/** Which credential opened which session. A session ends after an hour without a message; a credential has at most 100. */

/** Milliseconds. */
const idle = 60 * 60_000
const mostOfOne = 100

interface Session {
  readonly credential: string
  lastUsed: number
}

export class McpSessions {
  private readonly sessions = new Map<string, Session>()

  /** Whether this credential opened the session and it is open still; being asked keeps it open. */
  readonly isOf = (id: string, credential: string, now: number): boolean => {
    const session = this.sessions.get(id)
    if (session === undefined || session.credential !== credential) return false
    if (now - session.lastUsed > idle) return false
    session.lastUsed = now
    return true
  }

  readonly open = (id: string, credential: string, now: number): void => {
    this.sessions.set(id, { credential, lastUsed: now })
  }

  readonly end = (id: string): void => {
    this.sessions.delete(id)
  }

  /** The sessions that have to end before this credential opens another: idle ones of anybody, and its oldest. */
  readonly ending = (credential: string, now: number): ReadonlyArray<string> => {
    const idleOnes = [...this.sessions].filter(([, { lastUsed }]) => now - lastUsed > idle).map(([id]) => id)
    const own = [...this.sessions]
      .filter(([id, session]) => session.credential === credential && !idleOnes.includes(id))
      .toSorted(([, one], [, other]) => one.lastUsed - other.lastUsed)
      .map(([id]) => id)
    return [...idleOnes, ...own.slice(0, Math.max(0, own.length - mostOfOne + 1))]
  }
}
