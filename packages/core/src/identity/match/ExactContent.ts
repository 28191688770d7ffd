/**
 * Matches rows of exactly the same content within one source, as many as there are: two equal payments stay two. Rows of
 * files are paired by `ReadingPairs.ts`.
 */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import { covers, isListed, isOfFile, isUnread, trusted } from "./Coverage.ts"
import type { MatchInput } from "./Matching.ts"
import type { Pairing } from "./Pairing.ts"
import { compareObservations, compareOwners } from "./RowOrder.ts"

/**
 * Whether equal content is enough, whatever the ids. A trusted id that is not known is another event, however much it
 * looks like one we hold, unless the read says that one is gone: by listing it as removed, or by showing everything else
 * that is there. Then it is the same event under a new id. Ids that a reconnect changes are no such news in any read of
 * all there is.
 */
const anyId = (input: MatchInput, entry: IndexEntry): boolean => {
  if (!trusted(input.idTrust)) return true
  if (input.idTrust === "session" && input.coverage.kind !== "delta") return true
  return !input.byIdOnly && input.keyed !== true && (covers(input, entry) || isListed(input, entry))
}

const pairById = (
  { observations }: MatchInput,
  pairing: Pairing,
  rows: ReadonlyArray<number>,
  entries: ReadonlyArray<IndexEntry>
): void => {
  const byId = new Map<string, Array<IndexEntry>>()
  for (const entry of entries.toReversed()) {
    const list = byId.get(entry.providerId)
    if (list === undefined) byId.set(entry.providerId, [entry])
    else list.push(entry)
  }
  for (const at of rows) pairing.take(at, byId.get(observations[at]!.providerId)?.pop(), { tier: "equal" })
}

/** Pairs open observations with free records of the same content: live before removed, then oldest first. */
export const pairExactContent = (input: MatchInput, pairing: Pairing): void => {
  const { held, observations } = input
  const open = pairing.open.filter((at) => !isOfFile(observations[at]!))
  if (open.length === 0 || held.length === 0) return
  const byHash = new Map<string, Array<number>>()
  for (const at of open) {
    const { hash } = observations[at]!
    const list = byHash.get(hash)
    if (list === undefined) byHash.set(hash, [at])
    else list.push(at)
  }
  const records = new Map<string, Array<IndexEntry>>()
  for (const entry of held) {
    if (isOfFile(entry) || !byHash.has(entry.hash) || pairing.isTaken(entry) || isUnread(input, entry)) continue
    const list = records.get(entry.hash)
    if (list === undefined) records.set(entry.hash, [entry])
    else list.push(entry)
  }
  for (const [hash, entries] of records) {
    const rows = byHash.get(hash)!
    if (rows.length > 1) rows.sort((a, b) => compareObservations(observations[a]!, observations[b]!))
    if (entries.length > 1) entries.sort(compareOwners)
    if (trusted(input.idTrust)) pairById(input, pairing, rows, entries)
    const free = entries.filter((entry) => !pairing.isTaken(entry) && anyId(input, entry))
    let next = 0
    for (const at of rows) {
      if (next < free.length && pairing.take(at, free[next], { tier: "equal" })) next++
    }
  }
}
