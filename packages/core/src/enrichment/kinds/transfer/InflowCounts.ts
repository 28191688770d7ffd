/** How many likely inflows there are in a span of days, of other accounts than one. */
import { lowerBound } from "../../../shared/LowerBound.ts"
import type { MonthLegs } from "./MonthLegs.ts"

export class InflowCounts {
  /** Days of inflows in order, by currency, and by currency and account. */
  private readonly days = new Map<string, Array<number>>()

  constructor({ ins }: MonthLegs) {
    for (const { accountId, currency, day, weight } of ins) {
      if (weight < 0) continue
      this.add(currency, day)
      this.add(`${currency} ${accountId}`, day)
    }
  }

  private add(key: string, day: number): void {
    const days = this.days.get(key)
    if (days === undefined) this.days.set(key, [day])
    else days.push(day)
  }

  private within(key: string, from: number, to: number): number {
    const days = this.days.get(key)
    return days === undefined ? 0 : lowerBound(days, to + 1) - lowerBound(days, from)
  }

  /** From and to are days, both with. */
  count(currency: string, notOf: string, from: number, to: number): number {
    return this.within(currency, from, to) - this.within(`${currency} ${notOf}`, from, to)
  }
}
