/**
 * The plain form of the index of names, to which the other one is held (enrichments C3): postings of the rarest pieces of three letters give candidates, and those alone are
 * compared in full.
 */
import { editDistance } from "../../../src/merchant/EditDistance.ts"
import { similarity, type Words, wordsOf } from "../../../src/text/Similarity.ts"

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

const space = 32
const bits = 10
const low = (1 << bits) - 1

/** Three letters as a small number; letters of which little differs may share one, which only makes more candidates. */
const gramAt = (key: string, at: number): number => {
  const first = at < 1 ? space : key.charCodeAt(at - 1)
  const third = at + 1 < key.length ? key.charCodeAt(at + 1) : space
  return ((first & low) << (2 * bits)) | ((key.charCodeAt(at) & low) << bits) | (third & low)
}

const gramsOf = (key: string): ReadonlySet<number> => {
  const grams = new Set<number>()
  for (let at = 0; at < key.length; at++) grams.add(gramAt(key, at))
  return grams
}

/** One word inside of several is too little: an orchard is no maker of telephones. */
const sharesEnough = (a: Words, b: Words): boolean => a.size === b.size || Math.min(a.size, b.size) > 1

const sharesWord = (a: Words, b: Words): boolean => {
  for (const word of a) if (b.has(word)) return true
  return false
}

const scoreOf = (key: string, words: Words, { key: other, words: others }: Named): number => {
  const length = Math.max(key.length, other.length)
  const most = Math.floor(length * (1 - accepted + lead))
  const byLetters = 1 - editDistance(key, other, most) / length
  if (byLetters === 1) return 1
  const byWords = sharesEnough(words, others) && sharesWord(words, others) ? (similarity(words, others) ?? 0) : 0
  return Math.max(byLetters, byWords)
}

export class NameIndex {
  private readonly names: ReadonlyArray<Named>
  private readonly postings = new Map<number, Array<number>>()
  /** Scratch of one search: pieces that each name shares. All 0 between searches. */
  private readonly hits: Uint8Array

  /** Keys with whose they are; of equal keys the first counts. */
  constructor(keys: Iterable<readonly [key: string, owner: string]>) {
    const first = new Map<string, string>()
    for (const [key, owner] of keys) if (key !== "" && !first.has(key)) first.set(key, owner)
    this.names = Array.from(first, ([key, owner]) => ({ key, owner, words: wordsOf(key) }))
    this.hits = new Uint8Array(this.names.length)
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
    const lists: Array<ReadonlyArray<number>> = []
    for (const gram of gramsOf(key)) {
      const list = this.postings.get(gram)
      if (list !== undefined) lists.push(list)
    }
    lists.sort((a, b) => a.length - b.length)
    const { hits } = this
    const touched: Array<number> = []
    for (let at = 0; at < lists.length && at < rarest; at++) {
      for (const name of lists[at]!) if (hits[name]!++ === 0) touched.push(name)
    }
    if (touched.length === 0) return undefined
    const words = wordsOf(key)
    let best: Nearest | undefined
    let bestKey = ""
    let next = 0
    for (const at of topOf(touched, hits)) {
      const name = this.names[at]!
      const score = scoreOf(key, words, name)
      if (best !== undefined && (score < best.score || (score === best.score && name.key > bestKey))) {
        if (name.owner !== best.owner && score > next) next = score
        continue
      }
      if (best !== undefined && name.owner !== best.owner) next = best.score
      best = { owner: name.owner, score }
      bestKey = name.key
    }
    for (const at of touched) hits[at] = 0
    return { ...best!, next }
  }

  /** The name that is near enough and clearly nearer than any other. */
  nearest(key: string): Nearest | undefined {
    const best = this.best(key)
    return best !== undefined && best.score >= accepted && best.score - best.next >= lead ? best : undefined
  }
}

/** Those with most hits; of equals the first. */
const topOf = (touched: ReadonlyArray<number>, hits: Uint8Array): ReadonlyArray<number> => {
  // How many hits the last candidate has, and how many of those with so many there is room for.
  const having = new Uint32Array(rarest + 1)
  for (const at of touched) having[hits[at]!]!++
  let least = rarest
  let room = candidates
  while (least > 1 && having[least]! <= room) room -= having[least--]!
  const top: Array<number> = []
  const last: Array<number> = []
  for (const at of touched) {
    if (hits[at]! > least) top.push(at)
    else if (hits[at] === least) last.push(at)
  }
  const kept = last.length > room ? last.toSorted((a, b) => a - b).slice(0, room) : last
  return [...top, ...kept]
}
