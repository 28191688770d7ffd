/** A bank whose truth is what the test says: the upstream behind `ScriptedProvider`. */
import type {
  ConnectionHealth,
  ObservedAccount,
  ObservedRecord,
  ProviderError,
  PullRequest
} from "@millrace/core/provider"
import type { Fields } from "@millrace/core/record"
import { CalendarDate, Currency, Decimal } from "@millrace/core"

/** One event in the life of an account; `line` is its identity, whatever ids it goes through. */
export interface TrueRow {
  readonly line: number
  readonly account: string
  readonly providerId: string
  readonly pendingProviderId?: string
  readonly pending: boolean
  readonly date: CalendarDate.CalendarDate
  readonly amount: string
  readonly description: string
  /** USD unless given. */
  readonly currency?: string
  /** Shown in a form that cannot be read. */
  readonly broken?: boolean
}

export interface Posting {
  readonly account: string
  readonly date: CalendarDate.CalendarDate
  readonly amount: string
  readonly description: string
  readonly pending?: boolean
  readonly currency?: string
}

type Event = { readonly kind: "shown"; readonly row: TrueRow } | { readonly kind: "gone"; readonly row: TrueRow }

export const longAgo = CalendarDate.make("1970-01-01")

const newestFirst = (a: TrueRow, b: TrueRow): number => (a.date === b.date ? b.line - a.line : a.date < b.date ? 1 : -1)

export class ScriptedBank {
  readonly rows = new Map<number, TrueRow>()
  /** Everything that ever happened, for change feeds. */
  readonly events: Array<Event> = []
  readonly accountIds: ReadonlyArray<string>
  /** Accounts that are no longer listed. */
  readonly unlisted = new Set<string>()
  /** Accounts that have no transactions. */
  readonly lacking = new Set<string>()
  /** Errors of the next pulls, in order; `undefined` lets one pass. */
  readonly failures: Array<ProviderError | undefined> = []
  /** Errors of the next looks at the connection and its accounts. */
  readonly lookFailures: Array<ProviderError> = []
  health: ConnectionHealth = { status: "connected" }
  /** So many of the next snapshots show only their first rows, or none, and still say that they are complete. */
  shortReads = 0
  /** One in so many rows is shown by them; `Infinity` shows none. */
  shortBy = 3
  /** They show the oldest rows instead of the newest. */
  shortAtStart = false
  /** What was asked last. */
  asked: PullRequest | undefined = undefined
  /** How much posted history each account still shows: from this day on, and so many of its latest rows. */
  keeps: { readonly from: CalendarDate.CalendarDate; readonly rows: number } = { from: longAgo, rows: Infinity }
  /** Lines that a read which asked for them did not show because of it. */
  readonly leftOut = new Set<number>()
  /** Shows the last row of a page again as the first of the next one. */
  repeatsEdges = false
  /** Gives every account ids of its own, so that accounts share them. */
  sharesIds = false
  /** What happens behind the back of a reader, each before one of its next pages after the first. */
  readonly meanwhile: Array<() => void> = []
  /** Checkpoints of earlier generations are not accepted. */
  generation = 1
  /** The id under which each account is shown, where that is another than its own. */
  readonly shownIds = new Map<string, string>()
  /** Nothing tells which account is which but its id: no stable keys, and another name under each id. */
  keyless = false
  pulls = 0
  balance = "0"
  private lines = 0
  private readonly ids = new Map<string, number>()

  constructor(accountIds: ReadonlyArray<string>) {
    this.accountIds = accountIds
  }

  private nextId(account: string): string {
    const owner = this.sharesIds ? account : ""
    const n = (this.ids.get(owner) ?? 0) + 1
    this.ids.set(owner, n)
    return `u${n}`
  }

  private show(row: TrueRow): TrueRow {
    this.rows.set(row.line, row)
    this.events.push({ kind: "shown", row })
    return row
  }

  post(posting: Posting, providerId = this.nextId(posting.account)): TrueRow {
    const { account, amount, currency, date, description, pending = false } = posting
    const row = { line: ++this.lines, providerId, account, date, amount, description, pending }
    return this.show(currency === undefined ? row : { ...row, currency })
  }

  /** Becomes posted: under another id with `newId`, which names the pending one with `link`. */
  settle(
    row: TrueRow,
    how: { readonly newId: boolean; readonly link: boolean; readonly change?: Partial<Posting> }
  ): TrueRow {
    const posted: TrueRow = {
      ...row,
      ...how.change,
      pending: false,
      ...(how.newId ? { providerId: this.nextId(row.account) } : {}),
      ...(how.newId && how.link ? { pendingProviderId: row.providerId } : {})
    }
    if (how.newId) this.events.push({ kind: "gone", row })
    return this.show(posted)
  }

  change(row: TrueRow, change: Partial<Omit<TrueRow, "line" | "account" | "providerId">>): TrueRow {
    return this.show({ ...row, ...change })
  }

  remove(row: TrueRow): void {
    this.rows.delete(row.line)
    this.events.push({ kind: "gone", row })
  }

  /** Every row is shown under another id, as banks do after they changed their systems. */
  renumber(): void {
    for (const { pendingProviderId: _, ...row } of Array.from(this.rows.values())) {
      this.show({ ...row, providerId: this.nextId(row.account) })
    }
  }

  /** Nothing is shown under the ids that it had: neither accounts nor rows, and no checkpoint is accepted. */
  reconnect(): void {
    this.loseCheckpoints()
    this.renumber()
    for (const id of this.accountIds) this.shownIds.set(id, `${id}-${this.generation}`)
  }

  shownId(account: string): string {
    return this.shownIds.get(account) ?? account
  }

  /** Another event under the same id. */
  replace(row: TrueRow, change: Pick<Posting, "amount" | "description">): TrueRow {
    this.rows.delete(row.line)
    return this.show({ ...row, ...change, line: ++this.lines })
  }

  /** The same row under another id, which names nothing of the old one: to a reader, one that goes and one that comes. */
  reissue(row: TrueRow): TrueRow {
    this.remove(row)
    return this.post(row, this.nextId(row.account))
  }

  /** What the events up to there say is shown. */
  shownAt(events: number): ReadonlyArray<TrueRow> {
    const shown = new Map<string, TrueRow>()
    for (const { kind, row } of this.events.slice(0, events)) {
      const key = `${row.account} ${row.providerId}`
      if (kind === "shown") shown.set(key, row)
      else shown.delete(key)
    }
    return [...shown.values()]
  }

  /** What it still shows, newest first. */
  get stillShown(): ReadonlyArray<TrueRow> {
    const posted = new Map<string, number>()
    return [...this.rows.values()].toSorted(newestFirst).filter(({ account, date, pending }) => {
      if (pending) return true
      const place = (posted.get(account) ?? 0) + 1
      posted.set(account, place)
      return date >= this.keeps.from && place <= this.keeps.rows
    })
  }

  loseCheckpoints(): void {
    this.generation++
  }

  listAccounts(): ReadonlyArray<ObservedAccount> {
    return this.accountIds
      .filter((id) => !this.unlisted.has(id))
      .map((id) => ({
        providerAccountId: this.shownId(id),
        stableKeys: this.keyless ? [] : [`scripted:${id}`],
        number: "12345678",
        name: `Account ${this.keyless ? this.shownId(id) : id}`,
        type: "checking",
        currency: Currency.make("USD"),
        balance: Decimal.make(this.balance),
        supports: this.lacking.has(id) ? ["balances"] : ["transactions", "balances"]
      }))
  }
}

/** The fields of a row as a driver gives them. */
const fieldsOf = (row: TrueRow): Fields => ({
  date: row.date,
  description: row.description,
  originalDescription: row.description.toUpperCase(),
  amount: row.broken === true ? "not a number" : row.amount,
  currency: row.currency ?? "USD"
})

/** A row as a driver gives it, under the ids that the upstream shows. */
export const observed = (bank: ScriptedBank, row: TrueRow, providerId = row.providerId): ObservedRecord => ({
  providerAccountId: bank.shownId(row.account),
  providerId,
  ...(row.pendingProviderId === undefined ? {} : { pendingProviderId: row.pendingProviderId }),
  pending: row.pending,
  fields: fieldsOf(row)
})
