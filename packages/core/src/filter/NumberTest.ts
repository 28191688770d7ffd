/** Exact comparisons of decimal text with constants, without making a number of most texts (performance 1 and 7). */
import * as Decimal from "../shared/Decimal.ts"
import type { Bound, Range } from "./FilterPlan.ts"
import type { Truth } from "./ValueTest.ts"

interface Ends {
  readonly low: number
  readonly high: number
}

const end = (bound: Bound<Decimal.Decimal> | undefined, without: number): number =>
  bound === undefined ? without : Decimal.safeUnits(bound.value)

/** The units inside, both ends included; `undefined` where an end does not fit. */
const endsOf = ({ low, high }: Range<Decimal.Decimal>): Ends | undefined => {
  const from = end(low, Number.NEGATIVE_INFINITY)
  const to = end(high, Number.POSITIVE_INFINITY)
  if (Number.isNaN(from) || Number.isNaN(to)) return undefined
  // Texts that are read into units are whole ones, so an open end is the next unit.
  return { low: low?.open === true ? from + 1 : from, high: high?.open === true ? to - 1 : to }
}

const isInside = (value: Decimal.Decimal, { low, high }: Range<Decimal.Decimal>): boolean => {
  if (low !== undefined) {
    const at = Decimal.compare(value, low.value)
    if (at < 0 || (at === 0 && low.open)) return false
  }
  if (high !== undefined) {
    const at = Decimal.compare(value, high.value)
    if (at > 0 || (at === 0 && high.open)) return false
  }
  return true
}

/** 1: in one of the ranges, 0: in none, -1: the text is no number. */
export type NumberTest = (text: string) => Truth

const slowly =
  (ranges: ReadonlyArray<Range<Decimal.Decimal>>): NumberTest =>
  (text) => {
    const value = Decimal.parse(text.trim())
    return value === undefined ? -1 : ranges.some((range) => isInside(value, range)) ? 1 : 0
  }

export const numberTest = (ranges: ReadonlyArray<Range<Decimal.Decimal>>): NumberTest => {
  const slow = slowly(ranges)
  const ends = ranges.map(endsOf)
  if (ends.includes(undefined)) return slow
  if (ends.length === 1) {
    const { low, high } = ends[0]!
    return (text) => {
      const units = Decimal.safeUnits(text)
      // Not a number is not equal to itself.
      return units !== units ? slow(text) : units >= low && units <= high ? 1 : 0
    }
  }
  const all = ends as ReadonlyArray<Ends>
  return (text) => {
    const units = Decimal.safeUnits(text)
    if (units !== units) return slow(text)
    for (const { low, high } of all) if (units >= low && units <= high) return 1
    return 0
  }
}
