/** The statements of a file put together by account: their rows, their balances, and whether these follow from each other. */
import { type CalendarDate, type Currency, Decimal } from "@millrace/core"
import type { AccountType } from "@millrace/core/provider"
import { type StatementAccount, StatementFault } from "@millrace/core/upload"
import { accountKey } from "./AccountKey.ts"
import { difference } from "./BalanceReconciliation.ts"
import type { ReaderNotes } from "./ReaderNotes.ts"
import type { StatedRow } from "./StatedRow.ts"

/** Where a row goes that its statement does not keep. */
export type TakeRow = (draft: StatementDraft, row: StatedRow) => void

/** One statement of one account, as a message of the bank states it. */
export class StatementDraft {
  /** Line that it begins on. */
  readonly line: number
  bankId = ""
  number = ""
  name = ""
  type: AccountType = "unknown"
  currency: Currency.Currency | undefined
  from: CalendarDate.CalendarDate | undefined
  to: CalendarDate.CalendarDate | undefined
  opening: Decimal.Decimal | undefined
  openingDate: CalendarDate.CalendarDate | undefined
  closing: Decimal.Decimal | undefined
  closingDate: CalendarDate.CalendarDate | undefined
  available: Decimal.Decimal | undefined
  /** Those that were added and that nobody took. */
  rows: Array<StatedRow> = []
  /** Rows that were added. */
  count = 0
  /** Their latest day, `""` where there is none. */
  latest = ""
  /** Rows that could not be read. */
  refused = 0

  constructor(line: number) {
    this.line = line
  }

  /** Keeps a row, unless somebody takes it. */
  add(row: StatedRow, take: TakeRow | undefined): void {
    this.count++
    if (row.date > this.latest) this.latest = row.date
    if (take === undefined) this.rows.push(row)
    else take(this, row)
  }
}

/** The day that orders the statements of an account. */
const dayOf = (draft: StatementDraft): string =>
  draft.closingDate ?? draft.to ?? draft.openingDate ?? draft.rows.at(-1)?.date ?? ""

const settleCurrency = (draft: StatementDraft, base: Currency.Currency, notes: ReaderNotes): void => {
  const own = new Set(draft.rows.map((row) => row.currency))
  own.delete("" as Currency.Currency)
  if (draft.currency === undefined) {
    const only = own.size === 1 ? own.values().next().value : undefined
    draft.currency = only ?? base
    if (only === undefined) {
      if (notes.assumed["currency"] === undefined) notes.warn(draft.line, `no currency is named: ${base} assumed`)
      notes.assumed["currency"] = base
    }
  }
  for (const row of draft.rows) if (row.currency === "") row.currency = draft.currency
}

/** What is missing between the balances of a statement; `undefined` where it does not state them. */
const missingIn = ({ closing, currency, opening, rows }: StatementDraft): Decimal.Decimal | undefined => {
  if (opening === undefined || closing === undefined) return undefined
  const booked = rows.filter((row) => !row.pending)
  if (booked.some((row) => row.currency !== currency)) return undefined
  return difference(
    opening,
    booked.map((row) => row.amount),
    closing
  )
}

/** What a statement says, its balances included. */
const contentOf = ({ closing, closingDate, from, opening, openingDate, rows, to }: StatementDraft): string =>
  JSON.stringify([
    [from, to, opening, openingDate, closing, closingDate],
    rows.map(({ amount, currency, date, originalDescription, pending, providerId, reference }) => [
      [date, amount, currency, pending],
      [providerId, originalDescription, reference]
    ])
  ])

/** The same statement twice counts once: its balances say so, since another one would begin where this one ends. */
const withoutCopies = (drafts: ReadonlyArray<StatementDraft>, notes: ReaderNotes): ReadonlyArray<StatementDraft> => {
  if (drafts.length < 2) return drafts
  const seen = new Set<string>()
  const kept = drafts.filter((draft) => {
    if (draft.opening === undefined || draft.closing === undefined || draft.rows.length === 0) return true
    const content = contentOf(draft)
    return seen.size < seen.add(content).size
  })
  const copies = drafts.length - kept.length
  if (copies > 0) notes.say(`${copies} statements stand in the file more than once: each counts once`)
  return kept
}

/** A row that an earlier statement of the same account shows as well, under the same id of the bank, counts once. */
const withoutRepeats = (drafts: ReadonlyArray<StatementDraft>): number => {
  if (drafts.length < 2) return 0
  const seen = new Map<string, { readonly draft: StatementDraft; readonly row: StatedRow }>()
  const gone = new Set<StatedRow>()
  for (const draft of drafts) {
    for (const row of draft.rows) {
      if (row.providerId === "") continue
      const key = `${row.providerId}\n${row.amount}\n${row.currency}`
      const first = seen.get(key)
      if (first === undefined) seen.set(key, { draft, row })
      else if (first.draft !== draft && (first.row.date === row.date || first.row.pending !== row.pending)) {
        // What is booked is said later and better than what is pending.
        if (first.row.pending && !row.pending) {
          gone.add(first.row)
          seen.set(key, { draft, row })
        } else gone.add(row)
      }
    }
  }
  if (gone.size > 0) for (const draft of drafts) draft.rows = draft.rows.filter((row) => !gone.has(row))
  return gone.size
}

/** Those that are stated, the earliest first. */
const sortedDays = (values: ReadonlyArray<CalendarDate.CalendarDate | undefined>) =>
  values.filter((day) => day !== undefined).toSorted()

const accountOf = (key: string, drafts: ReadonlyArray<StatementDraft>, notes: ReaderNotes): StatementAccount => {
  const ordered = withoutCopies(drafts, notes).toSorted((a, b) =>
    dayOf(a) < dayOf(b) ? -1 : dayOf(a) > dayOf(b) ? 1 : 0
  )
  const repeats = withoutRepeats(ordered)
  if (repeats > 0) notes.say(`${repeats} rows stand in several statements of one account: each counts once`)
  const [first] = ordered
  const last = ordered.findLast(({ closing }) => closing !== undefined)
  const opening = ordered.find((draft) => draft.opening !== undefined)?.opening
  const rows = ordered.length === 1 ? first!.rows : ordered.flatMap((draft) => draft.rows)
  const booked = rows.filter((row) => !row.pending)
  const isWhole = first!.opening !== undefined && ordered.at(-1)!.closing !== undefined
  const isMixed = booked.some((row) => row.currency !== first!.currency)
  const from = sortedDays(ordered.map((draft) => draft.from)).at(0)
  const to = sortedDays(ordered.map((draft) => draft.to)).at(-1)
  const name = ordered.find((draft) => draft.name !== "")?.name ?? ""
  const missing =
    isWhole && !isMixed
      ? difference(
          opening!,
          booked.map((row) => row.amount),
          last!.closing!
        )
      : undefined
  for (let at = 1; at < ordered.length; at++) {
    const [before, after] = [ordered[at - 1]!, ordered[at]!]
    if (before.closing === undefined || after.opening === undefined || repeats > 0) continue
    const gap = Decimal.subtract(after.opening, before.closing)
    if (gap !== "0") {
      notes.warn(
        after.line,
        `the statement begins with ${after.opening} and the one before it ends with ${before.closing}: ${gap} came between them`
      )
    }
  }
  return {
    key,
    ...(first!.bankId === "" ? {} : { bankId: first!.bankId }),
    number: first!.number,
    name,
    type: first!.type,
    currency: first!.currency!,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(opening === undefined ? {} : { openingBalance: opening }),
    ...(last === undefined ? {} : { closingBalance: last.closing! }),
    ...(last?.available === undefined ? {} : { availableBalance: last.available }),
    ...(last?.closingDate === undefined ? {} : { balanceDate: last.closingDate }),
    rows,
    ...(missing === undefined ? {} : { difference: missing })
  }
}

/**
 * The accounts of a file. Each statement is checked by itself, and whether it goes on where the one before it ended. A
 * fault where no row can be read, or where rows that cannot be read are what the balances lack.
 */
export const accountsOf = (
  drafts: ReadonlyArray<StatementDraft>,
  base: Currency.Currency,
  notes: ReaderNotes
): ReadonlyArray<StatementAccount> | StatementFault => {
  const [refused] = notes.refused
  const spoilt = (why: string): StatementFault =>
    new StatementFault({
      ...refused!,
      message: `${refused!.message}; ${why}: correct it in the file, or get the file again`
    })
  if (refused !== undefined && drafts.every((draft) => draft.rows.length === 0)) {
    const { length } = notes.refused
    return spoilt(length === 1 ? "it is the only row" : `none of the ${length} rows can be read`)
  }
  const byAccount = new Map<string, Array<StatementDraft>>()
  for (const draft of drafts) {
    settleCurrency(draft, base, notes)
    const missing = missingIn(draft) ?? "0"
    if (missing !== "0" && draft.refused > 0) {
      return spoilt(`without the rows that cannot be read the balances do not tie out, ${missing} is missing`)
    }
    if (missing !== "0") notes.warn(draft.line, `the balances do not tie out: ${missing} is missing`)
    const own = accountKey(draft.bankId, draft.number === "" ? draft.name : draft.number, draft.type)
    const held = byAccount.get(own)
    const key = held === undefined || held[0]!.currency === draft.currency ? own : `${own}:${draft.currency}`
    const list = byAccount.get(key)
    if (list === undefined) byAccount.set(key, [draft])
    else list.push(draft)
  }
  return Array.from(byAccount, ([key, list]) => accountOf(key, list, notes))
}
