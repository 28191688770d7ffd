/** How many inflows there are in a span of days, of other accounts than one: without looking at them one by one. */
import type { Leg } from "./Leg.ts"

interface Running {
  /** `sums[n]`: inflows up to the day `first + n - 1`. */
  readonly sums: Int32Array
}

export class InflowCounts {
  private readonly first: number
  private readonly days: number
  private readonly byCurrency = new Map<string, Running>()
  private readonly byAccount = new Map<string, Running>()

  constructor(inflows: ReadonlyArray<Leg>) {
    this.first = inflows.reduce((least, { day }) => Math.min(least, day), Infinity)
    const last = inflows.reduce((most, { day }) => Math.max(most, day), -Infinity)
    this.days = inflows.length === 0 ? 0 : last - this.first + 1
    for (const { accountId, currency, day } of inflows) {
      this.add(this.byCurrency, currency, day)
      this.add(this.byAccount, `${currency} ${accountId}`, day)
    }
    for (const { sums } of [...this.byCurrency.values(), ...this.byAccount.values()]) {
      for (let n = 1; n <= this.days; n++) sums[n] = sums[n]! + sums[n - 1]!
    }
  }

  private add(map: Map<string, Running>, key: string, day: number): void {
    let running = map.get(key)
    if (running === undefined) map.set(key, (running = { sums: new Int32Array(this.days + 1) }))
    running.sums[day - this.first + 1]!++
  }

  /** From and to are days, both with. */
  count(currency: string, notOf: string, from: number, to: number): number {
    const every = this.byCurrency.get(currency)
    if (every === undefined) return 0
    const low = Math.min(this.days, Math.max(0, from - this.first))
    const high = Math.min(this.days, Math.max(0, to - this.first + 1))
    if (high <= low) return 0
    const own = this.byAccount.get(`${currency} ${notOf}`)
    return every.sums[high]! - every.sums[low]! - (own === undefined ? 0 : own.sums[high]! - own.sums[low]!)
  }
}
