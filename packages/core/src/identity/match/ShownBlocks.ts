/** Digests of what a read shows of each block of days. */
import type { Observation } from "../../record/Observation.ts"
import { limits } from "../../shared/Limits.ts"
import { BlockDigests, unsettled } from "./BlockDigests.ts"
import { matchedText } from "./ShownRows.ts"

/** A row without an id of its own is distinguished by others, and one that is linked to another may take its place. */
const canSettle = ({ date, pendingProviderId, providerId }: Observation): boolean =>
  date !== null && providerId !== "" && pendingProviderId === ""

const isSettled = (digests: BlockDigests, block: number): boolean => {
  const digest = digests.get(block)
  return digest !== undefined && digest !== unsettled
}

/** Where rows of another block follow. */
const endOfRun = (blockAt: Int32Array, from: number): number => {
  const block = blockAt[from]
  let at = from + 1
  while (at < blockAt.length && blockAt[at] === block) at++
  return at
}

export interface ShownBlocks {
  /** Of all blocks with anything shown; `unsettled` of those that cannot be settled. */
  readonly digests: BlockDigests
  /** Whether there are any that cannot be settled. */
  readonly hasOpen: boolean
}

/** What an earlier read has settled, and the blocks where this one may show anything else: all of them, where `undefined`. */
export interface KnownBlocks {
  readonly settled: BlockDigests
  readonly apart: ReadonlySet<number> | undefined
}

/** So many rows that will be asked for are kept at hand, at most. */
const mostKept = limits.stagedInMemory

/** What is seen of a block before all of it is. */
interface Begun {
  text: string
  readonly rows: Array<number>
}

/**
 * `blockAt` is the block of each observation. No text of a block is held for longer than its digest takes, but for those of
 * rows that are not as they were settled, which will be asked for. What is known to be as it was settled has the digest of
 * then.
 */
export const shownBlocks = (
  observations: ReadonlyArray<Observation>,
  blockAt: Int32Array,
  contentHash: (text: string) => string,
  { apart, settled }: KnownBlocks = { settled: BlockDigests.none(), apart: undefined }
): ShownBlocks => {
  const lastOf = new Map<number, number>()
  for (let at = 0; at < blockAt.length; at++) {
    if (at + 1 === blockAt.length || blockAt[at + 1] !== blockAt[at]) lastOf.set(blockAt[at]!, at)
  }
  const digests = apart === undefined ? BlockDigests.none() : settled.copy
  if (apart !== undefined) for (const block of [...apart, ...settled.unsettled]) digests.delete(block)
  const begun = new Map<number, Begun>()
  const open = new Set<number>()
  let kept = 0
  for (let at = 0; at < blockAt.length;) {
    const block = blockAt[at]!
    const next = endOfRun(blockAt, at)
    if (apart?.has(block) === false && isSettled(settled, block)) {
      at = next
      continue
    }
    const seen = begun.get(block) ?? { text: "", rows: [] }
    for (; at < next; at++) {
      const observation = observations[at]!
      seen.text += matchedText(observation)
      seen.rows.push(at)
      if (!canSettle(observation)) open.add(block)
    }
    if (at - 1 < lastOf.get(block)!) {
      begun.set(block, seen)
      continue
    }
    begun.delete(block)
    const digest = open.has(block) ? unsettled : contentHash(seen.text)
    digests.set(block, digest)
    const before = settled.get(block)
    if (before === undefined || (before === digest && before !== unsettled) || kept >= mostKept) continue
    for (const row of seen.rows) observations[row]!.keep?.()
    kept += seen.rows.length
  }
  return { digests, hasOpen: open.size > 0 }
}
