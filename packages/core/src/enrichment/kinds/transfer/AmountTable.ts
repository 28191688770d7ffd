/**
 * Legs that arrived by currency and amount, and those that left with an equal one: chains in order of the legs, found by
 * hashing numbers. Amounts with which nothing arrived are not kept.
 */
export interface AmountColumns {
  /** In ten-thousandths. */
  readonly units: Float64Array
  /** By number. */
  readonly currency: Uint16Array
}

const none = -1

export class AmountTable {
  private readonly columns: AmountColumns
  private readonly mask: number
  /** The first leg that arrived with the amount of a place, and the first that left with it. */
  private readonly first: Int32Array
  private readonly firstOut: Int32Array
  private readonly after: Int32Array

  /** `ins` and `outs`: legs in order. */
  constructor(columns: AmountColumns, ins: Int32Array, outs: Int32Array) {
    this.columns = columns
    const size = 1 << (32 - Math.clz32(Math.max(4, ins.length * 2 - 1)))
    this.mask = size - 1
    this.first = new Int32Array(size).fill(none)
    this.firstOut = new Int32Array(size).fill(none)
    this.after = new Int32Array(columns.units.length).fill(none)
    const { after, first, firstOut } = this
    // From the last one on, so that each is put before those behind it.
    for (let n = ins.length - 1; n >= 0; n--) {
      const leg = ins[n]!
      const at = this.placeOf(leg)
      after[leg] = first[at]!
      first[at] = leg
    }
    for (let n = outs.length - 1; n >= 0; n--) {
      const leg = outs[n]!
      const at = this.placeOf(leg)
      if (first[at] === none) continue
      after[leg] = firstOut[at]!
      firstOut[at] = leg
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
    return this.seek(this.columns.currency[leg]!, this.columns.units[leg]!)
  }

  /** The first that arrived with the amount of a leg; -1 for none. `next` has those behind it. */
  arrived(leg: number): number {
    return this.first[this.placeOf(leg)]!
  }

  /** The first that left with the amount of a leg; -1 for none, and where nothing arrived with it. */
  left(leg: number): number {
    return this.firstOut[this.placeOf(leg)]!
  }

  /** The next of the same direction and amount; -1 behind the last one. */
  next(leg: number): number {
    return this.after[leg]!
  }
}
