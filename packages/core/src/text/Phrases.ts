/** Phrases of several words, found in texts word by word: the longest that begins at a word counts. */
import { asciiWords } from "./AsciiWords.ts"
import { fold } from "./Fold.ts"

const marks = /\p{M}+/gu
const separators = /[^\p{L}\p{N}&]+/gu

/** Code units that are read. */
const longest = 1_024

/** The words of a text: folded, without marks, in order. Masks of numbers part words. */
export const plainWords = (text: string): ReadonlyArray<string> => {
  const cut = text.length > longest ? text.slice(0, longest) : text
  const ascii = asciiWords(cut.toLowerCase())
  if (ascii !== undefined) return ascii
  const bounded = cut.toWellFormed()
  const plain = fold(bounded.normalize("NFKC")).normalize("NFD").replace(marks, "")
  return plain
    .replace(separators, " ")
    .split(" ")
    .filter((word) => word !== "")
}

export interface PhraseHit<A> {
  readonly phrase: string
  readonly value: A
  /** The first word, and how many there are. */
  readonly at: number
  readonly words: number
}

interface Entry<A> {
  readonly words: ReadonlyArray<string>
  /** The last word only has to begin so. */
  readonly open: boolean
  readonly phrase: string
  readonly value: A
}

/** Letters of an open first word by which it is looked up. */
const head = 3

/** How many numbers there are for what words begin with. */
const beginnings = 4_096

/** A number that equal first letters have in common, as many of them as an open word is looked up by. */
const beginningOf = (word: string): number => {
  const { length } = word
  const [second, third] = [length > 1 ? word.charCodeAt(1) : 0, length > 2 ? word.charCodeAt(2) : 0]
  return (word.charCodeAt(0) ^ (second << 4) ^ (third << 8)) & (beginnings - 1)
}

const isThere = <A>({ open, words }: Entry<A>, text: ReadonlyArray<string>, at: number): boolean => {
  if (at + words.length > text.length) return false
  const last = words.length - 1
  for (let n = 0; n < last; n++) if (words[n] !== text[at + n]) return false
  return open ? text[at + last]!.startsWith(words[last]!) : text[at + last] === words[last]
}

const firstThere = <A>(
  entries: ReadonlyArray<Entry<A>> | undefined,
  text: ReadonlyArray<string>,
  at: number
): Entry<A> | undefined => {
  if (entries === undefined) return undefined
  for (const entry of entries) if (isThere(entry, text, at)) return entry
  return undefined
}

/** Phrases with what they stand for. A `*` at the end stands for the rest of the last word; it follows at least three letters. */
export class Phrases<A> {
  private readonly byWord = new Map<string, Array<Entry<A>>>()
  private readonly byHead = new Map<string, Array<Entry<A>>>()
  /** What the first words of phrases begin with: most words of a text need not be looked up. */
  private readonly begins = new Uint8Array(beginnings)

  constructor(entries: Iterable<readonly [phrase: string, value: A]>) {
    for (const [phrase, value] of entries) {
      const open = phrase.endsWith("*")
      const words = plainWords(open ? phrase.slice(0, -1) : phrase)
      if (words.length === 0) continue
      const entry = { words, open, phrase, value }
      const first = words[0]!
      this.begins[beginningOf(first)] = 1
      const [map, key] = open && words.length === 1 ? [this.byHead, first.slice(0, head)] : [this.byWord, first]
      const list = map.get(key)
      if (list === undefined) map.set(key, [entry])
      else list.push(entry)
    }
    for (const list of [...this.byWord.values(), ...this.byHead.values()]) {
      list.sort((a, b) => b.words.length - a.words.length || b.words.join(" ").length - a.words.join(" ").length)
    }
  }

  /** All that stand in the words, in order, none inside of another. */
  find(text: ReadonlyArray<string>): ReadonlyArray<PhraseHit<A>> {
    const found: Array<PhraseHit<A>> = []
    for (let at = 0; at < text.length;) {
      const word = text[at]!
      if (this.begins[beginningOf(word)] === 0) {
        at++
        continue
      }
      const hit =
        firstThere(this.byWord.get(word), text, at) ??
        (word.length < head ? undefined : firstThere(this.byHead.get(word.slice(0, head)), text, at))
      if (hit === undefined) at++
      else {
        found.push({ phrase: hit.phrase, value: hit.value, at, words: hit.words.length })
        at += hit.words.length
      }
    }
    return found
  }
}
