/**
 * Which observation is which record that we hold.
 *
 * Matching is one-to-one: by the pending link, then by an upstream id where ids can be trusted, then by
 * equal content with multiplicity, so that two real twins stay two. What is left over is new; what a
 * complete read no longer shows is missing.
 */
import type { Coverage } from "../provider/Provider.ts"
import type { IdTrust } from "../provider/Capabilities.ts"
import type { IndexEntry } from "../record/LedgerRecord.ts"
import type { Observation } from "./Ingest.ts"

export interface IdentityInput {
  readonly observations: ReadonlyArray<Observation>
  readonly held: ReadonlyArray<IndexEntry>
  readonly idTrust: IdTrust
  readonly coverage: Coverage
  /** Upstream ids that the source says are gone. */
  readonly removed: ReadonlySet<string>
  /** Complete reads in a row without a record after which it counts as gone. */
  readonly removeAfter: number
  /** Do not believe a read in which many posted rows vanish at once. */
  readonly guarded: boolean
}

export interface Match {
  readonly observation: Observation
  /** `undefined`: a record we have not seen before. */
  readonly entry: IndexEntry | undefined
}

export interface IdentityResult {
  /** New records and records whose content, state or upstream id is another now. */
  readonly changed: ReadonlyArray<Match>
  readonly unchanged: number
  readonly gone: ReadonlyArray<IndexEntry>
  /** Not in this complete read, but not yet often enough to be gone; with their new count. */
  readonly missed: ReadonlyArray<{ readonly entry: IndexEntry; readonly missed: number }>
  /** Missed before, seen again. */
  readonly seenAgain: ReadonlyArray<IndexEntry>
  /** So many rows vanished at once that the read is not believed; nothing was removed. */
  readonly coverageSuspect: boolean
}

/** Begins the ids of rows that were read out of statement files. */
export const fileIdPrefix = "file:"

const trusted = (trust: IdTrust): boolean => trust === "stable" || trust === "perStatus" || trust === "session"

/** Ids that stand for more than one row of a read say nothing about identity. */
const repeatedIds = (observations: ReadonlyArray<Observation>): ReadonlySet<string> => {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { providerId } of observations) {
    if (providerId === "") continue
    if (seen.has(providerId)) repeated.add(providerId)
    else seen.add(providerId)
  }
  return repeated
}

const covers = (coverage: Coverage, entry: IndexEntry): boolean => {
  // A connection says nothing about rows that came out of files.
  if (entry.providerId.startsWith(fileIdPrefix)) return false
  switch (coverage.kind) {
    case "delta":
      return false
    case "full":
      return coverage.complete
    case "window":
      return coverage.complete && entry.date !== null && entry.date >= coverage.from && entry.date <= coverage.to
  }
}

const isSame = (observation: Observation, entry: IndexEntry): boolean =>
  entry.state === "live" &&
  entry.hash === observation.hash &&
  entry.pending === observation.pending &&
  entry.providerId === observation.providerId

/** Pure: the same input gives the same result, whatever the order of `held`. */
export const identify = (input: IdentityInput): IdentityResult => {
  const { held, observations } = input
  const repeated = repeatedIds(observations)
  const byProviderId = new Map<string, IndexEntry>()
  const byHash = new Map<string, Array<IndexEntry>>()
  for (const entry of held) {
    if (entry.providerId !== "") {
      const other = byProviderId.get(entry.providerId)
      // A live record of an id wins over its own tombstone.
      if (other === undefined || (other.state === "removed" && entry.state === "live")) {
        byProviderId.set(entry.providerId, entry)
      }
    }
  }

  const taken = new Set<string>()
  const matches: Array<IndexEntry | undefined> = observations.map(() => undefined)
  const take = (at: number, entry: IndexEntry | undefined): boolean => {
    if (entry === undefined || taken.has(entry.id)) return false
    taken.add(entry.id)
    matches[at] = entry
    return true
  }

  if (trusted(input.idTrust)) {
    for (let i = 0; i < observations.length; i++) {
      const { pendingProviderId } = observations[i]!
      if (pendingProviderId !== "") take(i, byProviderId.get(pendingProviderId))
    }
    for (let i = 0; i < observations.length; i++) {
      if (matches[i] !== undefined) continue
      const { providerId } = observations[i]!
      if (providerId !== "" && !repeated.has(providerId)) take(i, byProviderId.get(providerId))
    }
  }

  const open = matches.some((match) => match === undefined)
  if (open) {
    for (const entry of held) {
      if (taken.has(entry.id)) continue
      const twins = byHash.get(entry.hash)
      if (twins === undefined) byHash.set(entry.hash, [entry])
      else twins.push(entry)
    }
    // Live before removed, then oldest first, so that the pairing does not depend on the order of `held`.
    for (const twins of byHash.values()) {
      twins.sort((a, b) => (a.state === b.state ? (a.id < b.id ? -1 : 1) : a.state === "live" ? -1 : 1))
    }
    for (let i = 0; i < observations.length; i++) {
      if (matches[i] !== undefined) continue
      const observation = observations[i]!
      // A trusted id that we do not know is another event, however much it looks like one we hold.
      const idDecides = trusted(input.idTrust) && observation.providerId !== "" && !repeated.has(observation.providerId)
      if (idDecides) continue
      take(i, byHash.get(observation.hash)?.shift())
    }
  }

  const changed: Array<Match> = []
  const seenAgain: Array<IndexEntry> = []
  let unchanged = 0
  for (let i = 0; i < observations.length; i++) {
    const observation = observations[i]!
    const entry = matches[i]
    if (entry !== undefined && isSame(observation, entry)) {
      unchanged++
      if (entry.missed > 0) seenAgain.push(entry)
    } else changed.push({ observation, entry })
  }
  return { changed, unchanged, seenAgain, ...absences(input, taken) }
}

const absences = (
  input: IdentityInput,
  taken: ReadonlySet<string>
): Pick<IdentityResult, "gone" | "missed" | "coverageSuspect"> => {
  const gone: Array<IndexEntry> = []
  const missed: Array<{ readonly entry: IndexEntry; readonly missed: number }> = []
  let covered = 0
  let vanishedPosted = 0
  for (const entry of input.held) {
    if (entry.state !== "live") continue
    const within = covers(input.coverage, entry)
    if (within && !entry.pending) covered++
    if (taken.has(entry.id)) continue
    if (entry.providerId !== "" && input.removed.has(entry.providerId)) gone.push(entry)
    else if (within) {
      if (!entry.pending) vanishedPosted++
      if (entry.missed + 1 >= input.removeAfter) gone.push(entry)
      else missed.push({ entry, missed: entry.missed + 1 })
    }
  }
  if (input.guarded && vanishedPosted > 3 && vanishedPosted * 20 > covered) {
    return {
      gone: gone.filter((entry) => entry.pending || input.removed.has(entry.providerId)),
      missed: missed.filter(({ entry }) => entry.pending),
      coverageSuspect: true
    }
  }
  return { gone, missed, coverageSuspect: false }
}
