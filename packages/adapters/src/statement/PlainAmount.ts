/** How a plain amount is written: told by its bytes, before anything is made of them. */
import type { CharacterCodes } from "./CharacterCodes.ts"

/** What an amount that is written plainly has; `none` where it is written otherwise. */
export const shapes = {
  none: -1,
  negative: 1,
  /** Digits behind a separator. */
  fraction: 2,
  /** It is written as it is kept. */
  canonical: 4
} as const

/** Longer amounts may be too large. */
const maxLength = 13

const isDigit = (c: number): boolean => c >= 48 && c <= 57

/**
 * Digits with a minus before and digits behind one separator at most. What could be read in two ways, as three digits
 * behind a separator, is not plain.
 */
export const plainShape = (codes: CharacterCodes, from: number, to: number, decimal: number): number => {
  let at = from
  let shape = 0
  if (codes[at] === 45) {
    shape = shapes.negative
    at++
  }
  const digits = at
  if (to - digits > maxLength) return shapes.none
  while (at < to && isDigit(codes[at]!)) at++
  // No zeros in front but the one before a separator.
  if (at === digits || (codes[digits] === 48 && at - digits > 1)) return shapes.none
  if (at === to) return codes[digits] === 48 && shape !== 0 ? shape : shape | shapes.canonical
  if (codes[at] !== decimal) return shapes.none
  const point = at++
  while (at < to && isDigit(codes[at]!)) at++
  const behind = at - point - 1
  if (at !== to || behind === 0 || behind === 3) return shapes.none
  shape |= shapes.fraction
  return decimal === 46 && codes[to - 1] !== 48 ? shape | shapes.canonical : shape
}
