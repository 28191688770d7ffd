/** Orders by which results do not depend on the order of what they are made from. */
import type { IndexEntry, RecordState } from "../../record/LedgerRecord.ts"
import type { Observation } from "../../record/Observation.ts"

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Rows that are equal by it are interchangeable. */
export const compareObservations = (a: Observation, b: Observation): number =>
  compare(a.date ?? "", b.date ?? "") ||
  compare(a.hash, b.hash) ||
  compare(a.providerId, b.providerId) ||
  compare(a.pendingProviderId, b.pendingProviderId)

const stateRank: Readonly<Record<RecordState, number>> = { live: 0, deleted: 1, removed: 2 }

/**
 * Whom an id or a content means first: a live record before a tombstone, one that a person deleted before one that
 * may come back, then the oldest.
 */
export const compareOwners = (a: IndexEntry, b: IndexEntry): number =>
  stateRank[a.state] - stateRank[b.state] || compare(a.id, b.id)

export const compareIds = (a: IndexEntry, b: IndexEntry): number => compare(a.id, b.id)
