/** CSV exports of banks: every decision is detected, can be overridden, and is reported in `assumed`. */
import type { AccountType } from "@millrace/core/provider"
import { type RefusedRow, type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { findLayout } from "./CsvColumns.ts"
import { chooseCurrency } from "./CsvCurrencies.ts"
import { DateReader, orderOfPattern } from "./CsvDates.ts"
import { comma, point } from "./CsvDecimals.ts"
import { detectDelimiter } from "./CsvDialect.ts"
import { languageOf } from "./CsvHeaders.ts"
import { columnName, type CsvLayout } from "./CsvLayout.ts"
import { readPreamble } from "./CsvPreamble.ts"
import { findProfile } from "./CsvProfiles.ts"
import { type CsvTable, scanCsv } from "./CsvScanner.ts"
import { amountColumnsOf, type CsvSelection, selectRows } from "./CsvSelection.ts"
import { planSigns } from "./CsvSigns.ts"
import { buildAccounts } from "./CsvStatement.ts"
import { accountTypeOf } from "./CsvWords.ts"
import { bareUtf16, guessEncoding } from "./EncodingGuess.ts"
import { decodeText } from "./TextDecoding.ts"

type Reading = Result.Result<Statement, StatementFault>

const fail = (message: string, element?: string, line = 1): Result.Result<never, StatementFault> =>
  Result.fail(new StatementFault({ message, line, ...(element === undefined ? {} : { element }) }))

const monthFirstCurrencies = new Set(["USD", "PHP"])

/** Reads a whole CSV file, or says what is wrong, on which line and in which column, and what to set. */
export const readCsv = (bytes: Uint8Array, options: StatementOptions): Reading => {
  const given = options.csv?.encoding
  if (given !== undefined) {
    const decoded = decodeText(bytes, given, true)
    return readCsvText(decoded.text, decoded.encoding, false, options)
  }
  const bare = bareUtf16(bytes)
  const decoded = bare === undefined ? decodeText(bytes, undefined) : decodeText(bytes, bare, true)
  if (bare !== undefined) return readCsvText(decoded.text, decoded.encoding, true, options)
  if (decoded.encoding !== "windows-1252") return readCsvText(decoded.text, decoded.encoding, false, options)
  // Not UTF-8: the table is told by the letters that it gives.
  const guess = guessEncoding(bytes)
  const text = guess === "windows-1252" ? decoded.text : decodeText(bytes, guess, true).text
  return readCsvText(text, guess, true, options)
}

const readCsvText = (text: string, encoding: string, guessed: boolean, options: StatementOptions): Reading => {
  const csv = options.csv ?? {}
  if (text.includes("\u0000")) {
    return fail(
      "the file holds binary data, or UTF-16 without a byte order mark: set sourceConfig.csv.encoding",
      "encoding"
    )
  }
  if (text.trim() === "") return fail("the file is empty")
  const assumed: Record<string, string> = {}
  const warnings: Array<string> = []
  if (csv.encoding === undefined) assumed["encoding"] = encoding
  if (guessed) warnings.push(`encoding guessed: ${encoding}, set sourceConfig.csv.encoding to override`)
  const delimiter = csv.delimiter ?? detectDelimiter(text)
  if (csv.delimiter === undefined) assumed["delimiter"] = delimiter
  const table = scanCsv(text, delimiter.charCodeAt(0))
  if (table instanceof StatementFault) return Result.fail(table)
  const layout = findLayout(table, csv)
  if (layout instanceof StatementFault) return Result.fail(layout)
  assumed["columns"] = describeColumns(layout)
  if (layout.header < 0) assumed["header"] = "none"
  warnings.push(...layout.warnings)
  const selection = selectRows(table, layout)
  if (selection instanceof StatementFault) return Result.fail(selection)
  warnings.push(...selection.warnings)
  const without = faultOfMissing(table, layout, selection)
  if (without !== undefined) return Result.fail(without)
  const preamble = readPreamble(table, Math.max(layout.header, 0))

  const language = layout.header < 0 ? "en" : languageOf(layout.headers)
  const english = language === "en"
  const commaHint = delimiter === ";" && !english
  const { decimals } = selection
  const separators =
    csv.decimal === undefined
      ? decimals.decide(commaHint)
      : { decimal: csv.decimal === "," ? comma : point, ambiguous: false }
  if (csv.decimal === undefined) {
    assumed["decimal"] = separators.decimal === comma ? "," : "."
    if (separators.ambiguous || decimals.conflicts) {
      warnings.push(`decimal ambiguous: "${assumed["decimal"]}" assumed, set sourceConfig.csv.decimal to override`)
    }
  }

  const chosen = chooseCurrency(table, layout, selection, preamble, separators.decimal, options)
  if (chosen instanceof StatementFault) return Result.fail(chosen)
  const currencyColumn = layout.single.currency
  const blankCurrency = currencyColumn >= 0 && selection.rows.some((row) => !table.locate(row, currencyColumn))
  if (csv.currency === undefined && (currencyColumn < 0 || blankCurrency)) {
    assumed["currency"] = chosen.currency
    if (chosen.guess !== undefined && selection.rows.length > 0) {
      warnings.push(
        `${currencyColumn < 0 ? "no currency is named" : "some rows name no currency"}: ${chosen.currency} assumed, since ${chosen.guess}, set sourceConfig.csv.currency to override`
      )
    }
  }

  const given = csv.dateFormat === undefined ? undefined : orderOfPattern(csv.dateFormat)
  if (csv.dateFormat !== undefined && given === undefined) {
    return fail(`dateFormat "${csv.dateFormat}" names no day, month and year in an order that is known`, "dateFormat")
  }
  if (given === undefined && selection.dateConflict >= 0) {
    const { dateConflict: row } = selection
    const name = columnName(layout, layout.single.date)
    return fail(
      `${name}: some days can only be read day first and some, like "${table.cell(row, layout.single.date).slice(0, 40)}", only month first: set sourceConfig.csv.dateFormat`,
      name,
      table.line(row)
    )
  }
  const first = selection.rows[0]
  const rowCurrency =
    (currencyColumn < 0 || first === undefined ? "" : table.cell(first, currencyColumn).toUpperCase()) ||
    chosen.currency
  const monthFirst =
    english &&
    delimiter !== ";" &&
    separators.decimal === point &&
    (monthFirstCurrencies.has(rowCurrency) || decimals.hasDollar)
  const order = given === undefined ? selection.dates.decide(monthFirst) : { order: given, ambiguous: false }
  if (given === undefined) {
    assumed["dateFormat"] = selection.dates.pattern(order.order)
    if (order.ambiguous) {
      warnings.push(
        `dateFormat ambiguous: read as ${assumed["dateFormat"]}, set sourceConfig.csv.dateFormat to override`
      )
    }
  }

  if (selection.rows.length === 0 && selection.refused.length === 0) {
    warnings.push("the file holds no rows")
    return Result.succeed({ format: "csv", accounts: [], assumed, warnings })
  }
  const profile = findProfile(layout.headers)
  const kinds: ReadonlyArray<AccountType> = [
    profile?.accountType ?? "unknown",
    preamble.type,
    accountTypeOf(options.fileName),
    accountTypeOf(layout.headers.join(" "))
  ]
  const accountType = kinds.find((kind) => kind !== "unknown") ?? "unknown"
  const signs = planSigns({ table, layout, selection, decimal: separators.decimal, options: csv, profile, accountType })
  Object.assign(assumed, signs.assumed)
  warnings.push(...signs.warnings)
  const built = buildAccounts({
    table,
    layout,
    selection,
    preamble,
    dates: new DateReader(order.order),
    decimal: separators.decimal,
    signs,
    currency: chosen.currency,
    accountType: profile?.accountType ?? preamble.type,
    options: csv
  })
  if (built instanceof StatementFault) return Result.fail(built)
  const refused = [...selection.refused, ...built.refused].toSorted((a, b) => a.line - b.line)
  const read = selection.rows.length - built.refused.length
  // Where as many rows fail as succeed, the file is not understood: nothing of it is believed.
  if (refused.length > 0 && refused.length >= read) return Result.fail(faultOfRefused(refused, read))
  warnings.push(...built.warnings)
  return Result.succeed({
    format: "csv",
    accounts: built.accounts,
    assumed,
    warnings,
    ...(refused.length === 0 ? {} : { refused })
  })
}

const faultOfRefused = (refused: ReadonlyArray<RefusedRow>, read: number): StatementFault => {
  const { element, line, message } = refused[0]!
  const all = refused.length + read
  const rows = all === 1 ? "" : ` (${refused.length} of ${all} rows cannot be read)`
  return new StatementFault({
    message: `${element === undefined ? "" : `${element}: `}${message}${rows}. If this is not the file's fault, sourceConfig.csv says how it is read: delimiter, columns, decimal, dateFormat`,
    line,
    ...(element === undefined ? {} : { element })
  })
}

/** Most rows have a day and no amount: the amounts stand in another column than the one that was taken. */
const faultOfMissing = (table: CsvTable, layout: CsvLayout, selection: CsvSelection): StatementFault | undefined => {
  const { count, row } = selection.withoutAmount
  const columns = amountColumnsOf(layout)
  const oneSided = layout.single.amount < 0 && columns.length === 1
  if (count === 0 || count <= selection.rows.length * (oneSided ? 1 : 4)) return undefined
  const name = columnName(layout, columns[0]!)
  return new StatementFault({
    message: `${name}: the row has no amount, as ${count} of ${count + selection.rows.length} rows: name the right column in sourceConfig.csv.columns.amount, or columns.debit and columns.credit`,
    line: table.line(row),
    element: name
  })
}

const describeColumns = (layout: CsvLayout): string => {
  const parts: Array<string> = []
  const taken = new Set<number>([...layout.descriptions, ...layout.references, ...layout.alternates])
  const tell = (what: string, column: number) => {
    taken.add(column)
    parts.push(`${what}=${columnName(layout, column)}`)
  }
  for (const [field, column] of Object.entries(layout.single)) {
    if (column >= 0 && field !== "description" && field !== "reference") tell(field, column)
  }
  for (const column of layout.alternates) tell("amount", column)
  for (const column of layout.descriptions) tell("description", column)
  for (const column of layout.references) tell("reference", column)
  if (layout.payer >= 0) tell("payer", layout.payer)
  if (layout.counterparty >= 0) tell("otherAccount", layout.counterparty)
  if (layout.marker >= 0) tell("side", layout.marker)
  const unread = layout.headers.flatMap((_, column) =>
    taken.has(column) || layout.contents[column]?.filled === 0 ? [] : [columnName(layout, column)]
  )
  return `${parts.join(", ")}${unread.length === 0 ? "" : `; not read: ${unread.join(", ")}`}`
}
