/** Digests of what a read shows of each block of days. */
import type { Observation } from "../../record/Observation.ts"
import { BlockDigests, unsettled } from "./BlockDigests.ts"
import { matchedText } from "./ShownRows.ts"

/** A row without an id of its own is told apart by others, and one that is linked to another may take its place. */
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
  /** Of all blocks of which anything is shown; `unsettled` of those that cannot be settled. */
  readonly digests: BlockDigests
  /** Whether there are any that cannot be settled. */
  readonly hasOpen: boolean
}

/** What an earlier read has settled, and the blocks of which this one may show anything else. */
export interface KnownBlocks {
  readonly settled: BlockDigests
  readonly apart: ReadonlySet<number>
}

/**
 * `blockAt` is the block of each observation. No text of a block is held for longer than its digest takes. What is known to be
 * as it was settled has the digest of then.
 */
export const shownBlocks = (
  observations: ReadonlyArray<Observation>,
  blockAt: Int32Array,
  contentHash: (text: string) => string,
  known: KnownBlocks = { settled: BlockDigests.none(), apart: new Set() }
): ShownBlocks => {
  const lastOf = new Map<number, number>()
  for (let at = 0; at < blockAt.length; at++) {
    if (at + 1 === blockAt.length || blockAt[at + 1] !== blockAt[at]) lastOf.set(blockAt[at]!, at)
  }
  const digests = known.settled.copy
  for (const block of [...known.apart, ...known.settled.unsettled]) digests.delete(block)
  /** Of blocks of which more is shown further on. */
  const texts = new Map<number, string>()
  const open = new Set<number>()
  for (let at = 0; at < blockAt.length;) {
    const block = blockAt[at]!
    const next = endOfRun(blockAt, at)
    if (!known.apart.has(block) && isSettled(known.settled, block)) {
      at = next
      continue
    }
    let text = texts.get(block) ?? ""
    for (; at < next; at++) {
      const observation = observations[at]!
      text += matchedText(observation)
      if (!canSettle(observation)) open.add(block)
    }
    if (at - 1 < lastOf.get(block)!) texts.set(block, text)
    else {
      texts.delete(block)
      digests.set(block, open.has(block) ? unsettled : contentHash(text))
    }
  }
  return { digests, hasOpen: open.size > 0 }
}
