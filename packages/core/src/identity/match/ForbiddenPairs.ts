/** Pairs that a person has separated, and that are never matched again. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { Observation } from "../../record/Observation.ts"
import type { IdentityFact, ObservationKey } from "./IdentityFact.ts"
import type { MatchDetails } from "./Matching.ts"

/**
 * By what the other record of a pair was known when they were parted, and by what it is known now: an
 * observation with one of its ids, or with just its content, is its own. Ids that are renumbered say nothing, nor does the
 * content of two equal payments.
 */
export const forbiddenPairs = (
  facts: ReadonlyArray<IdentityFact>,
  held: ReadonlyArray<IndexEntry>,
  idsCount: boolean
): MatchDetails["isForbidden"] => {
  const others = new Map<string, Array<ObservationKey>>()
  const add = (recordId: string, found: ObservationKey | undefined, own: ObservationKey | undefined): void => {
    if (found === undefined) return
    // Of two equal payments the content says nothing.
    const key = found.hash === own?.hash ? { ...found, hash: "" } : found
    if (key.hash === "" && (key.providerId === "" || key.providerId === own?.providerId)) return
    const keys = others.get(recordId)
    if (keys === undefined) others.set(recordId, [key])
    else keys.push(key)
  }
  const pairs = facts.filter((fact) => fact.kind === "forbid")
  if (pairs.length === 0) return () => false
  const now = new Map(held.map((entry) => [entry.id, entry]))
  for (const { key, otherId, otherKey, recordId } of pairs) {
    if (otherId === undefined) continue
    add(recordId, otherKey, key)
    add(recordId, now.get(otherId), now.get(recordId))
    add(otherId, key, otherKey)
    add(otherId, now.get(recordId), now.get(otherId))
  }
  return (recordId, { hash, providerId }) =>
    (others.get(recordId) ?? []).some(
      (key) => key.hash === hash || (idsCount && providerId !== "" && key.providerId === providerId)
    )
}

/** The row as it is, but for its link. */
const unlinked = (row: Observation): Observation => ({
  providerId: row.providerId,
  pendingProviderId: "",
  pending: row.pending,
  date: row.date,
  hash: row.hash,
  fields: row.fields
})

/** The same read without links between what a person parted: the source says it, but somebody knows better. */
export const withoutForbiddenLinks = (
  observations: ReadonlyArray<Observation>,
  held: ReadonlyArray<IndexEntry>,
  aliases: ReadonlyMap<string, string>,
  isForbidden: MatchDetails["isForbidden"]
): ReadonlyArray<Observation> => {
  const owners = new Map(held.map((entry) => [entry.providerId, entry.id]))
  return observations.map((observation) => {
    const { pendingProviderId } = observation
    if (pendingProviderId === "") return observation
    const owner = owners.get(pendingProviderId) ?? aliases.get(pendingProviderId)
    return owner !== undefined && isForbidden(owner, observation) ? unlinked(observation) : observation
  })
}
