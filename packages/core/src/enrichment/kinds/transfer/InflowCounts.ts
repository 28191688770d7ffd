/** How many likely inflows there are in a span of days, of other accounts than one: without looking at them one by one. */
import type { MonthLegs } from "./MonthLegs.ts"

export class InflowCounts {
  private readonly first: number
  private readonly days: number
  private readonly accounts: number
  /** By currency, and by currency and account: inflows up to the day `first + n - 1`. */
  private readonly byCurrency: Array<Int32Array | undefined> = []
  private readonly byAccount: Array<Int32Array | undefined> = []

  constructor({ account, currency, day, ins, space, weight }: MonthLegs) {
    this.accounts = space.accounts.length
    let [first, last] = [Infinity, -Infinity]
    for (let n = 0; n < ins.length; n++) {
      const leg = ins[n]!
      if (weight[leg]! < 0) continue
      if (day[leg]! < first) first = day[leg]!
      if (day[leg]! > last) last = day[leg]!
    }
    this.first = first
    this.days = last < first ? 0 : last - first + 1
    for (let n = 0; n < ins.length; n++) {
      const leg = ins[n]!
      if (weight[leg]! < 0) continue
      this.add(this.byCurrency, currency[leg]!, day[leg]!)
      this.add(this.byAccount, currency[leg]! * this.accounts + account[leg]!, day[leg]!)
    }
    for (const all of [this.byCurrency, this.byAccount]) {
      for (const sums of all) {
        if (sums !== undefined) for (let n = 1; n <= this.days; n++) sums[n] = sums[n]! + sums[n - 1]!
      }
    }
  }

  private add(all: Array<Int32Array | undefined>, key: number, day: number): void {
    const sums = (all[key] ??= new Int32Array(this.days + 1))
    sums[day - this.first + 1]!++
  }

  /** From and to are days, both with; currency and account are numbers. */
  count(currency: number, notOf: number, from: number, to: number): number {
    const every = this.byCurrency[currency]
    if (every === undefined) return 0
    const low = Math.min(this.days, Math.max(0, from - this.first))
    const high = Math.min(this.days, Math.max(0, to - this.first + 1))
    if (high <= low) return 0
    const own = this.byAccount[currency * this.accounts + notOf]
    return every[high]! - every[low]! - (own === undefined ? 0 : own[high]! - own[low]!)
  }
}
