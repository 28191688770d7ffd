/**
 * The nearest of many names (enrichments C3): postings of the rarest pieces of three letters give candidates, and those alone are
 * compared in full.
 */
import { editDistance } from "./EditDistance.ts"
import { NameWords } from "./NameWords.ts"
import { Postings } from "./Postings.ts"

/** Pieces of a text that are looked up, the rarest, and candidates that are compared. */
const rarest = 7
const candidates = 12
/** How alike a name has to be, and how much more than the next one. */
const accepted = 0.88
const lead = 0.05

export interface Nearest {
  readonly owner: string
  /** 0 to 1. */
  readonly score: number
}

export class NameIndex {
  private readonly keys: ReadonlyArray<string>
  /** Of each key, whose name it is: several keys may be of one. */
  private readonly owners: Int32Array
  private readonly ownerNames: ReadonlyArray<string>
  private readonly postings: Postings
  private readonly words: NameWords
  /** Scratch of one search: pieces that each name shares, all 0 between searches, and the names that share one. */
  private readonly hits: Uint8Array
  private readonly touched: Int32Array
  private readonly top = new Int32Array(candidates)
  private readonly having = new Int32Array(rarest + 1)

  /** Keys with whose they are; of equal keys the first counts. */
  constructor(keys: Iterable<readonly [key: string, owner: string]>) {
    const first = new Map<string, string>()
    for (const [key, owner] of keys) if (key !== "" && !first.has(key)) first.set(key, owner)
    this.keys = [...first.keys()]
    const numbers = new Map<string, number>()
    for (const owner of first.values()) if (!numbers.has(owner)) numbers.set(owner, numbers.size)
    this.owners = Int32Array.from(first.values(), (owner) => numbers.get(owner)!)
    this.ownerNames = [...numbers.keys()]
    this.hits = new Uint8Array(this.keys.length)
    this.touched = new Int32Array(this.keys.length)
    this.postings = new Postings(this.keys, rarest)
    this.words = new NameWords(this.keys)
  }

  /** The best of the names, whether or not it is near enough; `undefined` where none shares a piece. */
  best(key: string): (Nearest & { readonly next: number }) | undefined {
    const { hits, touched } = this
    const { ends, lists, names, starts } = this.postings.rarest(key)
    let count = 0
    for (let list = 0; list < lists; list++) {
      for (let at = starts[list]!; at < ends[list]!; at++) {
        const name = names[at]!
        if (hits[name]!++ === 0) touched[count++] = name
      }
    }
    if (count === 0) return undefined
    const compared = this.mostHit(count)
    this.words.prepare(key)
    let best = -1
    let [bestScore, next] = [-1, 0]
    for (let n = 0; n < compared; n++) {
      const at = this.top[n]!
      const score = this.scoreOf(key, at)
      const isOther = best >= 0 && this.owners[at] !== this.owners[best]
      if (score < bestScore || (score === bestScore && this.keys[at]! > this.keys[best]!)) {
        if (isOther && score > next) next = score
        continue
      }
      if (isOther) next = bestScore
      best = at
      bestScore = score
    }
    for (let n = 0; n < count; n++) hits[touched[n]!] = 0
    return { owner: this.ownerNames[this.owners[best]!]!, score: bestScore, next }
  }

  /** The name that is near enough and clearly nearer than any other. */
  nearest(key: string): Nearest | undefined {
    const best = this.best(key)
    return best !== undefined && best.score >= accepted && best.score - best.next >= lead ? best : undefined
  }

  private scoreOf(key: string, at: number): number {
    const name = this.keys[at]!
    const length = Math.max(key.length, name.length)
    const most = Math.floor(length * (1 - accepted + lead))
    const byLetters = 1 - editDistance(key, name, most) / length
    return byLetters === 1 ? 1 : Math.max(byLetters, this.words.likeness(at, byLetters))
  }

  /** Puts those of the touched with most hits into `top`, of equals the first; returns how many. */
  private mostHit(count: number): number {
    const { hits, top, touched } = this
    // How many hits the last candidate has, and how many of those with so many there is room for.
    const having = this.having.fill(0)
    for (let n = 0; n < count; n++) having[hits[touched[n]!]!]!++
    let least = rarest
    let room = candidates
    while (least > 1 && having[least]! <= room) room -= having[least--]!
    let size = 0
    const last: Array<number> = []
    for (let n = 0; n < count; n++) {
      const at = touched[n]!
      const own = hits[at]!
      if (own > least) top[size++] = at
      else if (own === least) last.push(at)
    }
    if (last.length > room) keepLeast(last, room)
    for (let n = 0; n < last.length && n < room; n++) top[size++] = last[n]!
    return size
  }
}

/** Puts the least ones to the front. */
const keepLeast = (values: Array<number>, count: number): void => {
  for (let n = 1; n < values.length; n++) {
    const value = values[n]!
    let at = Math.min(n, count)
    if (n >= count && value >= values[count - 1]!) continue
    if (n >= count) at = count - 1
    for (; at > 0 && values[at - 1]! > value; at--) values[at] = values[at - 1]!
    values[at] = value
  }
}
