/** Pairs as a graph of records: what is too bad to be in it, and its connected parts (enrichments D2.4). */
import type { ScoredPair } from "./PairScore.ts"

/**
 * A pair that is this much worse than the best of both of its legs is none: it hardly ever is in the best choice, and without
 * it chains of equal transfers fall apart, so that what is new disturbs little of what is old. In centibits.
 */
const hopeless = 500

export class PairGraph {
  private readonly pairs: ReadonlyArray<ScoredPair>
  /** Of each pair, the numbers of its records: first those of all that left, and behind them those of what arrived. */
  private readonly outs: Int32Array
  private readonly ins: Int32Array
  private readonly size: number

  /** `pairs`: in order. */
  constructor(pairs: ReadonlyArray<ScoredPair>) {
    this.pairs = pairs
    this.outs = new Int32Array(pairs.length)
    this.ins = new Int32Array(pairs.length)
    const numbers = new Map<string, number>()
    let left = -1
    let last: string | undefined
    for (let at = 0; at < pairs.length; at++) {
      const { in: into, out } = this.pairs[at]!
      // All pairs of an outflow lie together.
      if (out.recordId !== last) left++
      last = out.recordId
      this.outs[at] = left
      let number = numbers.get(into.recordId)
      if (number === undefined) numbers.set(into.recordId, (number = numbers.size))
      this.ins[at] = number
    }
    for (let at = 0; at < pairs.length; at++) this.ins[at]! += left + 1
    this.size = left + 1 + numbers.size
  }

  /** 1 for pairs that may be chosen. */
  private hopeful(): Uint8Array {
    const { ins, outs, pairs, size } = this
    const best = new Float64Array(size).fill(-Infinity)
    for (let at = 0; at < pairs.length; at++) {
      const { score } = pairs[at]!
      if (score > best[outs[at]!]!) best[outs[at]!] = score
      if (score > best[ins[at]!]!) best[ins[at]!] = score
    }
    const found = new Uint8Array(pairs.length)
    for (let at = 0; at < pairs.length; at++) {
      if (pairs[at]!.score >= Math.min(best[outs[at]!]!, best[ins[at]!]!) - hopeless) found[at] = 1
    }
    return found
  }

  /**
   * Connected parts, each in order, by their first pair. `seeds`: of those alone that hold one of these records. `every`:
   * with pairs that are hopeless too.
   */
  parts(seeds?: ReadonlySet<string>, every = false): ReadonlyArray<ReadonlyArray<ScoredPair>> {
    const { ins, outs, pairs, size } = this
    const kept = every ? undefined : this.hopeful()
    const parent = new Int32Array(size)
    for (let node = 0; node < size; node++) parent[node] = node
    const find = (node: number): number => {
      let at = node
      while (parent[at] !== at) {
        parent[at] = parent[parent[at]!]!
        at = parent[at]!
      }
      return at
    }
    for (let at = 0; at < pairs.length; at++) {
      if (kept?.[at] === 0) continue
      const [a, b] = [find(outs[at]!), find(ins[at]!)]
      if (a !== b) parent[Math.max(a, b)] = Math.min(a, b)
    }
    const touched = seeds === undefined ? undefined : new Uint8Array(size)
    if (seeds !== undefined && touched !== undefined) {
      for (let at = 0; at < pairs.length; at++) {
        const { in: into, out } = pairs[at]!
        if (seeds.has(out.recordId)) touched[find(outs[at]!)] = 1
        if (seeds.has(into.recordId)) touched[find(ins[at]!)] = 1
      }
    }
    const places = new Int32Array(size).fill(-1)
    const found: Array<Array<ScoredPair>> = []
    for (let at = 0; at < pairs.length; at++) {
      if (kept?.[at] === 0) continue
      const root = find(outs[at]!)
      if (touched?.[root] === 0) continue
      if (places[root]! < 0) {
        places[root] = found.length
        found.push([pairs[at]!])
      } else found[places[root]!]!.push(pairs[at]!)
    }
    return found
  }
}
