/**
 * What one person has at one institution: the truth that a reader of the fake upstream must end up with.
 *
 * It never looks at a real clock and draws nothing by itself: `now` is given, and random moves come from a seed. Fakes
 * show it in the wire format of their upstream; what they keep of that is a view of this ledger and no second truth.
 */
import { CalendarDate, type CalendarDateText, Decimal, type DecimalText, Timestamp } from "@millrace/core"
import type {
  TrueAccount,
  TrueHolding,
  TrueInstitution,
  TrueLoan,
  TrueOrder,
  TrueRow,
  TrueTrade
} from "./TrueRecord.ts"

/** The next id of something; upstreams differ in what ids look like. */
export type MakeId = (kind: "account" | "transaction" | "trade" | "order", n: number) => string

export interface LedgerOptions {
  readonly institution: TrueInstitution
  readonly accounts: ReadonlyArray<TrueAccount>
  /** Milliseconds. */
  readonly now: () => number
  /** `<first letter><n>` unless given; ids of one ledger are given out in their order. */
  readonly makeId?: MakeId
}

export type RowInput = Pick<TrueRow, "account" | "amount" | "description"> &
  Partial<Pick<TrueRow, "date" | "authorizedDate" | "pending" | "merchant" | "category" | "id">>

/** How a pending row becomes a posted one. */
export interface Settlement {
  /** `new`: the posted row has an id of its own; `same`: it keeps the id. `new` unless given. */
  readonly id?: "new" | "same"
  /** Whether the upstream says which pending row it was; true unless given. */
  readonly isLinked?: boolean
  readonly change?: Partial<Pick<TrueRow, "amount" | "date" | "description">>
}

/** A change of rows, in the order in which they happened: what change feeds tell. */
export interface LedgerChange {
  readonly seq: number
  readonly kind: "shown" | "gone"
  readonly row: TrueRow
  readonly at: number
}

const newestFirst = (a: TrueRow, b: TrueRow): number => (a.date === b.date ? b.line - a.line : a.date < b.date ? 1 : -1)

export class TrueLedger {
  readonly institution: TrueInstitution
  readonly accounts = new Map<string, TrueAccount>()
  /** By line. What was removed is not among them. */
  readonly rows = new Map<number, TrueRow>()
  readonly trades = new Map<number, TrueTrade>()
  /** All positions of an account, by its key. */
  readonly holdings = new Map<string, ReadonlyArray<TrueHolding>>()
  readonly loans = new Map<string, TrueLoan>()
  readonly orders = new Map<string, ReadonlyArray<TrueOrder>>()
  readonly changes: Array<LedgerChange> = []
  /** Accounts that the institution lists no longer. */
  readonly unlisted = new Set<string>()
  /** Posted rows of earlier days are shown no longer. */
  keepsFrom: CalendarDateText = CalendarDate.make("1970-01-01")
  private readonly now: () => number
  private readonly makeId: MakeId
  private lines = 0
  private ids = 0

  constructor({ accounts, institution, makeId, now }: LedgerOptions) {
    this.institution = institution
    this.now = now
    this.makeId = makeId ?? ((kind, n) => `${kind.slice(0, 1)}${n}`)
    for (const account of accounts) this.accounts.set(account.key, account)
  }

  get today(): CalendarDateText {
    return CalendarDate.make(Timestamp.fromMillis(this.now()).slice(0, 10))
  }

  account(key: string): TrueAccount {
    const found = this.accounts.get(key)
    if (found === undefined) throw new RangeError(`there is no account ${key}`)
    return found
  }

  /** The account that is shown under an id, if one is. */
  accountShownAs(id: string): TrueAccount | undefined {
    return this.listed.find((account) => account.id === id)
  }

  get listed(): ReadonlyArray<TrueAccount> {
    return [...this.accounts.values()].filter(({ key }) => !this.unlisted.has(key))
  }

  openAccount(account: Omit<TrueAccount, "id"> & { readonly id?: string }): TrueAccount {
    const opened = { ...account, id: account.id ?? this.makeId("account", ++this.ids) }
    this.accounts.set(opened.key, opened)
    return opened
  }

  private show(row: TrueRow): TrueRow {
    this.rows.set(row.line, row)
    this.changes.push({ seq: this.changes.length + 1, kind: "shown", row, at: this.now() })
    return row
  }

  private hide(row: TrueRow): void {
    this.changes.push({ seq: this.changes.length + 1, kind: "gone", row, at: this.now() })
  }

  post(input: RowInput): TrueRow {
    this.account(input.account)
    const at = this.now()
    return this.show({
      date: this.today,
      pending: false,
      isLinked: false,
      id: this.makeId("transaction", ++this.ids),
      ...input,
      line: ++this.lines,
      createdAt: at,
      changedAt: at
    })
  }

  /** The bank corrects a row; its id stays. */
  edit(
    row: TrueRow,
    change: Partial<Pick<TrueRow, "amount" | "description" | "date" | "merchant" | "category">>
  ): TrueRow {
    return this.show({ ...this.current(row), ...change, changedAt: this.now() })
  }

  settle(row: TrueRow, { change, id = "new", isLinked = true }: Settlement = {}): TrueRow {
    const before = this.current(row)
    if (!before.pending) throw new RangeError(`row ${before.id} is not pending`)
    const isNew = id === "new"
    if (isNew) this.hide(before)
    return this.show({
      ...before,
      authorizedDate: before.date,
      date: this.today,
      ...change,
      pending: false,
      ...(isNew ? { id: this.makeId("transaction", ++this.ids), pendingId: before.id, isLinked } : {}),
      changedAt: this.now()
    })
  }

  /** Gone permanently: a hold that was released, a row that the bank took back. */
  remove(row: TrueRow): void {
    const before = this.current(row)
    this.rows.delete(before.line)
    this.hide(before)
  }

  /** The row as it is now. */
  current(row: TrueRow): TrueRow {
    const found = this.rows.get(row.line)
    if (found === undefined) throw new RangeError(`row ${row.id} is gone`)
    return found
  }

  trade(input: Omit<TrueTrade, "line" | "id" | "createdAt"> & { readonly id?: string }): TrueTrade {
    this.account(input.account)
    const trade = { id: this.makeId("trade", ++this.ids), ...input, line: ++this.lines, createdAt: this.now() }
    this.trades.set(trade.line, trade)
    return trade
  }

  order(input: Omit<TrueOrder, "id" | "placedAt"> & { readonly id?: string }): TrueOrder {
    const order = { id: this.makeId("order", ++this.ids), placedAt: this.now(), ...input }
    this.orders.set(order.account, [...(this.orders.get(order.account) ?? []), order])
    return order
  }

  /** Every account and every row is shown under a new id, as after a new connection or a new system of the bank. */
  renumber(): void {
    for (const account of Array.from(this.accounts.values())) {
      this.accounts.set(account.key, { ...account, id: this.makeId("account", ++this.ids) })
    }
    for (const { pendingId: _, ...row } of Array.from(this.rows.values())) {
      this.hide(row)
      this.show({ ...row, isLinked: false, id: this.makeId("transaction", ++this.ids) })
    }
  }

  /** What is shown of an account now, or of all; newest first. */
  shown(account?: string): ReadonlyArray<TrueRow> {
    return [...this.rows.values()]
      .filter((row) => account === undefined || row.account === account)
      .filter((row) => !this.unlisted.has(row.account) && (row.pending || row.date >= this.keepsFrom))
      .toSorted(newestFirst)
  }

  tradesOf(account: string): ReadonlyArray<TrueTrade> {
    return [...this.trades.values()]
      .filter((trade) => trade.account === account)
      .toSorted((a, b) => (a.date === b.date ? b.line - a.line : a.date < b.date ? 1 : -1))
  }

  private sum(account: string, pending: boolean): DecimalText {
    const rows = [...this.rows.values()].filter((row) => row.account === account && row.pending === pending)
    return Decimal.sum(rows.map(({ amount }) => amount))
  }

  /** Cash: the opening and all that was posted or traded. */
  cash(key: string): DecimalText {
    const traded = Decimal.sum(this.tradesOf(key).map(({ amount }) => amount))
    return Decimal.add(Decimal.add(this.account(key).opening, this.sum(key, false)), traded)
  }

  /** Signed net position: cash and, where it holds securities, what they are worth. */
  balance(key: string): DecimalText {
    const worth = (this.holdings.get(key) ?? []).filter(({ security }) => security.kind !== "cash")
    return Decimal.add(this.cash(key), Decimal.sum(worth.map(({ value }) => value)))
  }

  /** What can be spent: the balance, all that is pending, and the credit that was given. */
  available(key: string): DecimalText {
    const drawn = Decimal.add(this.cash(key), this.sum(key, true))
    return Decimal.add(drawn, this.account(key).creditLimit ?? Decimal.zero)
  }
}
