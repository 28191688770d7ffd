/**
 * Booked records that a change feed lists as removed after it has told them again under another id: the record that a
 * person may have written on goes on, and the copy becomes part of it.
 */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { isListed, isOfFile } from "./Coverage.ts"
import { settlementDays, type LateSettlement } from "./LateSettlement.ts"
import type { HeldDetail, MatchDetails, MatchInput } from "./Matching.ts"
import type { Pairing } from "./Pairing.ts"
import { compareIds } from "./RowOrder.ts"

const dayMillis = 86_400_000

const isBooked = (entry: IndexEntry): boolean => entry.state === "live" && !entry.pending && !isOfFile(entry)

/** Booked records that the read lists as removed, and booked ones of the same content that it does not list. */
export const retoldCandidates = (input: MatchInput, pairing: Pairing): ReadonlyArray<IndexEntry> => {
  if (input.dataType !== "transactions" || input.byIdOnly || input.keyed === true || input.removed.size === 0) return []
  const removed = input.held.filter((entry) => isBooked(entry) && isListed(input, entry) && !pairing.isTaken(entry))
  if (removed.length === 0) return []
  const contents = new Set(removed.map(({ hash }) => hash))
  const copies = input.held.filter(
    (entry) => isBooked(entry) && contents.has(entry.hash) && !isListed(input, entry) && entry.missed === 0
  )
  return copies.length === 0 ? [] : [...removed, ...copies]
}

export interface RetoldInput {
  readonly input: MatchInput
  readonly pairing: Pairing
  /** What `retoldCandidates` found. */
  readonly candidates: ReadonlyArray<IndexEntry>
  readonly detailOf: (entry: IndexEntry) => HeldDetail
  readonly isForbidden: MatchDetails["isForbidden"]
}

/**
 * Each removed record with the newest copy, rather with one that nobody wrote on: an equal payment may have stood next to
 * it before. A copy that comes back from an earlier removal counts as new. A copy is in one pair at most.
 */
export const retoldRows = ({
  candidates,
  detailOf,
  input,
  isForbidden,
  pairing
}: RetoldInput): ReadonlyArray<LateSettlement> => {
  const oldest = Timestamp.fromMillis(Timestamp.toMillis(input.now) - settlementDays * dayMillis)
  const rank = (entry: IndexEntry): string => {
    const { edited, updatedAt } = detailOf(entry)
    return `${edited ? 1 : 2} ${updatedAt} ${entry.id}`
  }
  const free = candidates.filter((entry) => !detailOf(entry).alone).toSorted(compareIds)
  const copies = free
    .filter((entry) => !isListed(input, entry) && detailOf(entry).updatedAt >= oldest)
    .toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1))
  const taken = new Set<IndexEntry>()
  return free.flatMap((entry): ReadonlyArray<LateSettlement> => {
    if (!isListed(input, entry) || pairing.isTaken(entry)) return []
    const { createdAt } = detailOf(entry)
    // What was there before it, or came with it, is no copy of it: of two equal payments the feed has removed this one.
    const isCopy = (one: IndexEntry) => one.hash === entry.hash && detailOf(one).updatedAt > createdAt
    const copy = copies.find((one) => !taken.has(one) && isCopy(one) && !isForbidden(entry.id, one))
    if (copy === undefined) return []
    taken.add(copy)
    const keep = detailOf(copy).edited ? ({ keep: detailOf(entry).edited ? "ask" : "booked" } as const) : {}
    return [{ entry, booked: copy, evidence: { tier: "equal" }, ...keep }]
  })
}
