/** What has been usual: the logarithms of amounts, in order, of so many days (enrichments D4.1). */

const mostValues = 500

const place = (sorted: ReadonlyArray<number>, value: number): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

const middleOf = (sorted: ReadonlyArray<number>): number => {
  const at = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[at]! : (sorted[at - 1]! + sorted[at]!) / 2
}

/** The median distance from a value that lies among them: the nearest ones are taken from both sides. */
const middleDistance = (sorted: ReadonlyArray<number>, center: number): number => {
  const { length } = sorted
  let above = place(sorted, center)
  let below = above - 1
  let [last, now] = [0, 0]
  for (let taken = 0; taken <= length >> 1; taken++) {
    const far = above < length ? Math.abs(sorted[above]! - center) : Number.POSITIVE_INFINITY
    const deep = below >= 0 ? Math.abs(sorted[below]! - center) : Number.POSITIVE_INFINITY
    last = now
    if (far <= deep) {
      now = far
      above++
    } else {
      now = deep
      below--
    }
  }
  return length % 2 === 1 ? now : (last + now) / 2
}

export interface Usual {
  readonly n: number
  /** Median, and the median distance from it. */
  readonly center: number
  readonly mad: number
  readonly least: number
  readonly most: number
  /** The second largest; the largest of one. */
  readonly second: number
}

/** The 500 newest values of a window. */
export class Cell {
  /** In the order of time, from `from` on, each with its day. */
  private readonly values: Array<number> = []
  private readonly days: Array<number> = []
  private from = 0
  private readonly sorted: Array<number> = []
  private usualNow: Usual | undefined

  add(day: number, value: number): void {
    this.values.push(value)
    this.days.push(day)
    this.sorted.splice(place(this.sorted, value), 0, value)
    if (this.sorted.length > mostValues) this.drop()
    this.usualNow = undefined
  }

  private drop(): void {
    this.sorted.splice(place(this.sorted, this.values[this.from++]!), 1)
    this.usualNow = undefined
  }

  /** Forgets what is older than that day. */
  since(day: number): this {
    while (this.from < this.days.length && this.days[this.from]! < day) this.drop()
    return this
  }

  get size(): number {
    return this.sorted.length
  }

  get all(): ReadonlyArray<number> {
    return this.sorted
  }

  /** The value that so great a share does not exceed. */
  quantile(share: number): number {
    return this.sorted[Math.max(0, Math.ceil(share * this.sorted.length) - 1)] ?? Number.NEGATIVE_INFINITY
  }

  /** `undefined` without values. */
  usual(): Usual | undefined {
    if (this.sorted.length === 0) return undefined
    if (this.usualNow !== undefined) return this.usualNow
    const { sorted } = this
    const center = middleOf(sorted)
    return (this.usualNow = {
      n: sorted.length,
      center,
      mad: middleDistance(sorted, center),
      least: sorted[0]!,
      most: sorted.at(-1)!,
      second: sorted.at(-2) ?? sorted[0]!
    })
  }
}
