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
  /** Upstream ids of rows that were shown but could not be read: they are there, so they are not missing. */
  readonly unread: ReadonlySet<string>
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

/** Whether an id that is known says by itself which record it is. */
export const trusted = (trust: IdTrust): boolean => trust === "stable" || trust === "perStatus" || trust === "session"

/** Ids that stand for more than one row, of a read or of what we hold, say nothing about identity. */
const repeatedIds = (...lists: ReadonlyArray<Iterable<{ readonly providerId: string }>>): ReadonlySet<string> => {
  const repeated = new Set<string>()
  for (const rows of lists) {
    const seen = new Set<string>()
    for (const { providerId } of rows) {
      if (providerId === "") continue
      if (seen.has(providerId)) repeated.add(providerId)
      else seen.add(providerId)
    }
  }
  return repeated
}

const isUnread = ({ unread }: IdentityInput, { providerId }: IndexEntry): boolean =>
  providerId !== "" && unread.has(providerId)

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

/** An id that is renumbered from read to read is not worth a new version; one that came out of a file is. */
const isSame = (observation: Observation, entry: IndexEntry, idsCount: boolean): boolean =>
  entry.state === "live" &&
  entry.hash === observation.hash &&
  entry.pending === observation.pending &&
  (entry.providerId === observation.providerId || (!idsCount && !entry.providerId.startsWith(fileIdPrefix)))

/** The record of an id: a live one wins over its own tombstone, an older one over a younger. */
const ownersOf = (held: ReadonlyArray<IndexEntry>): ReadonlyMap<string, IndexEntry> => {
  const owners = new Map<string, IndexEntry>()
  for (const entry of held) {
    if (entry.providerId === "") continue
    const other = owners.get(entry.providerId)
    if (other === undefined || isBefore(entry, other)) owners.set(entry.providerId, entry)
  }
  return owners
}

const isBefore = (a: IndexEntry, b: IndexEntry): boolean => (a.state === b.state ? a.id < b.id : a.state === "live")

/** Pure: the same input gives the same result, whatever the order of `held`. */
export const identify = (input: IdentityInput): IdentityResult => {
  const { held, observations } = input
  const idsCount = trusted(input.idTrust)
  const repeated = repeatedIds(
    observations,
    held.filter((entry) => entry.state === "live")
  )
  const owners = ownersOf(held)

  const taken = new Set<string>()
  const matches: Array<IndexEntry | undefined> = observations.map(() => undefined)
  const take = (at: number, entry: IndexEntry | undefined): boolean => {
    if (entry === undefined || taken.has(entry.id)) return false
    taken.add(entry.id)
    matches[at] = entry
    return true
  }

  /** Pending records whose settled form is another record already: their absence is explained. */
  const settledElsewhere = new Set<string>()
  if (idsCount) {
    for (let i = 0; i < observations.length; i++) {
      const { pendingProviderId, providerId } = observations[i]!
      if (pendingProviderId === "") continue
      // A link that comes late finds the settled row under its own id: that one goes on, or it would be doubled.
      if (owners.get(providerId)?.state === "live") settledElsewhere.add(pendingProviderId)
      else take(i, owners.get(pendingProviderId))
    }
    for (let i = 0; i < observations.length; i++) {
      if (matches[i] !== undefined) continue
      const { providerId } = observations[i]!
      if (providerId !== "" && !repeated.has(providerId)) take(i, owners.get(providerId))
    }
  }

  const open = matches.some((match) => match === undefined)
  if (open) {
    // Where ids count, rows that have none or share one are compared with rows of just that id: a trusted id
    // that we do not know is another event, however much it looks like one we hold. Ids that a reconnect
    // changes are no such news in a whole read, where every record is either shown or left over.
    const anyId = !idsCount || (input.idTrust === "session" && input.coverage.kind !== "delta")
    const twinKey = ({ hash, providerId }: { readonly hash: string; readonly providerId: string }) =>
      anyId ? hash : `${hash} ${providerId}`
    const twinsOf = new Map<string, Array<IndexEntry>>()
    for (const entry of held) {
      if (taken.has(entry.id)) continue
      const twins = twinsOf.get(twinKey(entry))
      if (twins === undefined) twinsOf.set(twinKey(entry), [entry])
      else twins.push(entry)
    }
    // Live before removed, then oldest first, so that the pairing does not depend on the order of `held`.
    for (const twins of twinsOf.values()) twins.sort((a, b) => (isBefore(a, b) ? -1 : 1))
    for (let i = 0; i < observations.length; i++) {
      if (matches[i] === undefined) take(i, twinsOf.get(twinKey(observations[i]!))?.shift())
    }
  }

  const changed: Array<Match> = []
  const seenAgain: Array<IndexEntry> = []
  let unchanged = 0
  for (let i = 0; i < observations.length; i++) {
    const observation = observations[i]!
    const entry = matches[i]
    if (entry !== undefined && isSame(observation, entry, idsCount)) {
      unchanged++
      if (entry.missed > 0) seenAgain.push(entry)
    } else changed.push({ observation, entry })
  }
  return { changed, unchanged, seenAgain, ...absences(input, taken, idsCount, settledElsewhere) }
}

const absences = (
  input: IdentityInput,
  taken: ReadonlySet<string>,
  idsCount: boolean,
  settledElsewhere: ReadonlySet<string>
): Pick<IdentityResult, "gone" | "missed" | "coverageSuspect"> => {
  const gone: Array<IndexEntry> = []
  const missed: Array<{ readonly entry: IndexEntry; readonly missed: number }> = []
  // Ids that say nothing cannot say what is gone either.
  const isGone = ({ pending, providerId }: IndexEntry): boolean =>
    idsCount && providerId !== "" && (input.removed.has(providerId) || (pending && settledElsewhere.has(providerId)))
  let covered = 0
  let vanishedPosted = 0
  for (const entry of input.held) {
    if (entry.state !== "live") continue
    const within = covers(input.coverage, entry)
    if (within && !entry.pending) covered++
    if (taken.has(entry.id)) continue
    if (isGone(entry)) gone.push(entry)
    else if (within && !isUnread(input, entry)) {
      if (!entry.pending) vanishedPosted++
      if (entry.missed + 1 >= input.removeAfter) gone.push(entry)
      else missed.push({ entry, missed: entry.missed + 1 })
    }
  }
  if (input.guarded && vanishedPosted > 3 && vanishedPosted * 20 > covered) {
    return {
      gone: gone.filter((entry) => entry.pending || isGone(entry)),
      missed: missed.filter(({ entry }) => entry.pending),
      coverageSuspect: true
    }
  }
  return { gone, missed, coverageSuspect: false }
}
