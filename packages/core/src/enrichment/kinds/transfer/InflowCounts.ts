/** How many likely inflows there are in a span of days, of other accounts than one: without looking at them one by one. */
import type { MonthLegs } from "./MonthLegs.ts"

export class InflowCounts {
  private readonly first: number
  private readonly days: number
  private readonly accounts: number
  /** By currency, and by currency and account: inflows up to the day `first + n - 1`. */
  private readonly byCurrency = new Map<number, Int32Array>()
  private readonly byAccount = new Map<number, Int32Array>()

  constructor({ account, currency, day, ins, space, weight }: MonthLegs) {
    this.accounts = space.accounts.length
    let [first, last] = [Infinity, -Infinity]
    for (const leg of ins) {
      if (weight[leg]! < 0) continue
      if (day[leg]! < first) first = day[leg]!
      if (day[leg]! > last) last = day[leg]!
    }
    this.first = first
    this.days = last < first ? 0 : last - first + 1
    for (const leg of ins) {
      if (weight[leg]! < 0) continue
      this.add(this.byCurrency, currency[leg]!, day[leg]!)
      this.add(this.byAccount, currency[leg]! * this.accounts + account[leg]!, day[leg]!)
    }
    for (const sums of [...this.byCurrency.values(), ...this.byAccount.values()]) {
      for (let n = 1; n <= this.days; n++) sums[n] = sums[n]! + sums[n - 1]!
    }
  }

  private add(map: Map<number, Int32Array>, key: number, day: number): void {
    let sums = map.get(key)
    if (sums === undefined) map.set(key, (sums = new Int32Array(this.days + 1)))
    sums[day - this.first + 1]!++
  }

  /** From and to are days, both with; currency and account are numbers. */
  count(currency: number, notOf: number, from: number, to: number): number {
    const every = this.byCurrency.get(currency)
    if (every === undefined) return 0
    const low = Math.min(this.days, Math.max(0, from - this.first))
    const high = Math.min(this.days, Math.max(0, to - this.first + 1))
    if (high <= low) return 0
    const own = this.byAccount.get(currency * this.accounts + notOf)
    return every[high]! - every[low]! - (own === undefined ? 0 : own[high]! - own[low]!)
  }
}
