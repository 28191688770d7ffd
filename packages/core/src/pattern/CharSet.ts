/** Sets of code points as sorted ranges. */

/** Pairs of first and last code point, ascending, neither touching nor overlapping. */
export type CharSet = ReadonlyArray<readonly [number, number]>

export const lastCodePoint = 0x10_ff_ff

export const of = (ranges: Iterable<readonly [number, number]>): CharSet => {
  const merged: Array<[number, number]> = []
  for (const [low, high] of [...ranges].toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else merged.push([low, high])
  }
  return merged
}

export const complement = (set: CharSet): CharSet => {
  const ranges: Array<readonly [number, number]> = []
  let next = 0
  for (const [low, high] of set) {
    if (low > next) ranges.push([next, low - 1])
    next = high + 1
  }
  if (next <= lastCodePoint) ranges.push([next, lastCodePoint])
  return ranges
}

export const overlap = (a: CharSet, b: CharSet): boolean => {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i]!, b[j]!]
    if (left[0] <= right[1] && right[0] <= left[1]) return true
    if (left[1] < right[1]) i++
    else j++
  }
  return false
}

/** Whether every member of `a` is in `b`. */
export const within = (a: CharSet, b: CharSet): boolean => !overlap(a, complement(b))

export const sizeOf = (set: CharSet): number => set.reduce((size, [low, high]) => size + high - low + 1, 0)

export const digits: CharSet = [[48, 57]]
export const word: CharSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122]
]
/** RE2's `\s`: without the vertical tab. */
export const space: CharSet = [
  [9, 10],
  [12, 13],
  [32, 32]
]
export const notNewline: CharSet = complement([[10, 10]])
export const all: CharSet = [[0, lastCodePoint]]

export const posix: ReadonlyMap<string, CharSet> = new Map([
  [
    "alnum",
    of([
      [48, 57],
      [65, 90],
      [97, 122]
    ])
  ],
  [
    "alpha",
    of([
      [65, 90],
      [97, 122]
    ])
  ],
  ["ascii", of([[0, 127]])],
  [
    "blank",
    of([
      [9, 9],
      [32, 32]
    ])
  ],
  [
    "cntrl",
    of([
      [0, 31],
      [127, 127]
    ])
  ],
  ["digit", digits],
  ["graph", of([[33, 126]])],
  ["lower", of([[97, 122]])],
  ["print", of([[32, 126]])],
  [
    "punct",
    of([
      [33, 47],
      [58, 64],
      [91, 96],
      [123, 126]
    ])
  ],
  [
    "space",
    of([
      [9, 13],
      [32, 32]
    ])
  ],
  ["upper", of([[65, 90]])],
  ["word", word],
  [
    "xdigit",
    of([
      [48, 57],
      [65, 70],
      [97, 102]
    ])
  ]
])
