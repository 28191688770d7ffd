/**
 * The usual way of matching, to compare with: a row is its upstream id, or its content and number where ids say
 * nothing; what a complete read lacks or the source lists as gone is removed at once.
 */
import { covers, isOfFile, trusted } from "../../../core/src/identity/match/Coverage.ts"
import type { Match, MatchInput, MatchResult } from "../../../core/src/identity/match/Matching.ts"
import type { IndexEntry } from "@millrace/core/record"

const keysOf = (
  rows: ReadonlyArray<{ readonly providerId: string; readonly hash: string }>,
  byId: boolean
): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  return rows.map(({ hash, providerId }) => {
    if (byId && providerId !== "") return `id ${providerId}`
    const nth = (seen.get(hash) ?? 0) + 1
    seen.set(hash, nth)
    return `content ${hash} ${nth}`
  })
}

export const upsertById = ({ coverage, held, idTrust, observations, removed }: MatchInput): MatchResult => {
  const byId = trusted(idTrust)
  const entries = held.toSorted((a, b) => (a.state === b.state ? (a.id < b.id ? -1 : 1) : a.state === "live" ? -1 : 1))
  const known = new Map<string, IndexEntry>()
  for (const [at, key] of keysOf(entries, byId).entries()) if (!known.has(key)) known.set(key, entries[at]!)
  const changed: Array<Match> = []
  const absorbed: Array<Match> = []
  const shown = new Set<string>()
  for (const [at, key] of keysOf(observations, byId).entries()) {
    const observation = observations[at]!
    const entry = known.get(key)
    if (entry !== undefined) shown.add(entry.id)
    if (entry?.state === "deleted") absorbed.push({ observation, entry })
    else if (entry === undefined || entry.state !== "live" || entry.hash !== observation.hash) {
      changed.push({ observation, entry })
    }
  }
  const gone = held.filter(
    (entry) =>
      entry.state === "live" &&
      !shown.has(entry.id) &&
      !isOfFile(entry) &&
      (covers({ coverage }, entry) || (byId && removed.has(entry.providerId)))
  )
  return {
    changed,
    unchanged: observations.length - changed.length,
    gone,
    missed: [],
    seenAgain: [],
    absorbed,
    confirmed: [],
    paired: [],
    suggestions: [],
    joined: [],
    learnt: [],
    idMatches: 0,
    idContradictions: 0,
    shownFrom: undefined,
    coverageSuspect: false
  }
}
