/** Columns of flags: two letters that stand for money out and money in. Which is which is known by the pair. */

const pairs: ReadonlyArray<readonly [out: string, into: string]> = [
  ["D", "C"],
  ["D", "K"],
  ["D", "H"],
  ["S", "H"],
  ["W", "D"],
  ["O", "I"],
  ["DB", "CR"],
  ["DR", "CR"],
  ["DB", "KR"],
  ["DT", "CT"],
  ["DT", "KT"],
  ["OUT", "IN"]
]

/** Pairs that stand for much else as well: they count where the column is known to say sides or kinds. */
const namedPairs: typeof pairs = [
  ["U", "I"],
  ["U", "E"],
  ["S", "E"],
  ["A", "B"],
  ["M", "P"],
  ["N", "P"],
  ["B", "S"]
]

/** The side of each flag, in capitals; `undefined` where the cells are no such pair. */
export const flagsOf = (
  cells: ReadonlySet<string>,
  known: typeof pairs = pairs
): ReadonlyMap<string, -1 | 1> | undefined => {
  if (cells.size !== 2) return undefined
  const seen = new Set(Array.from(cells, (cell) => cell.toUpperCase()))
  const pair = known.find(([out, into]) => seen.has(out) && seen.has(into))
  return pair === undefined
    ? undefined
    : new Map([
        [pair[0], -1],
        [pair[1], 1]
      ])
}

/** The side that a cell of a column names: its flags count before words. `isNamed`: the column is known to say sides. */
export const sideReader = (
  content: { readonly distinct: ReadonlySet<string> } | undefined,
  find: (text: string) => -1 | 0 | 1,
  isNamed: boolean
): ((text: string) => -1 | 0 | 1) => {
  const flags =
    content === undefined ? undefined : flagsOf(content.distinct, isNamed ? [...pairs, ...namedPairs] : pairs)
  return flags === undefined ? find : (text) => flags.get(text.toUpperCase()) ?? find(text)
}
