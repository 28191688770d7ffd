/** Digests of what a read shows of each block of days. */
import type { Observation } from "../../record/Observation.ts"
import { BlockDigests, unsettled } from "./BlockDigests.ts"
import { matchedText } from "./ShownRows.ts"

/** A row without an id of its own is told apart by others, and one that is linked to another may take its place. */
const canSettle = ({ date, pendingProviderId, providerId }: Observation): boolean =>
  date !== null && providerId !== "" && pendingProviderId === ""

export interface ShownBlocks {
  /** Of all blocks of which anything is shown; `unsettled` of those that cannot be settled. */
  readonly digests: BlockDigests
  /** Whether there are any that cannot be settled. */
  readonly hasOpen: boolean
}

/** `blockAt` is the block of each observation. No text of a block is held for longer than its digest takes. */
export const shownBlocks = (
  observations: ReadonlyArray<Observation>,
  blockAt: Int32Array,
  contentHash: (text: string) => string
): ShownBlocks => {
  const lastOf = new Map<number, number>()
  for (let at = 0; at < blockAt.length; at++) {
    if (at + 1 === blockAt.length || blockAt[at + 1] !== blockAt[at]) lastOf.set(blockAt[at]!, at)
  }
  const digests = BlockDigests.none()
  /** Of blocks of which more is shown further on. */
  const texts = new Map<number, string>()
  const open = new Set<number>()
  for (let at = 0; at < blockAt.length;) {
    const block = blockAt[at]!
    let text = texts.get(block) ?? ""
    for (; at < blockAt.length && blockAt[at] === block; at++) {
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
