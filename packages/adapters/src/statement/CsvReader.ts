/** CSV exports of banks: every decision is detected, can be overridden, and is reported in `assumed`. */
import {
  type RefusedRow,
  type Statement,
  type StatementAccount,
  StatementFault,
  type StatementOptions
} from "@millrace/core/upload"
import * as Result from "effect/Result"
import type { CsvAccountDraft } from "./CsvAccount.ts"
import { findLayout } from "./CsvColumns.ts"
import { DateReader } from "./CsvDates.ts"
import { type CsvEvidence, decide, signsOf } from "./CsvDecisions.ts"
import { detectDelimiter } from "./CsvDialect.ts"
import { doIdsRepeat } from "./CsvIds.ts"
import { columnName, type CsvLayout, describeColumns } from "./CsvLayout.ts"
import { binaryFault, blankFault, type CsvOutline, CsvParts } from "./CsvParts.ts"
import { readPreamble } from "./CsvPreamble.ts"
import type { CsvReading } from "./CsvReading.ts"
import { csvTable } from "./CsvScanner.ts"
import { amountColumnsOf, type CsvSelection, selectRows, type StatedLines } from "./CsvSelection.ts"
import { mayBeginWithBalance, statedLinesOf } from "./CsvStatedLines.ts"
import { buildAccounts, type TakenRows } from "./CsvStatement.ts"
import { bareUtf16, guessEncoding } from "./EncodingGuess.ts"
import { type DecodedText, decodeText } from "./TextDecoding.ts"

type Reading = Result.Result<Statement, StatementFault>

/** Reads a whole CSV file, or says what is wrong, on which line and in which column, and what to set. */
export const readCsv = (bytes: Uint8Array, options: StatementOptions): Reading => {
  const given = options.csv?.encoding
  if (given !== undefined) {
    const decoded = decodeText(bytes, given, true)
    return readCsvText(decoded, false, options)
  }
  const bare = bareUtf16(bytes)
  const decoded = bare === undefined ? decodeText(bytes, undefined) : decodeText(bytes, bare, true)
  if (bare !== undefined) return readCsvText(decoded, true, options)
  if (decoded.encoding !== "windows-1252") return readCsvText(decoded, false, options)
  // Not UTF-8: the table is known by the letters that it gives.
  const guess = guessEncoding(bytes)
  return readCsvText(guess === "windows-1252" ? decoded : decodeText(bytes, guess, true), true, options)
}

const readCsvText = ({ codes, encoding, text }: DecodedText, guessed: boolean, options: StatementOptions): Reading => {
  const csv = options.csv ?? {}
  if (text.includes("\u0000")) return Result.fail(binaryFault())
  if (text.trim() === "") return Result.fail(blankFault())
  const delimiter = csv.delimiter ?? detectDelimiter(text)
  const table = csvTable(text, delimiter.charCodeAt(0), codes === undefined ? {} : { codes })
  if (table instanceof StatementFault) return Result.fail(table)
  const outline = { encoding, isGuessed: guessed, delimiter, table }
  return statementOf(readRows(outline, (layout, stated) => selectRows(table, layout, stated), options))
}

const statementOf = (scanned: StatementFault | ScannedCsv): Reading => {
  if (scanned instanceof StatementFault) return Result.fail(scanned)
  const { accounts, assumed, refused, warnings } = scanned
  return Result.succeed({
    format: "csv",
    accounts,
    assumed,
    warnings,
    ...(refused.length === 0 ? {} : { refused })
  })
}

/** What is said of a file. */
export interface ScannedCsv {
  /** None where the rows were taken. */
  readonly accounts: ReadonlyArray<StatementAccount>
  readonly drafts: ReadonlyArray<CsvAccountDraft>
  readonly assumed: Readonly<Record<string, string>>
  readonly warnings: ReadonlyArray<string>
  readonly refused: ReadonlyArray<RefusedRow>
}

/** Where a row goes that its account does not keep. */
export type TakeCsvRow = TakenRows["take"]

/** The movements without lines that only their amounts tell to be balances and turnovers. */
const withoutStated = (
  evidence: CsvEvidence,
  select: (layout: CsvLayout, stated?: StatedLines) => CsvSelection | StatementFault
): CsvSelection | StatementFault => {
  const { layout, selection } = evidence
  if (!mayBeginWithBalance(evidence)) return selection
  const decided = decide(evidence, {}, [])
  if (decided instanceof StatementFault) return decided
  const { input, signs } = signsOf({ ...evidence, decimal: decided.decimal })
  const stated = statedLinesOf(input, signs)
  return stated.size === 0 ? selection : select(layout, stated)
}

/** Decides how a file is read, and reads it. `select` finds its movements. */
const readRows = (
  { delimiter, encoding, isGuessed, table }: CsvOutline,
  select: (layout: CsvLayout, stated?: StatedLines) => CsvSelection | StatementFault,
  options: StatementOptions,
  take?: TakeCsvRow
): ScannedCsv | StatementFault => {
  const csv = options.csv ?? {}
  const assumed: Record<string, string> = {}
  const warnings: Array<string> = []
  if (csv.encoding === undefined) assumed["encoding"] = encoding
  if (isGuessed) warnings.push(`encoding guessed: ${encoding}, set sourceConfig.csv.encoding to override`)
  if (csv.delimiter === undefined) assumed["delimiter"] = delimiter
  const layout = findLayout(table, csv)
  if (layout instanceof StatementFault) return layout
  assumed["columns"] = describeColumns(layout)
  if (layout.header < 0) assumed["header"] = "none"
  warnings.push(...layout.warnings)
  const first = select(layout)
  if (first instanceof StatementFault) return first
  const without = faultOfMissing(layout, first)
  if (without !== undefined) return without
  const preamble = readPreamble(table, Math.max(layout.header, 0))
  const evidence = { layout, preamble, delimiter, options }
  const selection = withoutStated({ ...evidence, selection: first }, select)
  if (selection instanceof StatementFault) return selection
  warnings.push(...selection.warnings)
  const decided = decide({ ...evidence, selection }, assumed, warnings)
  if (decided instanceof StatementFault) return decided
  const { count } = selection.movements

  if (count === 0 && selection.refused.length === 0) {
    warnings.push("the file holds no rows")
    return { accounts: [], drafts: [], assumed, warnings, refused: [] }
  }
  const { profile, signs } = signsOf({ layout, selection, preamble, decimal: decided.decimal, options })
  Object.assign(assumed, signs.assumed)
  warnings.push(...signs.warnings)
  const reading: CsvReading = {
    layout,
    selection,
    preamble,
    dates: new DateReader(decided.order),
    decimal: decided.decimal,
    signs,
    currency: decided.currency,
    accountType: profile?.accountType ?? preamble.type,
    options: csv
  }
  const taken = take === undefined ? undefined : { take, doIdsRepeat: doIdsRepeat(reading) }
  const built = buildAccounts(reading, taken)
  if (built instanceof StatementFault) return built
  const refused = [...selection.refused, ...built.refused].toSorted((a, b) => a.line - b.line)
  const read = count - built.refused.length
  // Where as many rows fail as succeed, the file is not understood: nothing of it is believed.
  if (refused.length > 0 && refused.length >= read) return faultOfRefused(refused, read)
  warnings.push(...built.warnings)
  return { accounts: built.accounts, drafts: built.drafts, assumed, warnings, refused }
}

/**
 * Hands on the rows of a file that comes in parts: nothing is kept of them, so the memory that is needed does not grow with
 * the file but for a byte a row where words or balances tell the signs, and their number has no limit. What all rows say tells
 * how each is read, so the parts are asked for several times: for the layout, the movements, lines among them that state
 * balances, their signs where these are in question, their ids where they have any, and the rows. Returns what `readCsv` would say of the whole beside its rows and
 * what their balances come to. `least`: characters that are read together.
 */
export const scanCsv = (
  parts: () => Iterable<Uint8Array>,
  options: StatementOptions,
  take?: TakeCsvRow,
  least?: number
): ScannedCsv | StatementFault => {
  const file = new CsvParts(parts, options, take === undefined, least)
  const outline = file.outline()
  return outline instanceof StatementFault
    ? outline
    : readRows(outline, (layout, stated) => file.select(outline, layout, stated), options, take)
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
const faultOfMissing = (layout: CsvLayout, selection: CsvSelection): StatementFault | undefined => {
  const { count, line } = selection.withoutAmount
  const columns = amountColumnsOf(layout)
  const oneSided = layout.single.amount < 0 && columns.length === 1
  const read = selection.movements.count
  if (count === 0 || count <= read * (oneSided ? 1 : 4)) return undefined
  const name = columnName(layout, columns[0]!)
  return new StatementFault({
    message: `${name}: the row has no amount, as ${count} of ${count + read} rows: name the right column in sourceConfig.csv.columns.amount, or columns.debit and columns.credit`,
    line,
    element: name
  })
}
