/**
 * Requests that an upstream allows within a time, and how they are given: never more of them in any such time, and nearly
 * all of them in the long run (decision 46).
 *
 * What is known is when the last blocks of requests ended: no request goes before as many blocks as are allowed have been over
 * for the whole time. Blocks are of one request where few are allowed. After a rest some requests go at once; then they are
 * spread so that none has to wait for much longer than the one before it.
 */

export interface Allowance {
  /** Seconds between two requests at least. */
  readonly interval: number
  /** Seconds of rest that are made up for at once. */
  readonly rest: number
  /** Requests of a block. */
  readonly block: number
  /** Blocks within the span: all their requests together are no more than are allowed. */
  readonly blocks: number
  /** Seconds of the window: those of the upstream, and a twentieth more for clocks that differ and requests on their way. */
  readonly span: number
}

/** Blocks that are remembered at least where there are as many requests; fewer than twice as many in any case. */
const fewestBlocks = 80

/** The part of the upstream's time that requests may go later than their places. */
const slack = 0.05

/** Seconds after its place at which a request can still go; the rest of the slack is for clocks and what is on its way. */
export const lateness = ({ span }: Allowance): number => (span - span / (1 + slack)) / 2

/** Requests of a small limit within a minute: those of one connection or account, which asks a few times in a row. */
const small = 50

/**
 * How a limit of requests within so many seconds is kept; at least 1. Unless `burst` is given, half of them may go at once
 * where they are few or the time is longer than a minute, and a tenth of many within a minute.
 */
export const allowanceOf = (requests: number, seconds = 60, burst?: number): Allowance => {
  const some = burst ?? (seconds <= 60 && requests > small ? Math.floor(requests / 10) : Math.ceil(requests / 2))
  const block = Math.max(1, Math.floor(requests / fewestBlocks))
  const blocks = Math.floor(requests / block)
  const all = block * blocks
  const span = seconds * (1 + slack)
  const left = all - Math.min(all, Math.max(1, Math.floor(some)))
  return {
    interval: span / all,
    // After the n-th of requests that go at once the pace is the span over `all - n + 1`. The sum of these but the last.
    rest: span * Math.log((all + 0.5) / (left + 1.5)),
    block,
    blocks,
    span
  }
}

/** What a line has given so far. Instants in milliseconds. */
export interface Given {
  /** When the next request may go. */
  readonly nextAt: number
  /** When the latest one went or goes; -Infinity where there was none. */
  readonly placeAt: number
  /** What it was given under; `undefined` where there was none. */
  readonly under: Pick<Allowance, "block" | "blocks" | "span"> | undefined
  /** Requests of the block that has begun. */
  readonly begun: number
  /** When the last blocks ended, the oldest first; at most as many as are allowed. */
  readonly ends: ReadonlyArray<number>
}

export const nothing: Given = { nextAt: -Infinity, placeAt: -Infinity, under: undefined, begun: 0, ends: [] }

const isUnder = ({ under }: Given, { block, blocks, span }: Allowance): boolean =>
  under?.block === block && under.blocks === blocks && under.span === span

/** What was given under another allowance counts as if all had gone at the instant of the latest: which ones went when is not known. */
const under = (given: Given, allowance: Allowance): Given => {
  if (isUnder(given, allowance)) return given
  const { block, blocks, span } = allowance
  const kept = { under: { block, blocks, span }, begun: 0 }
  if (given.placeAt === -Infinity) return { ...given, ...kept, ends: [] }
  return {
    ...given,
    ...kept,
    nextAt: Math.max(given.nextAt, given.placeAt + span * 1000),
    ends: Array.from({ length: blocks }, () => given.placeAt)
  }
}

/** The instant from which one more may go; before `now` after a rest. */
export const earliest = (given: Given, now: number, allowance: Allowance): number =>
  Math.max(under(given, allowance).nextAt, now - allowance.rest * 1000)

/** Milliseconds between requests with which, from `due` on, none would have to wait for the end of a time. */
const paceFrom = (due: number, begun: number, ends: ReadonlyArray<number>, allowance: Allowance): number => {
  let pace = allowance.interval * 1000
  for (const [n, end] of ends.entries()) {
    // Of the requests from now on, the first that may not go before that block is over for the whole time.
    const nth = (allowance.blocks - ends.length + n) * allowance.block - begun + 1
    if (nth >= 1) pace = Math.max(pace, (end + allowance.span * 1000 - due) / nth)
  }
  return pace
}

/**
 * What has been given after one more, whose place was from `earliest` on and which goes at `due`: not before, and later where
 * another line lets it wait. Others need not wait for it, so its block ends with whichever goes last.
 */
export const give = (before: Given, allowance: Allowance, from: number, due: number): Given => {
  const given = under(before, allowance)
  const placeAt = Math.max(given.placeAt, due)
  const isWhole = given.begun + 1 === allowance.block
  const begun = isWhole ? 0 : given.begun + 1
  const ends = isWhole ? [...given.ends, placeAt].slice(-allowance.blocks) : given.ends
  const free = ends.length < allowance.blocks ? -Infinity : ends[0]! + allowance.span * 1000
  return { ...given, nextAt: Math.max(from + paceFrom(due, begun, ends, allowance), free), placeAt, begun, ends }
}
