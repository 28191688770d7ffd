/**
 * Repeatable chance: everything in the demo bank is drawn from the hash of a text, so the same text gives
 * the same bank in every process. Not for secrets.
 */

const mix = (state: number): number => {
  let h = state
  h = Math.imul(h ^ (h >>> 16), 2246822507)
  h = Math.imul(h ^ (h >>> 13), 3266489909)
  return (h ^ (h >>> 16)) >>> 0
}

const fold = (text: string, start: number, factor: number): number => {
  let h = start
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), factor)
  return mix(h)
}

/** 32 bits of the text. */
export const hash = (text: string): number => fold(text, 0x9e3779b9, 2654435761)

/** 64 bits of the text as 14 letters and digits: upstream ids. */
export const fingerprint = (text: string): string =>
  hash(text).toString(36).padStart(7, "0") + fold(text, 0x85ebca6b, 1597334677).toString(36).padStart(7, "0")

export interface Draws {
  /** A whole number, both ends included. */
  readonly between: (low: number, high: number) => number
  /** True in so many of 1,000 cases. */
  readonly perMille: (share: number) => boolean
  readonly pick: <A>(list: readonly [A, ...ReadonlyArray<A>]) => A
}

/** An endless row of draws that depends on the text alone (splitmix32). */
export const draws = (text: string): Draws => {
  let state = hash(text)
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    return mix(state)
  }
  const between = (low: number, high: number): number => low + (next() % (high - low + 1))
  return {
    between,
    perMille: (share) => next() % 1000 < share,
    pick: (list) => list[between(0, list.length - 1)] ?? list[0]
  }
}
