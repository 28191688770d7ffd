/**
 * What a read shows, cut into stretches of some days: where two reads have a stretch in common, its rows are the same, and
 * nobody has to go through them to tell.
 */
import type { Blocks } from "./Blocks.ts"
import { undatedDay } from "./EpochDays.ts"

/** Rows that a read shows one after the other. */
export interface Stretch {
  /** Of all that they say, in their order. */
  readonly digest: string
  /** First and last of their days; `undatedDay` where they have none: of such rows nothing is reported. */
  readonly first: number
  readonly last: number
}

/**
 * A stretch ends where a span of days does, once it has some rows; or a day, once it has many; or at once. Rows without a day
 * have stretches of their own.
 */
const spanDays = 4
const someRows = 16
const manyRows = 64
const mostRows = 512

const spanOf = (day: number): number => Math.floor(day / spanDays)

/**
 * Whether a stretch of so many rows ends before a row of `day`. That follows from the days, as far as it can, so that a row
 * more or less leaves the stretches behind it as they are.
 */
export const endsBefore = (day: number, lastDay: number, rows: number): boolean =>
  rows >= mostRows ||
  (day === undatedDay) !== (lastDay === undatedDay) ||
  (rows >= someRows && day !== lastDay && (rows >= manyRows || spanOf(day) !== spanOf(lastDay)))

const stretchEnd = ","
const partEnd = "."
const radix = 36

/** As text, those of undated rows left out. */
export const encodeStretches = (stretches: ReadonlyArray<Stretch>): string => {
  let before = 0
  const texts: Array<string> = []
  for (const { digest, first, last } of stretches) {
    if (first === undatedDay) continue
    texts.push(`${(first - before).toString(radix)}${partEnd}${(last - first).toString(radix)}${partEnd}${digest}`)
    before = first
  }
  return texts.join(stretchEnd)
}

export const decodeStretches = (text: string): ReadonlyArray<Stretch> => {
  let before = 0
  return text === ""
    ? []
    : text.split(stretchEnd).map((one) => {
        const [from, days, digest] = one.split(partEnd)
        const first = before + parseInt(from!, radix)
        before = first
        return { digest: digest!, first, last: first + parseInt(days!, radix) }
      })
}

/** Blocks of days that two reads may show otherwise; `undefined` where these are too many to be worth telling. */
export const blocksApart = (
  before: ReadonlyArray<Stretch>,
  now: ReadonlyArray<Stretch>,
  blocks: Blocks,
  most: number
): ReadonlySet<number> | undefined => {
  const found = new Set<number>()
  const digestsOf = (stretches: ReadonlyArray<Stretch>) => new Set(stretches.map(({ digest }) => digest))
  const add = (stretches: ReadonlyArray<Stretch>, others: ReadonlySet<string>): boolean => {
    for (const { digest, first, last } of stretches) {
      // What has no day is in a block that is never settled.
      if (first === undatedDay || others.has(digest)) continue
      const [from, end] = [blocks.from(first), blocks.after(last)]
      if (end - from > most) return false
      for (let block = from; block < end; block++) found.add(block)
      if (found.size > most) return false
    }
    return true
  }
  return add(before, digestsOf(now)) && add(now, digestsOf(before)) ? found : undefined
}
