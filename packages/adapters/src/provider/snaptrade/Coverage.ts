/** What a read of SnapTrade covers: no more than what SnapTrade itself says that it has read from the broker. */
import { CalendarDate, Timestamp } from "@millrace/core"
import type { Coverage, ObservedAccount, ObservedRecord, PullRequest } from "@millrace/core/provider"
import type { Account } from "./Forms.ts"
import { fingerprint } from "./Position.ts"
import { dayOf } from "../upstream/Texts.ts"

export interface KnownAccount {
  readonly account: Account
  readonly observed: ObservedAccount
}

/** Whether SnapTrade has read the account from the broker for the first time. */
export const isRead = ({ sync_status: status }: Account): boolean =>
  status?.holdings?.initial_sync_completed !== false && status?.transactions?.initial_sync_completed !== false

/** What a row is recognised by on the next page. */
export const markOf = (row: unknown): string => {
  const id = typeof row === "object" && row !== null ? (row as { readonly id?: unknown }).id : undefined
  return fingerprint(typeof id === "string" ? id : (JSON.stringify(row) ?? ""))
}

const dayOfRecord = ({ fields }: ObservedRecord): CalendarDate.CalendarDate =>
  CalendarDate.make(String(fields["date"]).slice(0, 10))

const oldest = (records: ReadonlyArray<ObservedRecord>): CalendarDate.CalendarDate | undefined =>
  records.map(dayOfRecord).toSorted()[0]

/**
 * The days for which a page of activities shows all. SnapTrade says up to which day it has read them all, and which is the
 * first; the last page ends with the oldest rows.
 */
export const windowOf = (
  { from, to }: PullRequest,
  { account, observed }: KnownAccount,
  isLast: boolean,
  rows: ReadonlyArray<ObservedRecord>
): Coverage => {
  const status = account.sync_status?.transactions
  const readTo = dayOf(status?.last_successful_sync)
  const end = readTo === undefined ? to : CalendarDate.min(to, readTo)
  // Nothing of the days asked for was read yet.
  if (end < from) return { kind: "window", from, to, complete: false }
  const first = dayOf(status?.first_transaction_date)
  const shown = oldest(rows)
  const known = first === undefined || shown === undefined ? first : CalendarDate.min(first, shown)
  return {
    kind: "window",
    from,
    to: end,
    complete: isLast,
    ...(!isLast || known === undefined
      ? {}
      : {
          historyFrom: [{ providerAccountId: observed.providerAccountId, from: CalendarDate.max(from, known) }]
        })
  }
}

/** Days that SnapTrade looks back for orders, at most. */
export const orderDays = 90

/**
 * The days for which an answer shows all orders that are open. It is counted in hours, so of its first day a part may be
 * missing; an order that was placed before may still be open, and nothing is said of it.
 */
export const openOrdersWindow = (
  now: number,
  { to }: PullRequest,
  providerAccountId: string,
  complete: boolean
): Coverage => {
  const today = CalendarDate.make(Timestamp.fromMillis(now).slice(0, 10))
  const from = CalendarDate.addDays(today, 1 - orderDays)
  // Days of orders are those of UTC, which may be ahead of the one who asks.
  const last = to > today ? to : today
  return {
    kind: "window",
    from,
    to: last,
    complete,
    ...(complete ? { historyFrom: [{ providerAccountId, from }] } : {})
  }
}
