/**
 * Legs that arrived by currency and amount, and those that left with an equal one: chains in order of the legs, found by
 * hashing numbers. Amounts with which nothing arrived are not kept.
 */
export interface AmountColumns {
  /** In ten-thousandths. */
  readonly units: Float64Array
  /** By number. */
  readonly currency: Int32Array
}

const none = -1

export class AmountTable {
  private readonly columns: AmountColumns
  private readonly mask: number
  /** The first leg that arrived with the amount of a place. */
  private readonly first: Int32Array
  private readonly last: Int32Array
  private readonly firstOut: Int32Array
  private readonly lastOut: Int32Array
  private readonly after: Int32Array
  /** Of a leg; -1 for those that left with another amount than all that arrived. */
  private readonly place: Int32Array

  /** `ins` and `outs`: legs in order. */
  constructor(columns: AmountColumns, ins: Int32Array, outs: Int32Array) {
    this.columns = columns
    const size = 1 << (32 - Math.clz32(Math.max(4, ins.length * 2 - 1)))
    this.mask = size - 1
    this.first = new Int32Array(size).fill(none)
    this.last = new Int32Array(size)
    this.firstOut = new Int32Array(size).fill(none)
    this.lastOut = new Int32Array(size)
    this.after = new Int32Array(columns.units.length).fill(none)
    this.place = new Int32Array(columns.units.length).fill(none)
    const { after, first, firstOut, last, lastOut, place } = this
    for (const leg of ins) {
      const at = this.seek(columns.currency[leg]!, columns.units[leg]!)
      place[leg] = at
      if (first[at] === none) first[at] = leg
      else after[last[at]!] = leg
      last[at] = leg
    }
    for (const leg of outs) {
      const at = this.seek(columns.currency[leg]!, columns.units[leg]!)
      if (first[at] === none) continue
      place[leg] = at
      if (firstOut[at] === none) firstOut[at] = leg
      else after[lastOut[at]!] = leg
      lastOut[at] = leg
    }
  }

  /** The place of an amount, or the free one where it would be. */
  private seek(currency: number, units: number): number {
    const { first, mask } = this
    const columns = this.columns
    let hash = Math.imul((units | 0) ^ Math.imul(currency + 1, 0x9e3779b1), 0x85ebca6b)
    hash ^= hash >>> 15
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const leg = first[at]!
      if (leg === none || (columns.units[leg] === units && columns.currency[leg] === currency)) return at
    }
  }

  private placeOf(leg: number): number {
    const known = this.place[leg]!
    return known >= 0 ? known : this.seek(this.columns.currency[leg]!, this.columns.units[leg]!)
  }

  /** The first that arrived with the amount of a leg that left; -1 for none. `next` has those behind it. */
  arrived(out: number): number {
    const at = this.place[out]!
    return at < 0 ? none : this.first[at]!
  }

  /** The first that left with the amount of a leg that arrived; -1 for none. */
  left(into: number): number {
    return this.firstOut[this.placeOf(into)]!
  }

  /** Of legs that are in no chain too. */
  arrivedLike(leg: number): number {
    return this.first[this.placeOf(leg)]!
  }

  /** The next of the same direction and amount; -1 behind the last one. */
  next(leg: number): number {
    return this.after[leg]!
  }
}
