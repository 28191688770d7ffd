/** Where a feed stands in the ledger of an account, and where a run of it begins. */
import { appends } from "../destination/DeliveryRun.ts"
import type { Feed } from "../feed/Feed.ts"
import type { FeedMark } from "../feed/FeedStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"

/** After a change of enrichments alone, older records are not delivered again (enrichments A9). */
const redeliverDays = 45

/** The first day of those that are. */
export const redeliveredFrom = (today: CalendarDate.CalendarDate): CalendarDate.CalendarDate =>
  CalendarDate.addDays(today, -redeliverDays)

/** The part of a signature that is not about enrichments. */
const ownOf = (signature: string): string => signature.split("|")[0]!

/** What enrichments may do besides changing what a row holds. */
export interface Powers {
  /** Which rows are delivered follows from them. */
  readonly decides: boolean
  /** A record may fall into lines. */
  readonly makesLines: boolean
}

const powersIn = (signature: string): Powers => {
  const names = signature.split("|")[2]?.split(" ") ?? []
  return { decides: names.includes("decides"), makesLines: names.includes("lines") }
}

const either = (a: Powers, b: Powers): Powers => ({
  decides: a.decides || b.decides,
  makesLines: a.makesLines || b.makesLines
})

/** A feed's own part, that of its enrichments, and what they may do. */
export const signatureText = (own: string, enrichments: string, { decides, makesLines }: Powers): string => {
  const names = [...(decides ? ["decides"] : []), ...(makesLines ? ["lines"] : [])]
  return `${own}|${enrichments}${names.length === 0 ? "" : `|${names.join(" ")}`}`
}

/**
 * What a mark says while rows are delivered under another signature than its own and not all of them were, or where enrichments
 * were set aside: it equals none, so that the next run looks at everything, also when what changed was taken back by then.
 */
export const betweenOf = (mark: Pick<FeedMark, "signature">, signature: string): string =>
  signatureText(
    ownOf(mark.signature) === ownOf(signature) ? ownOf(signature) : "",
    "",
    either(powersIn(mark.signature), powersIn(signature))
  )

/** `ranged`: only some days are looked at. `forgotten`: rows were delivered that no mark tells of. */
export const startOf = (
  feed: Feed,
  ranged: boolean,
  mark: FeedMark | undefined,
  signature: string,
  forgotten: boolean
) => {
  const unknown: Powers = { decides: false, makesLines: forgotten }
  const sameOwn = mark !== undefined && ownOf(mark.signature) === ownOf(signature)
  const powers = either(mark === undefined ? unknown : powersIn(mark.signature), powersIn(signature))
  const everything = ranged || appends(feed) || !sameOwn
  return {
    after: everything || mark.signature !== signature ? 0 : mark.changeNo,
    /** Records up to this change number are only looked at because the enrichments changed. */
    known: everything ? 0 : mark.changeNo,
    /** Which of them are delivered may have changed by that. */
    decides: !everything && powers.decides,
    /** Whether records fall into lines, or did so under the mark. */
    mayHaveLines: powers.makesLines
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
