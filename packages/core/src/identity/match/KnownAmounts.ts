/** On which days an amount is known to have been booked. */
import { lowerBound } from "../../shared/LowerBound.ts"
import { twinDays } from "./MatchCost.ts"
import type { MatchRow } from "./MatchRow.ts"

export class KnownAmounts {
  readonly #days = new Map<string, ReadonlyArray<number>>()

  constructor(rows: Iterable<Pick<MatchRow, "amount" | "currency" | "day">>) {
    const days = new Map<string, Array<number>>()
    for (const { amount, currency, day } of rows) {
      if (day === undefined) continue
      const key = `${currency} ${amount}`
      const list = days.get(key)
      if (list === undefined) days.set(key, [day])
      else list.push(day)
    }
    for (const [key, list] of days) {
      this.#days.set(
        key,
        list.toSorted((a, b) => a - b)
      )
    }
  }

  /** Rows with the amount within `twinDays` of the day. */
  near({ amount, currency, day }: Pick<MatchRow, "amount" | "currency" | "day">): number {
    const days = this.#days.get(`${currency} ${amount}`)
    if (days === undefined || day === undefined) return 0
    return lowerBound(days, day + twinDays + 1) - lowerBound(days, day - twinDays)
  }
}
