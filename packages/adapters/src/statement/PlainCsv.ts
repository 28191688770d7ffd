/**
 * Large tables of the common form in one pass from bytes to rows: UTF-8 with letters up to U+00FF, one amount in each
 * row, and every row a movement of as many cells as the header has. How it is read is told by its beginning; what all
 * rows say is asked at the end, and must agree. Every other file, and one in which anything is not so, is left to
 * `readCsv`, which gives the same for all.
 */
import { Buffer, isUtf8 } from "node:buffer"
import { type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import { finish } from "./CsvAccount.ts"
import { findLayout } from "./CsvColumns.ts"
import { DateReader } from "./CsvDates.ts"
import { decide, signsOf } from "./CsvDecisions.ts"
import { detectDelimiter, sampleLength } from "./CsvDialect.ts"
import { type CsvLayout, describeColumns } from "./CsvLayout.ts"
import { type CsvPreamble, readPreamble } from "./CsvPreamble.ts"
import type { CsvReading } from "./CsvReading.ts"
import { type CsvTable, csvTable, maxRow } from "./CsvScanner.ts"
import { allMovements } from "./CsvMovements.ts"
import { type CsvSelection, selectRows } from "./CsvSelection.ts"
import type { SignPlan } from "./CsvSignPlan.ts"
import { settleIds } from "./CsvStatement.ts"
import { balanceLine } from "./CsvWords.ts"
import { PlainChunk } from "./PlainChunk.ts"
import { plainColumns } from "./PlainColumns.ts"
import { PlainRows } from "./PlainRows.ts"
import { PlainTable } from "./PlainTable.ts"

/** Bytes that tell how a file is read, and that are read at once. Smaller files are not worth the trouble. */
export interface PlainSizes {
  readonly head: number
  readonly chunk: number
}

const ordinary: PlainSizes = { head: 49_152, chunk: 98_304 }

const isTrivial = (signs: SignPlan): boolean =>
  signs.rows === undefined && !signs.negate && !signs.negateBalance && !signs.printedDebit && !signs.plainCredit

/** The first rows, and what they say of the file; `undefined` where they leave anything open. */
const readHead = (
  buffer: Buffer,
  from: number,
  options: StatementOptions,
  sizes: PlainSizes
): { readonly table: CsvTable; readonly layout: CsvLayout; readonly delimiter: string } | undefined => {
  const text = buffer.toString("utf8", from, buffer.lastIndexOf(10, from + sizes.head) + 1)
  if (text.length < sampleLength || text.includes("\u0000") || /[\u0100-\uffff]/.test(text)) return undefined
  const delimiter = options.csv?.delimiter ?? detectDelimiter(text)
  const code = delimiter.charCodeAt(0)
  if (code <= 32 ? code !== 9 : code === 34 || code === 61 || code >= 128) return undefined
  const table = csvTable(text, code, { isLenient: true })
  if (table instanceof StatementFault) return undefined
  const layout = findLayout(table, options.csv ?? {})
  // Columns that are nearly blank may say something further down.
  if (layout instanceof StatementFault || table.ranOut) return undefined
  return { table, layout, delimiter }
}

const isPlainSelection = (selection: CsvSelection, count: number): boolean =>
  selection.movements.count === count && selection.warnings.length === 0 && selection.dateConflict === undefined

/** Balances stand among the first and last rows of some tables as if they were movements. */
const hasBalanceLine = (table: CsvTable, { descriptions }: CsvLayout, row: number): boolean =>
  descriptions.some((column) => balanceLine(table.cell(row, column)) !== undefined)

/** Adds all rows from `from` on; false where one is nothing plain. */
const addRows = (rows: PlainRows, chunk: PlainChunk, size: number, length: number): boolean => {
  let most = size
  while (chunk.next < length) {
    const end = chunk.take(most)
    if (end === "strange") return false
    // A row of many lines.
    if (end === "torn") {
      most *= 2
      if (most > maxRow) return false
    } else if (!rows.add(chunk)) return false
  }
  return true
}

/** The rows of a table of the common form; `undefined` where it is another one. */
export const readPlainCsv = (
  bytes: Uint8Array,
  options: StatementOptions,
  sizes: PlainSizes = ordinary
): Statement | undefined => {
  const csv = options.csv ?? {}
  if (bytes.length < sizes.head * 2 || csv.encoding !== undefined) return undefined
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isUtf8(buffer)) return undefined
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const head = readHead(buffer, from, options, sizes)
  if (head === undefined) return undefined
  const { delimiter, layout, table } = head
  const splitAccounts =
    csv.accountNumber === undefined && (layout.single.account >= 0 || layout.single.accountName >= 0)
  const columns = plainColumns(layout, splitAccounts)
  if (columns === undefined) return undefined
  const first = selectRows(table, layout)
  if (first instanceof StatementFault || !isPlainSelection(first, table.rowCount - layout.header - 1)) return undefined
  const preamble: CsvPreamble = readPreamble(table, layout.header)
  const expected = decide({ layout, selection: first, preamble, delimiter, options }, {}, [])
  if (expected instanceof StatementFault) return undefined
  const { decimal } = expected
  const early = signsOf({ layout, selection: first, preamble, decimal, options })
  if (!isTrivial(early.signs)) return undefined

  const currency = layout.units.get(layout.single.amount) ?? expected.currency
  const reading: CsvReading = {
    layout,
    selection: first,
    preamble,
    dates: new DateReader(expected.order),
    decimal,
    signs: early.signs,
    currency,
    accountType: early.profile?.accountType ?? preamble.type,
    options: csv
  }
  const rows = new PlainRows(reading, columns)
  const chunk = new PlainChunk(bytes, delimiter.charCodeAt(0), columns)
  const start = table.start(layout.header + 1, 0)
  chunk.next = from + Buffer.byteLength(table.text.slice(0, start))
  chunk.line = table.line(layout.header + 1)
  if (!addRows(rows, chunk, sizes.chunk, bytes.length)) return undefined

  const { count, dates, decimals, drafts } = rows
  const whole = new PlainTable(bytes, delimiter.charCodeAt(0), layout.headers.length, count, rows.starts, rows.lines)
  if (hasBalanceLine(whole, layout, 0) || hasBalanceLine(whole, layout, count - 1)) return undefined
  const { isCurrencyMissing } = rows
  const movements = allMovements(whole, count)
  const selection: CsvSelection = { ...first, movements, dates, decimals, isCurrencyMissing }
  const assumed: Record<string, string> = { encoding: "utf-8" }
  if (csv.delimiter === undefined) assumed["delimiter"] = delimiter
  assumed["columns"] = describeColumns(layout)
  const warnings = [...layout.warnings]
  const decided = decide({ layout, selection, preamble, delimiter, options }, assumed, warnings)
  if (
    decided instanceof StatementFault ||
    decided.decimal !== decimal ||
    decided.currency !== expected.currency ||
    decided.order !== expected.order
  )
    return undefined
  const { signs } = signsOf({ layout, selection, preamble, decimal, options })
  if (!isTrivial(signs)) return undefined
  Object.assign(assumed, signs.assumed)
  warnings.push(...signs.warnings)
  const said: Array<string> = []
  if (columns.id >= 0 && !rows.areIdsUnique) said.push(settleIds(drafts.values(), layout))
  const accounts = Array.from(drafts.values(), (draft) => finish(draft, reading, drafts.size === 1, said))
  return { format: "csv", accounts, assumed, warnings: [...warnings, ...said] }
}
