/** Builds the accounts of a CSV file from its movements. */
import type { AccountType } from "@millrace/core/account/AccountType"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import * as Currency from "@millrace/core/shared/Currency"
import * as Decimal from "@millrace/core/shared/Decimal"
import {
  type CsvOptions,
  type StatementAccount,
  StatementFault,
  type StatementRow
} from "@millrace/core/upload/Statement"
import { accountKey } from "./AccountKey.ts"
import { groupedAmount, plainAmount } from "./AmountText.ts"
import type { CsvLayout } from "./CsvColumns.ts"
import type { DateReader } from "./CsvDates.ts"
import { normaliseHeader } from "./CsvHeaders.ts"
import type { CsvPreamble } from "./CsvPreamble.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { columnName, type CsvSelection } from "./CsvSelection.ts"
import { accountTypeOf, isPending, kindOf, signOf } from "./CsvWords.ts"
import { maxAccounts } from "./StatementLimits.ts"
import { difference, tieOutRunning } from "./TieOut.ts"
import { joinDistinct, meaningful, tidy } from "./Wording.ts"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** How this file is to be read: what detection and the overrides came to. */
export interface CsvReading {
  readonly table: CsvTable
  readonly layout: CsvLayout
  readonly selection: CsvSelection
  readonly preamble: CsvPreamble
  readonly dates: DateReader
  /** Code of the decimal separator. */
  readonly decimal: number
  readonly negate: boolean
  /** Column of words that give unsigned amounts their sign, -1 when the amounts state it. */
  readonly signColumn: number
  readonly currency: Currency.Currency
  readonly accountType: AccountType
  readonly options: CsvOptions
}

interface Draft {
  readonly number: string
  readonly name: string
  readonly rows: Array<Mutable<StatementRow>>
  readonly balances: Array<Decimal.Decimal | undefined>
  hasBalance: boolean
  currency: Currency.Currency | undefined
  mixed: boolean
}

/** A row with all of its properties inside the object: a literal that grows later costs twice the memory. */
class CsvRow implements Mutable<StatementRow> {
  /** Compiled code knows the layout of rows only while one lives: it stays valid between files. */
  static readonly exemplar = new CsvRow(
    1,
    "",
    CalendarDate.make("2000-01-01"),
    Decimal.zero,
    "",
    Currency.make("CHF"),
    "",
    "",
    "",
    "",
    false,
    "",
    ""
  )

  line: number
  providerId: string
  date: CalendarDate.CalendarDate
  amount: Decimal.Decimal
  amountText: string
  currency: Currency.Currency
  description: string
  originalDescription: string
  type: string
  reference: string
  pending: boolean
  declare merchantName?: string
  declare category?: string
  declare authorizedDate?: CalendarDate.CalendarDate

  constructor(
    line: number,
    providerId: string,
    date: CalendarDate.CalendarDate,
    amount: Decimal.Decimal,
    amountText: string,
    currency: Currency.Currency,
    description: string,
    originalDescription: string,
    type: string,
    reference: string,
    pending: boolean,
    payee: string,
    category: string
  ) {
    this.line = line
    this.providerId = providerId
    this.date = date
    this.amount = amount
    this.amountText = amountText
    this.currency = currency
    this.description = description
    this.originalDescription = originalDescription
    this.type = type
    this.reference = reference
    this.pending = pending
    if (payee !== "") this.merchantName = tidy(payee)
    if (category !== "") this.category = category
  }
}

const maxDistinct = 10_000

/** Answers of `read` by text, for cells that repeat. */
const cached = <A>(read: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const hit = known.get(text)
    if (hit !== undefined) return hit
    const value = read(text)
    if (known.size < maxDistinct) known.set(text, value)
    return value
  }
}

const otherKind = kindOf("")

export interface CsvAccounts {
  readonly accounts: ReadonlyArray<StatementAccount>
  readonly warnings: ReadonlyArray<string>
}

export const buildAccounts = (reading: CsvReading): CsvAccounts | StatementFault => {
  const { table, layout, decimal, dates } = reading
  const { text } = table
  const columns = layout.single
  const { amount: amountColumn, debit, credit, balance: balanceColumn } = columns
  const [description0 = -1, ...moreDescriptions] = layout.descriptions
  const splitAccounts =
    reading.options.accountNumber === undefined && (columns.account >= 0 || columns.accountName >= 0)
  const drafts = new Map<string, Draft>()
  const kind = cached(kindOf)
  const pending = cached(isPending)
  const currencyOf = cached((code) => Currency.parse(code) ?? "")
  const ids = new Set<string>()
  let idsUnique = columns.id >= 0
  let lastKey: string | undefined
  // Cells of the row before: dates and currencies seldom change from row to row.
  let date: CalendarDate.CalendarDate | undefined
  let dateFrom = 0
  let dateTo = 0
  let ownCurrency: Currency.Currency | undefined
  let currencyFrom = 0
  let currencyTo = 0
  let draft: Draft | undefined

  const faultAt = (row: number, column: number, what: string): StatementFault => {
    const name = columnName(layout, column)
    return new StatementFault({ message: `${name}: ${what}`, line: table.line(row), element: name })
  }
  /** The amount that `locate` found. */
  const readAmount = (): Decimal.Decimal | undefined =>
    (decimal === 46 ? plainAmount(text, table.from, table.to) : undefined) ??
    groupedAmount(text, table.from, table.to, decimal, true)

  // A function of its own: it is compiled for good long before a loop around it would be.
  const addRow = (row: number): StatementFault | undefined => {
    table.locate(row, columns.date)
    if (date === undefined || !table.repeats(dateFrom, dateTo)) {
      date = dates.read(text, table.from, table.to)
      dateFrom = table.from
      dateTo = table.to
    }
    if (date === undefined)
      return faultAt(row, columns.date, `"${table.cell(row, columns.date).slice(0, 40)}" is not a date`)

    let amount: Decimal.Decimal | undefined
    let amountText = ""
    if (amountColumn >= 0 && table.locate(row, amountColumn)) {
      amountText = text.slice(table.from, table.to)
      amount = readAmount()
      if (amount === undefined) return faultAt(row, amountColumn, `"${amountText.slice(0, 40)}" is not an amount`)
    } else {
      if (credit >= 0 && table.locate(row, credit)) {
        amountText = text.slice(table.from, table.to)
        amount = readAmount()
        if (amount === undefined) return faultAt(row, credit, `"${amountText.slice(0, 40)}" is not an amount`)
      }
      if (debit >= 0 && table.locate(row, debit)) {
        const debitText = text.slice(table.from, table.to)
        const side = readAmount()
        if (side === undefined) return faultAt(row, debit, `"${debitText.slice(0, 40)}" is not an amount`)
        // The debit column takes money out, whatever sign is printed in it.
        const out = Decimal.negate(Decimal.abs(side))
        if (amount === undefined || amount === "0") {
          amountText = debitText
          amount = out
        } else if (out !== "0") {
          amountText = `${amountText} / ${debitText}`
          amount = Decimal.add(amount, out)
        }
      }
    }
    if (amount === undefined) return faultAt(row, Math.max(amountColumn, debit, credit), "the row has no amount")
    if (reading.signColumn >= 0 && signOf(table.cell(row, reading.signColumn)) < 0)
      amount = Decimal.negate(Decimal.abs(amount))
    if (reading.negate) amount = Decimal.negate(amount)

    let currency = reading.currency
    if (columns.currency >= 0 && table.locate(row, columns.currency)) {
      if (ownCurrency === undefined || !table.repeats(currencyFrom, currencyTo)) {
        const code = text.slice(table.from, table.to)
        const own = currencyOf(code)
        if (own === "") return faultAt(row, columns.currency, `"${code.slice(0, 40)}" is not a currency`)
        ownCurrency = own as Currency.Currency
        currencyFrom = table.from
        currencyTo = table.to
      }
      currency = ownCurrency
    }

    let body = description0 < 0 ? "" : table.cell(row, description0)
    let even = description0 < 0 || !table.hasBlankRun(row, description0)
    for (let index = 0; index < moreDescriptions.length; index++) {
      const column = moreDescriptions[index]!
      if (!table.locate(row, column)) continue
      body = joinDistinct(body, table.cell(row, column))
      if (even) even = !table.hasBlankRun(row, column)
    }
    const payee = columns.payee < 0 ? "" : table.cell(row, columns.payee)
    const own = columns.originalDescription < 0 ? "" : table.cell(row, columns.originalDescription)
    const original = own === "" ? joinDistinct(payee, body) : own
    let reference = ""
    for (const column of layout.references) {
      if (!table.locate(row, column)) continue
      reference = meaningful(table.cell(row, column))
      if (reference !== "") break
    }
    const providerId = columns.id < 0 ? "" : table.cell(row, columns.id)
    if (idsUnique && providerId !== "") {
      if (ids.has(providerId)) idsUnique = false
      ids.add(providerId)
    }
    const typeText = columns.type < 0 || columns.type === reading.signColumn ? "" : table.cell(row, columns.type)
    const pair = typeText === "" ? otherKind : kind(typeText)

    const accountText = splitAccounts && columns.account >= 0 ? table.cell(row, columns.account) : ""
    const nameText = splitAccounts && columns.accountName >= 0 ? table.cell(row, columns.accountName) : ""
    const key = nameText === "" ? accountText : `${accountText}\n${nameText}`
    if (draft === undefined || key !== lastKey) {
      draft = drafts.get(key)
      if (draft === undefined) {
        if (drafts.size >= maxAccounts) {
          return new StatementFault({ message: `more than ${maxAccounts} accounts in one file`, line: table.line(row) })
        }
        draft = newDraft(reading, accountText, nameText)
        drafts.set(key, draft)
      }
      lastKey = key
    }
    if (draft.currency === undefined) draft.currency = currency
    else if (draft.currency !== currency) draft.mixed = true

    const built = new CsvRow(
      table.line(row),
      providerId,
      date,
      amount,
      amountText,
      currency,
      // Joining even texts with one blank leaves nothing to tidy, and no need to lay the parts out anew.
      body === "" ? tidy(payee === "" ? own : payee) : even ? body : tidy(body),
      original,
      Decimal.isNegative(amount) ? pair[1] : pair[0],
      reference,
      columns.status >= 0 && table.locate(row, columns.status) && pending(text.slice(table.from, table.to)),
      payee,
      columns.category < 0 ? "" : table.cell(row, columns.category)
    )
    if (
      columns.authorizedDate >= 0 &&
      columns.authorizedDate !== columns.date &&
      table.locate(row, columns.authorizedDate)
    ) {
      const authorized = dates.read(text, table.from, table.to)
      if (authorized === undefined) {
        return faultAt(
          row,
          columns.authorizedDate,
          `"${table.cell(row, columns.authorizedDate).slice(0, 40)}" is not a date`
        )
      }
      built.authorizedDate = authorized
    }
    draft.rows.push(built)
    if (balanceColumn < 0) return undefined
    if (!table.locate(row, balanceColumn)) draft.balances.push(undefined)
    else {
      const balance = readAmount()
      if (balance === undefined) {
        return faultAt(row, balanceColumn, `"${table.cell(row, balanceColumn).slice(0, 40)}" is not an amount`)
      }
      draft.balances.push(balance)
      draft.hasBalance = true
    }
    return undefined
  }

  for (const row of reading.selection.rows) {
    const fault = addRow(row)
    if (fault !== undefined) return fault
  }

  const warnings: Array<string> = []
  if (columns.id >= 0 && !idsUnique) {
    // An id that repeats is none: it groups rows.
    for (const each of drafts.values()) {
      for (const row of each.rows) {
        if (row.reference === "") row.reference = row.providerId
        row.providerId = ""
      }
    }
    warnings.push(`${columnName(layout, columns.id)} repeats: it is kept as reference, not as id`)
  }
  return {
    accounts: Array.from(drafts.values(), (each) => finish(each, reading, drafts.size === 1, warnings)),
    warnings
  }
}

const newDraft = (reading: CsvReading, accountText: string, nameText: string): Draft => {
  const isNumber = /\d{3}/.test(accountText)
  return {
    number:
      reading.options.accountNumber ?? (isNumber ? accountText : accountText === "" ? reading.preamble.number : ""),
    name: nameText === "" ? (isNumber || accountText === "" ? reading.preamble.name : accountText) : nameText,
    rows: [],
    balances: [],
    hasBalance: false,
    currency: undefined,
    mixed: false
  }
}

const stated = (text: string | undefined, decimal: number): Decimal.Decimal | undefined =>
  text === undefined ? undefined : groupedAmount(text, 0, text.length, decimal, true)

const finish = (draft: Draft, reading: CsvReading, only: boolean, warnings: Array<string>): StatementAccount => {
  const named = accountTypeOf(draft.name)
  const header = normaliseHeader(reading.layout.headers[reading.layout.single.account] ?? "")
  const type = named !== "unknown" ? named : header.startsWith("card") ? "credit_card" : reading.accountType
  let opening = only ? stated(reading.selection.opening ?? reading.preamble.opening, reading.decimal) : undefined
  let closing = only ? stated(reading.selection.closing ?? reading.preamble.closing, reading.decimal) : undefined
  let balanceDate: CalendarDate.CalendarDate | undefined
  let missing: Decimal.Decimal | undefined
  if (draft.hasBalance) {
    const settled = draft.rows.every((row) => !row.pending)
    const result = draft.mixed
      ? undefined
      : settled
        ? tieOutRunning(draft.rows, draft.balances)
        : tieOutRunning(
            draft.rows.filter((row) => !row.pending),
            draft.balances.filter((_, index) => !draft.rows[index]!.pending)
          )
    if (result !== undefined) {
      opening ??= result.opening
      closing ??= result.closing
      if (closing !== undefined) balanceDate = result.closingDate as CalendarDate.CalendarDate
      missing = result.difference
      if (result.gapLine !== undefined) {
        warnings.push(`line ${result.gapLine}: the balance does not follow from the rows, ${missing} is missing`)
      }
    }
  } else if (opening !== undefined && closing !== undefined && !draft.mixed) {
    missing = difference(
      opening,
      draft.rows.filter((row) => !row.pending).map((row) => row.amount),
      closing
    )
    if (missing !== "0") warnings.push(`the balances do not tie out: ${missing} is missing`)
  }
  return {
    key: accountKey("", draft.number === "" ? draft.name : draft.number, type),
    number: draft.number,
    name: draft.name,
    type,
    currency: draft.currency ?? reading.currency,
    ...(opening === undefined ? {} : { openingBalance: opening }),
    ...(closing === undefined ? {} : { closingBalance: closing }),
    ...(balanceDate === undefined ? {} : { balanceDate }),
    rows: draft.rows,
    ...(missing === undefined ? {} : { difference: missing })
  }
}
