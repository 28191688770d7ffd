/** Legs in the order of their amounts. */
import { inOrder } from "./UnitOrder.ts"

export class SortedUnits {
  readonly size: number
  /** Ten-thousandths, from the least on, and the leg of each. */
  readonly units: Float64Array
  readonly legs: Int32Array

  /** `legs`: in order; `units`: of all legs, by leg. */
  constructor(units: Float64Array, legs: Int32Array) {
    this.size = legs.length
    const most = legs.reduce((found, leg) => Math.max(found, units[leg]!), 0)
    // Amount and place in one number sort without calls, as long as a double holds both.
    if ((most + 1) * legs.length < Number.MAX_SAFE_INTEGER) {
      const keys = inOrder(Float64Array.from(legs, (leg, n) => units[leg]! * legs.length + n))
      this.legs = Int32Array.from(keys, (key) => legs[key % legs.length]!)
    } else this.legs = legs.toSorted((a, b) => units[a]! - units[b]! || a - b)
    this.units = Float64Array.from(this.legs, (leg) => units[leg]!)
  }

  /** The first place whose amount is not below. */
  from(least: number): number {
    let [low, high] = [0, this.size]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.units[middle]! < least) low = middle + 1
      else high = middle
    }
    return low
  }
}
