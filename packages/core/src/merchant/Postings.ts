/** Which names have which pieces of three letters: one table of numbers, and all lists one behind the other. */
const space = 32
const bits = 10
const low = (1 << bits) - 1

/** Three letters as a small number; letters that differ little may share one, which only makes more candidates. */
const gramAt = (key: string, at: number): number => {
  const first = at < 1 ? space : key.charCodeAt(at - 1)
  const third = at + 1 < key.length ? key.charCodeAt(at + 1) : space
  return ((first & low) << (2 * bits)) | ((key.charCodeAt(at) & low) << bits) | (third & low)
}

const free = -1

export interface RarestLists {
  /** How many lists there are; each is a part of `names`, from and to and without. */
  lists: number
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly names: Int32Array
}

export class Postings {
  private readonly mask: number
  /** By place: the piece, and where its list begins and ends. */
  private readonly grams: Int32Array
  private readonly starts: Int32Array
  private readonly ends: Int32Array
  private readonly names: Int32Array
  /** By place: the search that has seen it last. */
  private readonly seen: Int32Array
  private search = 0
  private readonly found: RarestLists

  /** `most`: lists that are asked for. */
  constructor(keys: ReadonlyArray<string>, most: number) {
    const counts = new Map<number, number>()
    for (const key of keys) for (const gram of gramsOf(key)) counts.set(gram, (counts.get(gram) ?? 0) + 1)
    const size = 1 << (32 - Math.clz32(Math.max(4, counts.size * 2)))
    this.mask = size - 1
    this.grams = new Int32Array(size).fill(free)
    this.starts = new Int32Array(size)
    this.ends = new Int32Array(size)
    this.seen = new Int32Array(size)
    let all = 0
    for (const [gram, count] of counts) {
      const place = this.seek(gram)
      this.grams[place] = gram
      this.starts[place] = all
      this.ends[place] = all
      all += count
    }
    this.names = new Int32Array(all)
    this.found = { lists: 0, starts: new Int32Array(most), ends: new Int32Array(most), names: this.names }
    for (const [name, key] of keys.entries()) {
      for (const gram of gramsOf(key)) this.names[this.ends[this.seek(gram)]!++] = name
    }
  }

  /** The place of a piece, or the free one where it would be. */
  private seek(gram: number): number {
    let hash = Math.imul(gram, 0x9e3779b1)
    hash ^= hash >>> 15
    for (let at = hash & this.mask; ; at = (at + 1) & this.mask) {
      const one = this.grams[at]!
      if (one === gram || one === free) return at
    }
  }

  /** The shortest lists of the pieces of a text; of equally long ones those of earlier pieces. Good until the next call. */
  rarest(key: string): RarestLists {
    const { found } = this
    const { ends, starts } = found
    found.lists = 0
    const most = starts.length
    const search = ++this.search
    for (let at = 0; at < key.length; at++) {
      const gram = gramAt(key, at)
      const place = this.seek(gram)
      if (this.grams[place] !== gram || this.seen[place] === search) continue
      this.seen[place] = search
      const [start, end] = [this.starts[place]!, this.ends[place]!]
      const size = end - start
      let n = found.lists
      if (n < most) found.lists++
      else if (size >= ends[n - 1]! - starts[n - 1]!) continue
      else n--
      for (; n > 0 && ends[n - 1]! - starts[n - 1]! > size; n--) {
        starts[n] = starts[n - 1]!
        ends[n] = ends[n - 1]!
      }
      starts[n] = start
      ends[n] = end
    }
    return found
  }
}

const gramsOf = (key: string): ReadonlySet<number> => {
  const grams = new Set<number>()
  for (let at = 0; at < key.length; at++) grams.add(gramAt(key, at))
  return grams
}
