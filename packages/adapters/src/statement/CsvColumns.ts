/** Which column of a table holds what: by header names, by the reader's overrides, or by content. */
import * as Currency from "@millrace/core/shared/Currency"
import { type CsvOptions, StatementFault } from "@millrace/core/upload/Statement"
import { groupedAmount } from "./AmountText.ts"
import { DateParts } from "./CsvDates.ts"
import { type CsvField, csvFields, fieldsOf, normaliseHeader, splitUnit } from "./CsvHeaders.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { signOf } from "./CsvWords.ts"

/** Columns by field, from 0; -1 where there is none. */
export interface CsvLayout {
  /** Row of the header, -1 when the file has none. */
  readonly header: number
  readonly headers: ReadonlyArray<string>
  readonly single: Readonly<Record<CsvField, number>>
  /** Description columns in file order. */
  readonly descriptions: ReadonlyArray<number>
  /** Reference columns, best first. */
  readonly references: ReadonlyArray<number>
  /** Currency that the name of an amount column states. */
  readonly currency: Currency.Currency | undefined
}

/** Preamble lines that may stand above the header. */
const maxPreamble = 60

// A literal: the layout of one is known to compiled code as long as this file is.
const emptyColumns = (): Record<CsvField, number> => ({
  date: -1,
  authorizedDate: -1,
  valueDate: -1,
  amount: -1,
  debit: -1,
  credit: -1,
  sign: -1,
  type: -1,
  description: -1,
  originalDescription: -1,
  payee: -1,
  reference: -1,
  id: -1,
  category: -1,
  balance: -1,
  currency: -1,
  account: -1,
  accountName: -1,
  status: -1,
  note: -1
})

/** Number of fields that the cells of a row would name; a header names a date and an amount. */
export const headerScore = (cells: ReadonlyArray<string>): number => {
  const found = new Set<CsvField>()
  for (const cell of cells) {
    if (cell.length <= 60) for (const [field] of fieldsOf(cell)) found.add(field)
  }
  const dated = found.has("date") || found.has("valueDate") || found.has("authorizedDate")
  return dated && (found.has("amount") || found.has("debit") || found.has("credit")) ? found.size : 0
}

/** The first row that looks like a header, -1 when none does. */
const findHeader = (table: CsvTable): number => {
  for (let row = 0; row < Math.min(table.rowCount, maxPreamble); row++) {
    if (table.columns(row) >= 2 && headerScore(table.row(row)) > 0) return row
  }
  return -1
}

/** A row that names columns, though not all that are needed: the fault, or an override, goes by it. */
const findPartialHeader = (table: CsvTable): number => {
  for (let row = 0; row < Math.min(table.rowCount, maxPreamble); row++) {
    const cells = table.row(row)
    if (cells.length >= 2 && !cells.some(isAmount) && cells.filter((cell) => fieldsOf(cell).length > 0).length >= 2)
      return row
  }
  return -1
}

const assign = (headers: ReadonlyArray<string>, columns: Record<CsvField, number>, table: CsvTable, header: number) => {
  const candidates = headers.map((name) => fieldsOf(name))
  const used = new Set<number>(Object.values(columns).filter((column) => column >= 0))
  const best = (field: CsvField): number => {
    let column = -1
    let rank = Number.POSITIVE_INFINITY
    candidates.forEach((fields, index) => {
      if (used.has(index)) return
      for (const [candidate, own] of fields) {
        if (candidate !== field || own >= rank) continue
        if (field === "currency" && !holdsCurrencies(table, header, index)) continue
        if (
          field === "valueDate" &&
          normaliseHeader(headers[index]!) === "valuta" &&
          holdsCurrencies(table, header, index)
        )
          continue
        column = index
        rank = own
      }
    })
    return column
  }
  for (const field of csvFields) {
    if (columns[field] >= 0 || field === "description" || field === "reference") continue
    const column = best(field)
    if (column < 0) continue
    columns[field] = column
    used.add(column)
  }
  return { candidates, used }
}

const sampleRows = 200

const holdsCurrencies = (table: CsvTable, header: number, column: number): boolean => {
  let seen = 0
  for (let row = header + 1; row < Math.min(table.rowCount, header + sampleRows); row++) {
    const cell = table.cell(row, column)
    if (cell === "") continue
    if (Currency.parse(cell) !== undefined) return true
    if (++seen > 20) return false
  }
  return seen === 0
}

/** Does some cell of the column read as an amount? Debit and Credit columns may also hold words. */
const holdsAmounts = (table: CsvTable, header: number, column: number): boolean => {
  for (let row = header + 1; row < Math.min(table.rowCount, header + sampleRows); row++) {
    const cell = table.cell(row, column)
    if (cell !== "" && isAmount(cell)) return true
  }
  return false
}

const isAmount = (cell: string): boolean =>
  /\d/.test(cell) &&
  (groupedAmount(cell, 0, cell.length, 46, true) !== undefined ||
    groupedAmount(cell, 0, cell.length, 44, true) !== undefined)

const columnFault = (message: string, line: number, element: string): StatementFault =>
  new StatementFault({ message, line, element })

/** The layout of a table, or a fault that says which override would help. */
export const findLayout = (table: CsvTable, options: CsvOptions): CsvLayout | StatementFault => {
  const overrides = Object.entries(options.columns ?? {}).map(
    ([field, wanted]) => [field, typeof wanted === "string" ? wanted : wanted[0]!] as const
  )
  let header = findHeader(table)
  const named = overrides.filter(([, column]) => !/^\d+$/.test(column.trim()))
  if (header < 0 && named.length > 0) header = findNamed(table, named[0]![1])
  if (header < 0) header = findPartialHeader(table)
  const headers = header < 0 ? [] : table.row(header)
  const line = header < 0 ? 1 : table.line(header)
  const columns = emptyColumns()
  const extra: { descriptions: Array<number>; references: Array<number> } = { descriptions: [], references: [] }
  for (const [field, wanted] of overrides) {
    if (!csvFields.includes(field as CsvField)) {
      return columnFault(`columns.${field}: not a field; known are ${csvFields.join(", ")}`, line, field)
    }
    const column = columnOf(table, headers, wanted.trim())
    if (column < 0) return columnFault(`columns.${field}: the file has no column "${wanted}"`, line, field)
    columns[field as CsvField] = column
  }
  if (header < 0) {
    const fault = byContent(table, columns)
    if (fault !== undefined) return fault
    if (columns.description >= 0) extra.descriptions.push(columns.description)
    if (columns.reference >= 0) extra.references.push(columns.reference)
    return {
      header,
      headers,
      single: columns,
      descriptions: extra.descriptions,
      references: extra.references,
      currency: undefined
    }
  }
  const amountGiven = columns.amount >= 0
  const { candidates, used } = assign(headers, columns, table, header)
  for (const side of ["debit", "credit"] as const) {
    const overridden = options.columns?.[side] !== undefined
    if (columns[side] < 0 || overridden || columns.amount < 0) continue
    // Beside an amount column, Debit and Credit count only as a pair of amounts.
    const pair = columns.debit >= 0 && columns.credit >= 0 && holdsAmounts(table, header, columns[side])
    if (!pair || amountGiven) columns[side] = -1
  }
  if (columns.debit >= 0 && columns.credit >= 0) columns.amount = amountGiven ? columns.amount : -1
  if (columns.date < 0) columns.date = columns.valueDate >= 0 ? columns.valueDate : columns.authorizedDate
  if (columns.date < 0) return columnFault("no column holds a date: give columns.date", line, "date")
  if (columns.amount < 0 && columns.debit < 0 && columns.credit < 0) {
    return columnFault(
      "no column holds an amount: give columns.amount, or columns.debit and columns.credit",
      line,
      "amount"
    )
  }
  if (columns.description >= 0) extra.descriptions.push(columns.description)
  else extra.descriptions.push(...ofField(candidates, used, "description", false, headers))
  if (columns.reference >= 0) extra.references.push(columns.reference)
  else extra.references.push(...ofField(candidates, used, "reference", true, headers))
  if (extra.descriptions.length === 0 && columns.note >= 0) extra.descriptions.push(columns.note)
  const amountHeader = headers[columns.amount >= 0 ? columns.amount : Math.max(columns.debit, columns.credit)] ?? ""
  const stated = splitUnit(amountHeader)[1]
  return {
    header,
    headers,
    single: columns,
    descriptions: extra.descriptions,
    references: extra.references,
    currency: stated === undefined ? undefined : Currency.parse(stated)
  }
}

const ofField = (
  candidates: ReadonlyArray<ReadonlyArray<readonly [CsvField, number]>>,
  used: ReadonlySet<number>,
  field: CsvField,
  ranked: boolean,
  headers: ReadonlyArray<string>
): ReadonlyArray<number> => {
  const found: Array<readonly [column: number, rank: number]> = []
  candidates.forEach((fields, column) => {
    const rank = fields.find(([candidate]) => candidate === field)?.[1]
    if (rank !== undefined && !used.has(column)) found.push([column, rank])
  })
  if (ranked) found.sort((a, b) => a[1] - b[1])
  const columns = found.map(([column]) => column)
  if (field !== "description") return columns
  // Beside "Description 1", "Description 2" a bare "Description" names the account or product.
  const numbered = new Set(
    columns
      .map((column) => /^(.*?)\d{1,2}$/.exec(normaliseHeader(headers[column]!))?.[1])
      .filter((name) => name !== undefined)
  )
  return columns.filter((column) => !numbered.has(normaliseHeader(headers[column]!)))
}

const findNamed = (table: CsvTable, name: string): number => {
  const wanted = normaliseHeader(name)
  for (let row = 0; row < Math.min(table.rowCount, maxPreamble); row++) {
    if (table.row(row).some((cell) => normaliseHeader(cell) === wanted)) return row
  }
  return -1
}

const columnOf = (table: CsvTable, headers: ReadonlyArray<string>, wanted: string): number => {
  const exact = headers.indexOf(wanted)
  if (exact >= 0) return exact
  const loose = headers.findIndex((header) => normaliseHeader(header) === normaliseHeader(wanted))
  if (loose >= 0 && normaliseHeader(wanted) !== "") return loose
  if (!/^\d{1,3}$/.test(wanted)) return -1
  const number = Number(wanted) - 1
  let widest = headers.length
  for (let row = 0; row < Math.min(table.rowCount, sampleRows); row++) widest = Math.max(widest, table.columns(row))
  return number >= 0 && number < widest ? number : -1
}

/** Fills what a file without a header shows by itself. */
const byContent = (table: CsvTable, columns: Record<CsvField, number>): StatementFault | undefined => {
  const rows = Math.min(table.rowCount, sampleRows)
  let width = 0
  for (let row = 0; row < rows; row++) width = Math.max(width, table.columns(row))
  const parts = new DateParts()
  const taken = new Set(Object.values(columns).filter((column) => column >= 0))
  const kinds = Array.from({ length: width }, (_, column) => {
    const cells: Array<string> = []
    for (let row = 0; row < rows; row++) {
      const cell = table.cell(row, column)
      if (cell !== "") cells.push(cell)
    }
    if (cells.length === 0 || taken.has(column)) return "none"
    const share = (test: (cell: string) => boolean) => cells.filter(test).length / cells.length
    if (share((cell) => parts.read(cell, 0, cell.length)) >= 0.9) return "date"
    if (share((cell) => signOf(cell) !== 0) === 1) return "sign"
    if (share((cell) => Currency.parse(cell) !== undefined) === 1) return "currency"
    if (share(isAmount) >= 0.9) return cells.every((cell) => /^\d+$/.test(cell)) ? "number" : "amount"
    return "text"
  })
  const first = (kind: (typeof kinds)[number]) => kinds.indexOf(kind)
  if (columns.date < 0) columns.date = first("date")
  if (columns.date < 0) {
    return columnFault("no header row, and no column holds dates: give columns.date", 1, "date")
  }
  if (columns.amount < 0 && columns.debit < 0 && columns.credit < 0) {
    const amounts = kinds.flatMap((kind, column) => (kind === "amount" ? [column] : []))
    const numbers = kinds.flatMap((kind, column) => (kind === "number" ? [column] : []))
    const only =
      amounts.length === 1 ? amounts[0] : amounts.length === 0 && numbers.length === 1 ? numbers[0] : undefined
    if (only === undefined) {
      return columnFault(
        amounts.length + numbers.length === 0
          ? "no header row, and no column holds amounts: give columns.amount"
          : "no header row, and several columns could be the amount: give columns.amount",
        1,
        "amount"
      )
    }
    columns.amount = only
  }
  if (columns.sign < 0) columns.sign = first("sign")
  if (columns.currency < 0) columns.currency = first("currency")
  if (columns.description < 0) columns.description = first("text")
  return undefined
}
