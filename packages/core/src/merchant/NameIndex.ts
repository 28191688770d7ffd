/**
 * The nearest of many names (enrichments C3): postings of the rarest pieces of three letters give candidates, and those alone are
 * compared in full.
 */
import { similarity, type Words, wordsOf } from "../text/Similarity.ts"

/** Pieces of a text that are looked up, the rarest, and candidates that are compared. */
const rarest = 7
const candidates = 12
/** How alike a name has to be, and how much more than the next one. */
const accepted = 0.88
const lead = 0.05

interface Named {
  readonly key: string
  /** Whose name it is: several keys may be of one. */
  readonly owner: string
  readonly words: Words
}

export interface Nearest {
  readonly owner: string
  /** 0 to 1. */
  readonly score: number
}

const gramsOf = (key: string): ReadonlyArray<string> => {
  const padded = ` ${key} `
  const grams = new Set<string>()
  for (let at = 0; at + 3 <= padded.length; at++) grams.add(padded.slice(at, at + 3))
  return [...grams]
}

/** Insertions, deletions and replacements between two texts; more than `most` is `most + 1`. */
export const editDistance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1
      const value = Math.min(row[j - 1]! + same, row[j]! + 1, next[j - 1]! + 1)
      next.push(value)
      if (value < least) least = value
    }
    if (least > most) return most + 1
    row = next
  }
  return Math.min(row[b.length]!, most + 1)
}

/** One word inside of several is too little: an orchard is no maker of telephones. */
const sharesEnough = (a: Words, b: Words): boolean => a.size === b.size || Math.min(a.size, b.size) > 1

const scoreOf = (key: string, words: Words, { key: other, words: others }: Named): number => {
  const length = Math.max(key.length, other.length)
  const most = Math.floor(length * (1 - accepted + lead))
  const byLetters = 1 - editDistance(key, other, most) / length
  const byWords = sharesEnough(words, others) ? (similarity(words, others) ?? 0) : 0
  return Math.max(byLetters, byWords)
}

export class NameIndex {
  private readonly names: ReadonlyArray<Named>
  private readonly postings = new Map<string, Array<number>>()

  /** Keys with whose they are; of equal keys the first counts. */
  constructor(keys: Iterable<readonly [key: string, owner: string]>) {
    const first = new Map<string, string>()
    for (const [key, owner] of keys) if (key !== "" && !first.has(key)) first.set(key, owner)
    this.names = Array.from(first, ([key, owner]) => ({ key, owner, words: wordsOf(key) }))
    for (const [at, { key }] of this.names.entries()) {
      for (const gram of gramsOf(key)) {
        const list = this.postings.get(gram)
        if (list === undefined) this.postings.set(gram, [at])
        else list.push(at)
      }
    }
  }

  /** The best of the names, whether or not it is near enough; `undefined` where none shares a piece. */
  best(key: string): (Nearest & { readonly next: number }) | undefined {
    const lists = gramsOf(key)
      .flatMap((gram) => {
        const list = this.postings.get(gram)
        return list === undefined ? [] : [list]
      })
      .toSorted((a, b) => a.length - b.length)
      .slice(0, rarest)
    const hits = new Map<number, number>()
    for (const list of lists) for (const at of list) hits.set(at, (hits.get(at) ?? 0) + 1)
    if (hits.size === 0) return undefined
    const words = wordsOf(key)
    const ranked = topOf(hits).map((at) => ({ ...this.names[at]!, score: scoreOf(key, words, this.names[at]!) }))
    ranked.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
    const [first] = ranked
    const next = ranked.find(({ owner }) => owner !== first!.owner)?.score ?? 0
    return { owner: first!.owner, score: first!.score, next }
  }

  /** The name that is near enough and clearly nearer than any other. */
  nearest(key: string): Nearest | undefined {
    const best = this.best(key)
    return best !== undefined && best.score >= accepted && best.score - best.next >= lead ? best : undefined
  }
}

/** Those with most hits; of equals the first. */
const topOf = (hits: ReadonlyMap<number, number>): ReadonlyArray<number> => {
  const top: Array<readonly [at: number, count: number]> = []
  for (const [at, count] of hits) {
    if (top.length === candidates && count < top[candidates - 1]![1]) continue
    let place = top.length
    while (place > 0 && (count > top[place - 1]![1] || (count === top[place - 1]![1] && at < top[place - 1]![0])))
      place--
    top.splice(place, 0, [at, count])
    if (top.length > candidates) top.pop()
  }
  return top.map(([at]) => at)
}
