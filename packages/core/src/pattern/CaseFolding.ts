/** Code points that are equal under `(?i)`: simple case folding, as RE2 has it. */
import * as CharSet from "./CharSet.ts"

const specials: ReadonlyArray<readonly [number, number]> = [
  // Equal by simple folding although upper- and lower-casing either gives more than one code point.
  [0x390, 0x1fd3],
  [0x3b0, 0x1fe3],
  [0xfb05, 0xfb06]
]

const single = (text: string): number | undefined => {
  const point = text.codePointAt(0)
  return point !== undefined && String.fromCodePoint(point) === text ? point : undefined
}

const same = (a: number, b: number): boolean =>
  new RegExp(`^\\u{${a.toString(16)}}$`, "iu").test(String.fromCodePoint(b))

let foldingClasses: Map<number, ReadonlyArray<number>> | undefined

/** Built when the first pattern needs it: the cased letters outside ASCII and what they equal. */
const table = (): Map<number, ReadonlyArray<number>> => {
  if (foldingClasses !== undefined) return foldingClasses
  const groups = new Map<number, ReadonlyArray<number>>()
  const join = (a: number, b: number): void => {
    if (a === b || !same(a, b)) return
    const joined = [...new Set([...(groups.get(a) ?? [a]), ...(groups.get(b) ?? [b])])]
    for (const point of joined) groups.set(point, joined)
  }
  for (let point = 0x80; point <= 0x1_e9_43; point++) {
    if (point === 0x2e_80) point = 0xa6_40
    if (point === 0xac_00) point = 0xfb_00
    const text = String.fromCodePoint(point)
    const lower = text.toLowerCase()
    const upper = text.toUpperCase()
    if (lower !== text) join(point, single(lower) ?? point)
    if (upper !== text) join(point, single(upper) ?? point)
  }
  for (const [a, b] of specials) join(a, b)
  foldingClasses = groups
  return groups
}

const isAsciiLetter = (point: number): boolean => (point | 32) >= 97 && (point | 32) <= 122 && point < 128

/** Returns the case folding class of a code point: the point itself and all that equal it under `(?i)`. */
export const foldingClassOf = (point: number): ReadonlyArray<number> => {
  if (point === 0x21_2a) return foldingClassOf(107)
  if (point === 0x1_7f) return foldingClassOf(115)
  if (point < 128) {
    if (!isAsciiLetter(point)) return [point]
    const both = [point, point ^ 32]
    // The Kelvin sign and the long s are the two letters outside ASCII that fold into it.
    return (point | 32) === 107 ? [...both, 0x21_2a] : (point | 32) === 115 ? [...both, 0x1_7f] : both
  }
  return table().get(point) ?? [point]
}

/** Sets above this size are not widened. */
const widest = 2_000

/** The set and all that equal one of its members; `undefined` when it is too large to tell. */
export const widen = (set: CharSet.CharSet): CharSet.CharSet | undefined => {
  if (CharSet.sizeOf(set) > widest) return undefined
  const ranges: Array<readonly [number, number]> = [...set]
  for (const [low, high] of set)
    for (let point = low; point <= high; point++) for (const other of foldingClassOf(point)) ranges.push([other, other])
  return CharSet.of(ranges)
}
