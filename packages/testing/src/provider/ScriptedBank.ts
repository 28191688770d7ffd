/** A bank whose truth is what the test says: the upstream behind `ScriptedProvider`. */
import type { ObservedAccount, ObservedRecord } from "@millrace/core/provider/Provider"
import type { ProviderError } from "@millrace/core/provider/ProviderError"
import type { Fields } from "@millrace/core/record/FieldValue"
import type { CalendarDate } from "@millrace/core/shared/CalendarDate"
import * as Currency from "@millrace/core/shared/Currency"
import * as Decimal from "@millrace/core/shared/Decimal"

/** One event in the life of an account; `line` is its identity, whatever ids it goes through. */
export interface TrueRow {
  readonly line: number
  readonly account: string
  readonly providerId: string
  readonly pendingProviderId?: string
  readonly pending: boolean
  readonly date: CalendarDate
  readonly amount: string
  readonly description: string
  /** Shown in a form that cannot be read. */
  readonly broken?: boolean
}

export interface Posting {
  readonly account: string
  readonly date: CalendarDate
  readonly amount: string
  readonly description: string
  readonly pending?: boolean
}

type Event = { readonly kind: "shown"; readonly row: TrueRow } | { readonly kind: "gone"; readonly row: TrueRow }

export class ScriptedBank {
  readonly rows = new Map<number, TrueRow>()
  /** Everything that ever happened, for change feeds. */
  readonly events: Array<Event> = []
  readonly accountIds: ReadonlyArray<string>
  /** Accounts that are no longer listed. */
  readonly unlisted = new Set<string>()
  /** Errors of the next pulls, in order; `undefined` lets one pass. */
  readonly failures: Array<ProviderError | undefined> = []
  /** What happens behind the back of a reader, each before one of its next pages after the first. */
  readonly meanwhile: Array<() => void> = []
  /** Checkpoints of earlier generations are not accepted. */
  generation = 1
  /** The id under which each account is shown, where that is another than its own. */
  readonly shownIds = new Map<string, string>()
  pulls = 0
  balance = "0"
  private lines = 0
  private ids = 0

  constructor(accountIds: ReadonlyArray<string>) {
    this.accountIds = accountIds
  }

  private nextId(): string {
    return `u${++this.ids}`
  }

  private show(row: TrueRow): TrueRow {
    this.rows.set(row.line, row)
    this.events.push({ kind: "shown", row })
    return row
  }

  post(posting: Posting, providerId = this.nextId()): TrueRow {
    return this.show({ ...posting, line: ++this.lines, providerId, pending: posting.pending ?? false })
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
      ...(how.newId ? { providerId: this.nextId() } : {}),
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
      this.show({ ...row, providerId: this.nextId() })
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

  loseCheckpoints(): void {
    this.generation++
  }

  listAccounts(): ReadonlyArray<ObservedAccount> {
    return this.accountIds
      .filter((id) => !this.unlisted.has(id))
      .map((id) => ({
        providerAccountId: this.shownId(id),
        stableKeys: [`scripted:${id}`],
        number: "12345678",
        name: `Account ${id}`,
        type: "checking",
        currency: Currency.make("USD"),
        balance: Decimal.make(this.balance),
        supports: ["transactions", "balances"]
      }))
  }
}

/** The fields of a row as a driver gives them. */
export const fieldsOf = (row: TrueRow): Fields => ({
  date: row.date,
  description: row.description,
  originalDescription: row.description.toUpperCase(),
  amount: row.broken === true ? "not a number" : row.amount,
  currency: "USD"
})

/** A row as a driver gives it, under the ids that the upstream shows. */
export const observed = (bank: ScriptedBank, row: TrueRow, providerId = row.providerId): ObservedRecord => ({
  providerAccountId: bank.shownId(row.account),
  providerId,
  ...(row.pendingProviderId === undefined ? {} : { pendingProviderId: row.pendingProviderId }),
  pending: row.pending,
  fields: fieldsOf(row)
})
