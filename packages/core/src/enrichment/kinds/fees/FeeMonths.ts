/** Months of accounts: the parts in which fees are looked for. */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { Id } from "../../../shared/Ids.ts"

/** Days after a fee on which it may be given back. */
export const refundDays = 60

export const monthAfter = (month: string, months: number): string => {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + months
  return `${String(Math.floor(at / 12)).padStart(4, "0")}-${String((at % 12) + 1).padStart(2, "0")}`
}

/** The account and month of a key. */
export const partOf = (key: string): { readonly account: Id<"account">; readonly month: string } => {
  const at = key.lastIndexOf(":")
  return { account: key.slice(0, at) as Id<"account">, month: key.slice(at + 1) }
}

/** Days for which keys are kept. */
const mostKnown = 10_000
/** More days than lie between any two that are asked for. */
const manyDays = 100_000

/** Keys of the partitions of an account, which are its months. Records of one day are in the same, so they are made once. */
export class MonthKeys {
  /** By account, and by the days between which they lie. */
  private readonly known = new Map<string, Map<number, ReadonlyArray<string>>>()
  private count = 0

  /** Of all months from one day to another one, both counted from 1970. */
  between(accountId: string, from: number, to: number): ReadonlyArray<string> {
    const days = from * manyDays + (to - from)
    const found = this.known.get(accountId)?.get(days)
    if (found !== undefined) return found
    const last = CalendarDate.fromEpochDay(to).slice(0, 7)
    const keys: Array<string> = []
    for (let month = CalendarDate.fromEpochDay(from).slice(0, 7); month <= last; month = monthAfter(month, 1)) {
      keys.push(`${accountId}:${month}`)
    }
    if (++this.count > mostKnown) {
      this.known.clear()
      this.count = 1
    }
    const own = this.known.get(accountId) ?? new Map<number, ReadonlyArray<string>>()
    this.known.set(accountId, own.set(days, keys))
    return keys
  }
}
