/** Pairs as a graph of records: what is too bad to be in it, and its connected parts (enrichments D2.4). */
import { comparePairs, type ScoredPair } from "./PairScore.ts"

/**
 * A pair that is this much worse than the best of both of its legs is none: it hardly ever is in the best choice, and without
 * it chains of equal transfers fall apart, so that what is new disturbs little of what is old. In centibits.
 */
const hopeless = 500

const inOrder = (pairs: ReadonlyArray<ScoredPair>): ReadonlyArray<ScoredPair> => {
  for (let at = 1; at < pairs.length; at++) {
    if (comparePairs(pairs[at - 1]!, pairs[at]!) > 0) return pairs.toSorted(comparePairs)
  }
  return pairs
}

export class PairGraph {
  private readonly pairs: ReadonlyArray<ScoredPair>
  /** Records by number. */
  private readonly ids: Array<string> = []
  /** Of each pair, the numbers of its records. */
  private readonly outs: Int32Array
  private readonly ins: Int32Array

  constructor(pairs: ReadonlyArray<ScoredPair>) {
    this.pairs = inOrder(pairs)
    this.outs = new Int32Array(pairs.length)
    this.ins = new Int32Array(pairs.length)
    const numbers = new Map<string, number>()
    const numberOf = (id: string): number => {
      let number = numbers.get(id)
      if (number === undefined) {
        numbers.set(id, (number = this.ids.length))
        this.ids.push(id)
      }
      return number
    }
    for (const [at, { in: into, out }] of this.pairs.entries()) {
      this.outs[at] = numberOf(out.recordId)
      this.ins[at] = numberOf(into.recordId)
    }
  }

  /** 1 for pairs that may be chosen. */
  private hopeful(): Uint8Array {
    const { ins, outs, pairs } = this
    const best = new Float64Array(this.ids.length).fill(-Infinity)
    for (const [at, { score }] of pairs.entries()) {
      if (score > best[outs[at]!]!) best[outs[at]!] = score
      if (score > best[ins[at]!]!) best[ins[at]!] = score
    }
    return Uint8Array.from(pairs, ({ score }, at) =>
      score >= Math.min(best[outs[at]!]!, best[ins[at]!]!) - hopeless ? 1 : 0
    )
  }

  /**
   * Connected parts, each in order, by their first pair. `seeds`: of those alone that hold one of these records. `every`:
   * with pairs that are hopeless too.
   */
  parts(seeds?: ReadonlySet<string>, every = false): ReadonlyArray<ReadonlyArray<ScoredPair>> {
    const { ids, ins, outs, pairs } = this
    const kept = every ? undefined : this.hopeful()
    const parent = Int32Array.from({ length: ids.length }, (_, node) => node)
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
    const touched = seeds === undefined ? undefined : new Uint8Array(ids.length)
    if (seeds !== undefined && touched !== undefined) {
      for (let node = 0; node < ids.length; node++) if (seeds.has(ids[node]!)) touched[find(node)] = 1
    }
    const places = new Int32Array(ids.length).fill(-1)
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
