/** Ledger entries with a life: when they appear, how they change and when they go. */
import type { Category, TransactionType } from "@millrace/core/record"
import type { CalendarDate } from "@millrace/core"

/** What an entry says at one time. */
export interface Posting {
  readonly date: CalendarDate.CalendarDate
  readonly authorizedDate?: CalendarDate.CalendarDate
  /** As the bank prints it. */
  readonly text: string
  readonly merchant?: string
  /** Minor units of the account's currency; negative: money leaves. */
  readonly units: bigint
  readonly type: TransactionType
  readonly category: Category
  readonly reference: string
}

export interface Entry {
  /** Slug of the account. */
  readonly account: string
  readonly id: string
  /** Pending for life: what settles is gone, and a posted entry of another id takes its place. */
  readonly pending: boolean
  /** The pending entry that this one settles. */
  readonly settles?: string
  /** Oldest first; `from` is the instant in milliseconds at which the bank begins to say so. */
  readonly versions: readonly [Version, ...ReadonlyArray<Version>]
  /** The instant from which the entry is no longer listed. */
  readonly goneAt?: number
}

export interface Version {
  readonly from: number
  readonly posting: Posting
}

/** What the entry says at an instant; `undefined` before it appears and after it went. */
export const at = (entry: Entry, now: number): Posting | undefined => {
  if (entry.versions[0].from > now || (entry.goneAt !== undefined && entry.goneAt <= now)) return undefined
  let posting = entry.versions[0].posting
  for (const version of entry.versions) if (version.from <= now) posting = version.posting
  return posting
}

/** What the entry says in the end. */
export const settled = (entry: Entry): Posting => (entry.versions.at(-1) ?? entry.versions[0]).posting

/** `value * numerator / denominator`, ties to the even neighbour; the denominator is positive. */
export const proportion = (value: bigint, numerator: bigint, denominator: bigint): bigint => {
  const product = value * numerator
  const negative = product < 0n
  const size = negative ? -product : product
  const whole = size / denominator
  const twice = (size % denominator) * 2n
  const rounded = twice > denominator || (twice === denominator && whole % 2n === 1n) ? whole + 1n : whole
  return negative ? -rounded : rounded
}
