import type { Random } from "effect/Random"

/** Random choices that are the same on every run: what property tests draw from. */
export class Seeded {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** Integer from 0 to below `size`. */
  below(size: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % size
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.below(values.length)]!
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  /** One of the keys, the more often the greater its weight (whole numbers); never one of weight 0. */
  weighted<A>(weights: ReadonlyArray<readonly [A, number]>): A {
    let at = this.below(weights.reduce((sum, [, weight]) => sum + weight, 0))
    for (const [key, weight] of weights) if ((at -= weight) < 0) return key
    throw new RangeError("nothing has a weight")
  }

  /** The same choices for whatever takes `Random` from its context. */
  get random(): Random {
    return {
      nextIntUnsafe: () => this.below(0x1_0000_0000) * 0x10_0000 + this.below(0x10_0000),
      nextDoubleUnsafe: () => this.below(0x1_0000_0000) / 0x1_0000_0000
    }
  }

  list<A>(min: number, max: number, make: () => A): Array<A> {
    return Array.from({ length: min + this.below(max - min + 1) }, make)
  }
}
