/** Where a feed stands in the ledger of an account, and where a run of it begins. */
import { appends } from "../destination/DeliveryRun.ts"
import type { Feed } from "../feed/Feed.ts"
import type { FeedMark } from "../feed/FeedStore.ts"

/** The part of a signature that is not about enrichments. */
const ownOf = (signature: string): string => signature.split("|")[0]!

/** What signatures of enrichments that decide on delivery end with. */
const deciding = "|decides"

const decidesIn = (signature: string): boolean => signature.endsWith(deciding)

/** A feed's own part, and that of its enrichments. */
export const signatureText = (own: string, enrichments: string, decides: boolean): string =>
  `${own}|${enrichments}${decides ? deciding : ""}`

/**
 * What a mark says while rows are delivered under another signature than its own and not all of them were: it
 * equals none, so that the next run looks at everything, also when what changed was taken back by then.
 */
export const betweenOf = (mark: FeedMark, signature: string): string =>
  ownOf(mark.signature) === ownOf(signature)
    ? signatureText(ownOf(signature), "", decidesIn(mark.signature) || decidesIn(signature))
    : ""

/** `ranged`: only some days are looked at. */
export const startOf = (feed: Feed, ranged: boolean, mark: FeedMark | undefined, signature: string) => {
  const sameOwn = mark !== undefined && ownOf(mark.signature) === ownOf(signature)
  const everything = ranged || appends(feed) || !sameOwn
  return {
    after: everything || mark.signature !== signature ? 0 : mark.changeNo,
    /** Records up to this change number are only looked at because the enrichments changed. */
    known: everything ? 0 : mark.changeNo,
    /** Which of them are delivered may have changed by that. */
    decides: !everything && (decidesIn(mark.signature) || decidesIn(signature))
  }
}

/** What was seen of an account, and how far the feed has come. */
export interface Standing {
  readonly mark: FeedMark | undefined
  readonly signature: string
  readonly upTo: number
  readonly after: number
}

export const isBehind = ({ mark, signature, upTo }: Standing): boolean =>
  mark === undefined || mark.changeNo < upTo || mark.signature !== signature

/** Changes of several accounts that are written in one transaction, at most. */
export const together = 1_000

/** Puts accounts with few changes together, in their order; numbers tell how many there are at most. */
export const grouped = <A extends Standing>(starts: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<Array<A>> = []
  let room = 0
  for (const start of starts) {
    const changes = start.upTo - start.after
    if (groups.length === 0 || changes > room) {
      groups.push([])
      room = together
    }
    groups.at(-1)?.push(start)
    room -= changes
  }
  return groups
}
