/** CSV exports of banks: every decision is detected, can be overridden, and is reported in `assumed`. */
import { type RefusedRow, type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { findLayout } from "./CsvColumns.ts"
import { DateReader } from "./CsvDates.ts"
import { decide, signsOf } from "./CsvDecisions.ts"
import { detectDelimiter } from "./CsvDialect.ts"
import { columnName, type CsvLayout, describeColumns } from "./CsvLayout.ts"
import { readPreamble } from "./CsvPreamble.ts"
import { type CsvTable, scanCsv } from "./CsvScanner.ts"
import { amountColumnsOf, type CsvSelection, selectRows } from "./CsvSelection.ts"
import { buildAccounts } from "./CsvStatement.ts"
import { bareUtf16, guessEncoding } from "./EncodingGuess.ts"
import { readPlainCsv } from "./PlainCsv.ts"
import { type DecodedText, decodeText } from "./TextDecoding.ts"

type Reading = Result.Result<Statement, StatementFault>

const fail = (message: string, element?: string, line = 1): Result.Result<never, StatementFault> =>
  Result.fail(new StatementFault({ message, line, ...(element === undefined ? {} : { element }) }))

/** Reads a whole CSV file, or says what is wrong, on which line and in which column, and what to set. */
export const readCsv = (bytes: Uint8Array, options: StatementOptions): Reading => {
  const plain = readPlainCsv(bytes, options)
  return plain === undefined ? readAnyCsv(bytes, options) : Result.succeed(plain)
}

/** As `readCsv`, without the short way of plain tables. */
export const readAnyCsv = (bytes: Uint8Array, options: StatementOptions): Reading => {
  const given = options.csv?.encoding
  if (given !== undefined) {
    const decoded = decodeText(bytes, given, true)
    return readCsvText(decoded, false, options)
  }
  const bare = bareUtf16(bytes)
  const decoded = bare === undefined ? decodeText(bytes, undefined) : decodeText(bytes, bare, true)
  if (bare !== undefined) return readCsvText(decoded, true, options)
  if (decoded.encoding !== "windows-1252") return readCsvText(decoded, false, options)
  // Not UTF-8: the table is told by the letters that it gives.
  const guess = guessEncoding(bytes)
  return readCsvText(guess === "windows-1252" ? decoded : decodeText(bytes, guess, true), true, options)
}

const readCsvText = ({ codes, encoding, text }: DecodedText, guessed: boolean, options: StatementOptions): Reading => {
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
  const table = scanCsv(text, delimiter.charCodeAt(0), Number.POSITIVE_INFINITY, false, codes)
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
  const decided = decide({ table, layout, selection, preamble, delimiter, options }, assumed, warnings)
  if (decided instanceof StatementFault) return Result.fail(decided)

  if (selection.rows.length === 0 && selection.refused.length === 0) {
    warnings.push("the file holds no rows")
    return Result.succeed({ format: "csv", accounts: [], assumed, warnings })
  }
  const { profile, signs } = signsOf({ table, layout, selection, preamble, decimal: decided.decimal, options })
  Object.assign(assumed, signs.assumed)
  warnings.push(...signs.warnings)
  const built = buildAccounts({
    table,
    layout,
    selection,
    preamble,
    dates: new DateReader(decided.order),
    decimal: decided.decimal,
    signs,
    currency: decided.currency,
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
