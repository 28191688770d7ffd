/** CSV exports of banks: every decision is detected, can be overridden, and is reported in `assumed`. */
import * as Currency from "@millrace/core/shared/Currency"
import { type CsvOptions, type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload/Statement"
import * as Result from "effect/Result"
import { type CsvLayout, findLayout } from "./CsvColumns.ts"
import { DateReader, orderOfPattern } from "./CsvDates.ts"
import { comma, point } from "./CsvDecimals.ts"
import { detectDelimiter } from "./CsvDialect.ts"
import { isEnglish } from "./CsvHeaders.ts"
import { readPreamble } from "./CsvPreamble.ts"
import { findProfile } from "./CsvProfiles.ts"
import { type CsvTable, scanCsv } from "./CsvScanner.ts"
import { columnName, type CsvSelection, selectRows } from "./CsvSelection.ts"
import { buildAccounts } from "./CsvStatement.ts"
import { signOf } from "./CsvWords.ts"
import { decodeText } from "./TextDecoding.ts"

const fail = (message: string, element?: string): Result.Result<never, StatementFault> =>
  Result.fail(new StatementFault({ message, line: 1, ...(element === undefined ? {} : { element }) }))

/** The column whose words give unsigned amounts their sign: every row must have such a word. */
const findSignColumn = (table: CsvTable, layout: CsvLayout, selection: CsvSelection, options: CsvOptions): number => {
  const { amount, sign, type } = layout.single
  if (amount < 0 || selection.rows.length === 0) return -1
  if (selection.decimals.signed && options.columns?.["sign"] === undefined) return -1
  for (const column of [sign, type]) {
    if (column >= 0 && selection.rows.every((row) => signOf(table.cell(row, column)) !== 0)) return column
  }
  return -1
}

const monthFirstCurrencies = new Set(["USD", "PHP"])

/** Reads a whole CSV file, or says what is wrong first, on which line and in which column. */
export const readCsv = (bytes: Uint8Array, options: StatementOptions): Result.Result<Statement, StatementFault> => {
  const csv = options.csv ?? {}
  const decoded = decodeText(bytes, csv.encoding, csv.encoding !== undefined)
  return readCsvText(decoded.text, decoded.encoding, options)
}

const readCsvText = (
  text: string,
  encoding: string,
  options: StatementOptions
): Result.Result<Statement, StatementFault> => {
  const csv = options.csv ?? {}
  if (text.includes("\u0000"))
    return fail("the file holds binary data, or UTF-16 without a byte order mark: give encoding")
  if (text.trim() === "") return fail("the file is empty")
  const assumed: Record<string, string> = {}
  const warnings: Array<string> = []
  if (csv.encoding === undefined) assumed["encoding"] = encoding
  const delimiter = csv.delimiter ?? detectDelimiter(text)
  if (csv.delimiter === undefined) assumed["delimiter"] = delimiter
  const table = scanCsv(text, delimiter.charCodeAt(0))
  if (table instanceof StatementFault) return Result.fail(table)
  const layout = findLayout(table, csv)
  if (layout instanceof StatementFault) return Result.fail(layout)
  assumed["columns"] = describeColumns(layout)
  if (layout.header < 0) assumed["header"] = "none"
  const selection = selectRows(table, layout)
  if (selection instanceof StatementFault) return Result.fail(selection)
  warnings.push(...selection.warnings)
  const preamble = readPreamble(table, Math.max(layout.header, 0))

  const english = layout.header < 0 || isEnglish(layout.headers)
  const commaHint = delimiter === ";" && !english
  const { decimals } = selection
  const separators =
    csv.decimal === undefined
      ? decimals.decide(commaHint)
      : { decimal: csv.decimal === "," ? comma : point, ambiguous: false }
  if (csv.decimal === undefined) assumed["decimal"] = separators.decimal === comma ? "," : "."
  if (separators.ambiguous) warnings.push(`decimal ambiguous: "${assumed["decimal"]}" assumed, set decimal to override`)

  const currency = chooseCurrency(layout, selection, preamble.currency, options)
  if (currency instanceof StatementFault) return Result.fail(currency)
  if (csv.currency === undefined && layout.single.currency < 0) assumed["currency"] = currency

  const given = csv.dateFormat === undefined ? undefined : orderOfPattern(csv.dateFormat)
  if (csv.dateFormat !== undefined && given === undefined) {
    return fail(`dateFormat "${csv.dateFormat}" names no day, month and year in an order that is known`, "dateFormat")
  }
  const rowCurrency = firstCurrency(table, layout, selection) ?? currency
  const monthFirst =
    english &&
    delimiter !== ";" &&
    separators.decimal === point &&
    (monthFirstCurrencies.has(rowCurrency) || decimals.hasDollar)
  const order = given === undefined ? selection.dates.decide(monthFirst) : { order: given, ambiguous: false }
  if (given === undefined) {
    assumed["dateFormat"] = selection.dates.pattern(order.order)
    if (order.ambiguous) {
      warnings.push(`dateFormat ambiguous: read as ${assumed["dateFormat"]}, set dateFormat to override`)
    }
  }

  const profile = findProfile(layout.headers)
  const signColumn = findSignColumn(table, layout, selection, csv)
  const negate = csv.negate ?? profile?.negate ?? false
  if (csv.negate === undefined && profile !== undefined) assumed["negate"] = `${profile.negate} (${profile.name})`
  if (signColumn >= 0) assumed["sign"] = columnName(layout, signColumn)
  if (csv.negate === undefined && profile === undefined && isUnsigned(layout, selection, signColumn)) {
    warnings.push("every amount is positive: set negate if the file writes money that leaves as a positive number")
  }

  if (selection.rows.length === 0) {
    warnings.push("the file holds no rows")
    return Result.succeed({ format: "csv", accounts: [], assumed, warnings })
  }
  const built = buildAccounts({
    table,
    layout,
    selection,
    preamble,
    dates: new DateReader(order.order),
    decimal: separators.decimal,
    negate,
    signColumn,
    currency,
    accountType: profile?.accountType ?? "unknown",
    options: csv
  })
  if (built instanceof StatementFault) return Result.fail(built)
  warnings.push(...built.warnings)
  return Result.succeed({ format: "csv", accounts: built.accounts, assumed, warnings })
}

const isUnsigned = (layout: CsvLayout, selection: CsvSelection, signColumn: number): boolean =>
  layout.single.amount >= 0 &&
  layout.single.debit < 0 &&
  layout.single.credit < 0 &&
  signColumn < 0 &&
  !selection.decimals.signed &&
  selection.rows.length > 0

const describeColumns = (layout: CsvLayout): string => {
  const parts: Array<string> = []
  for (const [field, column] of Object.entries(layout.single)) {
    if (column >= 0 && field !== "description" && field !== "reference")
      parts.push(`${field}=${columnName(layout, column)}`)
  }
  for (const column of layout.descriptions) parts.push(`description=${columnName(layout, column)}`)
  for (const column of layout.references) parts.push(`reference=${columnName(layout, column)}`)
  return parts.join(", ")
}

const chooseCurrency = (
  layout: CsvLayout,
  selection: CsvSelection,
  preamble: Currency.Currency | undefined,
  options: StatementOptions
): Currency.Currency | StatementFault => {
  const wanted = options.csv?.currency
  if (wanted !== undefined) {
    return (
      Currency.parse(wanted) ??
      new StatementFault({ message: `currency "${wanted}" is not a currency code`, line: 1, element: "currency" })
    )
  }
  const { hasEuro, hasPound, hasDollar } = selection.decimals
  const signs = Number(hasEuro) + Number(hasPound) + Number(hasDollar)
  const signed = signs !== 1 || hasDollar ? undefined : Currency.make(hasEuro ? "EUR" : "GBP")
  return layout.currency ?? preamble ?? signed ?? options.baseCurrency
}

const firstCurrency = (table: CsvTable, layout: CsvLayout, selection: CsvSelection): Currency.Currency | undefined => {
  const column = layout.single.currency
  const row = selection.rows[0]
  return column < 0 || row === undefined ? undefined : Currency.parse(table.cell(row, column))
}
