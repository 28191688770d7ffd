/** How alike two texts are (enrichments A12). */

/** The words of a text key that count: distinct, of letters, of at least two characters. */
export type Words = ReadonlySet<string>

const letters = /^[\p{L}&']{2,}$/u

/** Words and letters of a word that are compared; what is behind them says nothing new. */
const mostWords = 64
const longestWord = 40
/** Letters that a word has at least that another one begins with. */
export const prefixLetters = 4

/** Small letters of English alone: most words, and known without a pattern. */
const isPlain = (word: string): boolean => {
  if (word.length < 2) return false
  for (let at = 0; at < word.length; at++) if ((word.charCodeAt(at) - 97) >>> 0 > 25) return false
  return true
}

export const wordsOf = (textKey: string): Words => {
  const words = new Set<string>()
  for (const word of textKey.split(" ")) {
    if (words.size === mostWords) break
    if (isPlain(word) || letters.test(word)) words.add(word.length > longestWord ? word.slice(0, longestWord) : word)
  }
  return words
}

/** What one word beginning with the other counts against both being equal. */
export const prefixPoints = 0.9
/** What one text inside the other counts against both being equal. */
const withinPoints = 0.9

/** Pairs of words of which one begins with the other, each word used once. Longest first, with its nearest prefix. */
const prefixPairs = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const left = new Set(a)
  const right = new Set(b)
  const all = [...a, ...b].toSorted((x, y) => y.length - x.length || (x < y ? -1 : 1))
  let pairs = 0
  for (const word of all) {
    const [own, other] = left.has(word) ? [left, right] : [right, left]
    if (!own.has(word)) continue
    for (let size = word.length - 1; size >= prefixLetters; size--) {
      const prefix = word.slice(0, size)
      if (!other.has(prefix)) continue
      own.delete(word)
      other.delete(prefix)
      pairs++
      break
    }
  }
  return pairs
}

const longWords = (own: Words, other: Words): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const word of own) if (word.length >= prefixLetters && !other.has(word)) found.push(word)
  return found
}

const sharesHead = (a: string, b: string): boolean => {
  for (let at = 0; at < prefixLetters; at++) if (a.charCodeAt(at) !== b.charCodeAt(at)) return false
  return true
}

/** Of two texts with so many words, so many of them the same. */
export const similarityOf = (counted: number, a: number, b: number): number =>
  Math.max(counted / (a + b - counted), (withinPoints * counted) / Math.min(a, b))

/** 0 to 1; `undefined` where a side has no words, so that nothing can be said. Symmetric. */
export const similarity = (a: Words, b: Words): number | undefined => {
  if (a.size === 0 || b.size === 0) return undefined
  if (a === b) return 1
  const [fewer, more] = a.size <= b.size ? [a, b] : [b, a]
  let equal = 0
  for (const word of fewer) if (more.has(word)) equal++
  let counted = equal
  if (equal < fewer.size) {
    const [left, right] = [longWords(a, b), longWords(b, a)]
    if (left.some((word) => right.some((other) => sharesHead(word, other)))) {
      counted += prefixPoints * prefixPairs(left, right)
    }
  }
  return similarityOf(counted, a.size, b.size)
}
