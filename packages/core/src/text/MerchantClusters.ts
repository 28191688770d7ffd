/** Which texts name the same merchant (enrichments D3.1). */
import { stepsBetween } from "../shared/TextSteps.ts"
import { jaroWinkler } from "./JaroWinkler.ts"
import { merchantKey, textKey } from "./TextKey.ts"

/** Words that say nothing about who is meant. */
const fillers: ReadonlySet<string> = new Set("the of and a de la le les el los der die das di da do du".split(" "))

const digits = /^\p{N}+$/u
const letter = /\p{L}/gu

const without = (words: ReadonlyArray<string>, isOut: (word: string) => boolean): ReadonlyArray<string> => {
  const kept = words.filter((word) => !isOut(word))
  return kept.length === 0 ? words : kept
}

const nameOf = (text: string): string => {
  const words = merchantKey(textKey(text)).split(" ")
  const named = without(words, (word) => digits.test(word))
  return without(named, (word) => fillers.has(word)).join(" ")
}

/** Texts that were read; a ledger repeats few of them very often. */
const known = new Map<string, string>()
const mostKnown = 50_000

/** The words of a text that tell merchants apart: its merchant key without numbers of shops and fillers. `""` names none. */
export const merchantNameKey = (text: string): string => {
  let key = known.get(text)
  if (key === undefined) {
    if (known.size >= mostKnown) known.clear()
    known.set(text, (key = nameOf(text)))
  }
  return key
}

const blockLength = 3

/** Keys whose blocks differ are never of one cluster: their first characters. */
export const blockOf = (key: string): string =>
  Array.from(key.slice(0, 2 * blockLength))
    .slice(0, blockLength)
    .join("")

const fewestLetters = 6
const alike = 0.92
const wordAlike = 0.88

const lettersIn = (key: string): number => key.match(letter)?.length ?? 0

/** Letters of a word of which one may be another; one of a shorter word also. */
const lettersAStep = 5

/** Words that begin alike and end otherwise are two names, though most of their letters are the same. */
const mostSteps = (a: string, b: string): number => Math.max(1, Math.floor(Math.max(a.length, b.length) / lettersAStep))

/** A word may be cut off; otherwise it may only be spelt a little differently. */
const sameWord = (a: string, b: string): boolean =>
  a.startsWith(b) || b.startsWith(a) || (jaroWinkler(a, b) >= wordAlike && stepsBetween(a, b) <= mostSteps(a, b))

/** Whether two keys name one merchant: they begin with the same two words, or are spelt nearly alike. */
const sameMerchant = (a: string, b: string): boolean => {
  if (a === b) return true
  const [firstA, secondA] = a.split(" ")
  const [firstB, secondB] = b.split(" ")
  if (secondA !== undefined && secondB !== undefined) {
    if (firstA === firstB && secondA === secondB) return true
    // Firms that share a long first word are not one firm, however alike the whole is.
    if (!sameWord(firstA!, firstB!) || !sameWord(secondA, secondB)) return false
  }
  return lettersIn(a) >= fewestLetters && lettersIn(b) >= fewestLetters && jaroWinkler(a, b) >= alike
}

/**
 * The cluster of each key, named by its smallest key. Keys are joined when they name one merchant, or are each joined with
 * a third. The same whatever order they come in.
 */
export const clustersOf = (keys: Iterable<string>): ReadonlyMap<string, string> => {
  const all = [...new Set(keys)].toSorted()
  const root = new Map(all.map((key) => [key, key]))
  const find = (key: string): string => {
    let at = key
    while (root.get(at) !== at) at = root.get(at)!
    root.set(key, at)
    return at
  }
  for (const block of Map.groupBy(all, blockOf).values()) {
    for (const [at, one] of block.entries()) {
      for (let next = at + 1; next < block.length; next++) {
        const [a, b] = [find(one), find(block[next]!)]
        if (a === b || !sameMerchant(one, block[next]!)) continue
        root.set(a < b ? b : a, a < b ? a : b)
      }
    }
  }
  return new Map(all.map((key) => [key, find(key)]))
}
