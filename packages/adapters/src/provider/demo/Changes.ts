/** The rows of a transactions run. */
import type { Fields } from "@millrace/core/record"
import { type CalendarDate, Decimal } from "@millrace/core"
import { at, type Entry, type Posting } from "./Entry.ts"
import type { DemoAccount } from "./Institutions.ts"
import * as LargeLedger from "./LargeLedger.ts"
import { fingerprint } from "./Seed.ts"
import type { Checkpoint } from "./Token.ts"
import { amount, largeAccount, ledger, type World } from "./World.ts"

export interface Change {
  readonly account: DemoAccount
  readonly entry: Entry
  /** Absent: the entry is gone. */
  readonly posting?: Posting
}

/** A list of rows that is only worked out where it is read. */
export interface Rows<A> {
  /** Rows `start` up to, not including, `end`, and whether there are any after them. */
  readonly read: (start: number, end: number) => { readonly rows: ReadonlyArray<A>; readonly more: boolean }
}

export const rowsOf = <A>(list: ReadonlyArray<A>): Rows<A> => ({
  read: (start, end) => ({ rows: list.slice(start, end), more: end < list.length })
})

interface Part {
  readonly size: number
  readonly read: (start: number, end: number) => ReadonlyArray<Change>
}

const listed = (entry: Entry, now: number, from: CalendarDate.CalendarDate): Posting | undefined => {
  const posting = at(entry, now)
  return posting === undefined || posting.date < from ? undefined : posting
}

const changesOf = (
  here: World,
  account: DemoAccount,
  entries: ReadonlyArray<Entry>,
  from: CalendarDate.CalendarDate,
  since: number | undefined
): ReadonlyArray<Change> =>
  entries.flatMap((entry): ReadonlyArray<Change> => {
    const posting = listed(entry, here.now, from)
    const before = since === undefined ? undefined : listed(entry, since, from)
    if (posting === before) return []
    return [posting === undefined ? { account, entry } : { account, entry, posting }]
  })

const largePart = (
  here: World,
  account: DemoAccount,
  from: CalendarDate.CalendarDate,
  since: number | undefined
): Part => {
  const rows = here.connection.rows ?? 0
  const first = LargeLedger.firstFrom(rows, here.start, from)
  const key = fingerprint(here.key)
  return {
    // Its rows are all older than any checkpoint.
    size: since === undefined ? rows - first : 0,
    read: (start, end) =>
      Array.from({ length: end - start }, (_, index) => ({
        account,
        ...LargeLedger.row(account.slug, key, rows, here.start, first + start + index)
      }))
  }
}

/** What was added, changed and removed since the checkpoint; without one, everything dated `from` or later. */
export const changes = (here: World, from: CalendarDate.CalendarDate, since: Checkpoint | undefined): Rows<Change> => {
  const large = largeAccount(here)
  let entries: ReturnType<typeof ledger> | undefined
  const partOf = (account: DemoAccount): Part => {
    if (account === large) return largePart(here, account, from, since?.at)
    entries ??= ledger(here)
    const list = changesOf(here, account, entries.get(account.slug) ?? [], from, since?.at)
    return { size: list.length, read: (start, end) => list.slice(start, end) }
  }
  const accounts = here.accounts.filter((account) => account.supports.includes("transactions"))
  return {
    read: (start, end) => {
      const rows: Array<Change> = []
      let base = 0
      for (const account of accounts) {
        const part = partOf(account)
        const low = Math.max(start - base, 0)
        const high = Math.min(end - base, part.size)
        if (low < high) rows.push(...part.read(low, high))
        base += part.size
        // The accounts that follow are not worked out for a page that ends here.
        if (base > end) return { rows, more: true }
      }
      return { rows, more: false }
    }
  }
}

export const transactionFields = (account: DemoAccount, entry: Entry, posting: Posting): Fields => {
  const value = amount(account, posting.units)
  const income = posting.units > 0n
  return {
    date: posting.date,
    ...(posting.authorizedDate === undefined ? {} : { authorizedDate: posting.authorizedDate }),
    description: posting.text,
    originalDescription: posting.text,
    ...(posting.merchant === undefined ? {} : { merchantName: posting.merchant }),
    amount: value,
    creditAmount: income ? value : Decimal.zero,
    debitAmount: income ? Decimal.zero : Decimal.negate(value),
    currency: account.currency,
    category: posting.category,
    type: posting.type,
    reference: posting.reference,
    pending: entry.pending
  }
}
