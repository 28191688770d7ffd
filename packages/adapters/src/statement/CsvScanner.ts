/**
 * One pass over delimited text: only positions are kept, a cell becomes a string when somebody asks for it.
 * Quotes (`"` doubled inside), line breaks inside quotes, and CRLF, LF or bare CR line ends.
 */
import { StatementFault } from "@millrace/core/upload"
import { characterCodes, type CharacterCodes } from "./CharacterCodes.ts"
import { maxColumns, maxRows } from "./StatementLimits.ts"

/** Rows that carry no movement (preamble, blanks, summaries) may come on top of `maxRows`. */
const maxLines = maxRows + 10_000

/** Characters of a row, with its quotes. */
const maxRow = 1_048_576

const isBlank = (c: number): boolean => c === 32 || c === 0xa0 || c === 9

/** Where cells and rows of a text lie. */
interface CsvPositions {
  /** Cell ends; the cell before begins behind its delimiter. Row `r` owns `firstCell[r]` up to `firstCell[r + 1]`. */
  cellEnds: Int32Array<ArrayBuffer>
  firstCell: Int32Array<ArrayBuffer>
  rowStarts: Int32Array<ArrayBuffer>
  rowLines: Int32Array<ArrayBuffer>
}

/** The cells of a file, or of a part of one, by row and column, both from 0. Blank lines are no rows. */
export class CsvTable {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new CsvTable("", new Uint16Array(2), 0, {
    cellEnds: new Int32Array(1),
    firstCell: new Int32Array(1),
    rowStarts: new Int32Array(1),
    rowLines: new Int32Array(1)
  })

  readonly text: string
  /** Character codes of `text`. */
  readonly codes: CharacterCodes
  readonly rowCount: number
  /** Where the row begins that the text ends in, which is none of these, and its line. Behind the text where it ends a file. */
  rest = 0
  restLine = 1
  private readonly cellEnds: Int32Array<ArrayBuffer>
  private readonly firstCell: Int32Array<ArrayBuffer>
  private readonly rowStarts: Int32Array<ArrayBuffer>
  private readonly rowLines: Int32Array<ArrayBuffer>

  constructor(text: string, codes: CharacterCodes, rowCount: number, positions: CsvPositions) {
    this.text = text
    this.codes = codes
    this.rowCount = rowCount
    this.cellEnds = positions.cellEnds
    this.firstCell = positions.firstCell
    this.rowStarts = positions.rowStarts
    this.rowLines = positions.rowLines
  }

  line(row: number): number {
    return this.rowLines[row]!
  }

  /** Where a row begins, and its line end. */
  rowStart(row: number): number {
    return this.rowStarts[row]!
  }

  rowEnd(row: number): number {
    return this.cellEnds[this.firstCell[row + 1]! - 1]!
  }

  columns(row: number): number {
    return this.firstCell[row + 1]! - this.firstCell[row]!
  }

  /** Position of the first character of a cell, -1 when the row is too short. */
  start(row: number, column: number): number {
    const cell = this.firstCell[row]! + column
    if (column < 0 || cell >= this.firstCell[row + 1]!) return -1
    return column === 0 ? this.rowStarts[row]! : this.cellEnds[cell - 1]! + 1
  }

  end(row: number, column: number): number {
    return this.cellEnds[this.firstCell[row]! + column]!
  }

  /** The value of a cell: unquoted, ends trimmed; `""` when the row has no such cell. */
  cell(row: number, column: number): string {
    let start = this.start(row, column)
    if (start < 0) return ""
    let end = this.end(row, column)
    const { codes, text } = this
    while (start < end && isBlank(codes[start]!)) start++
    while (end > start && isBlank(codes[end - 1]!)) end--
    if (start === end) return ""
    const first = codes[start]
    // Spreadsheet programs protect numbers as ="0123".
    if (first === 61 && codes[start + 1] === 34) start++
    else if (first !== 34) return text.slice(start, end)
    if (codes[end - 1] !== 34 || end - start < 2) return text.slice(start, end).replaceAll('"', "").trim()
    start++
    end--
    for (let at = start; at < end; at++) {
      if (codes[at] === 34) return text.slice(start, end).replaceAll('""', '"').trim()
    }
    if (start === end) return ""
    // Only what may be white space is worth asking about.
    const outer = codes[start]!
    const last = codes[end - 1]!
    const value = text.slice(start, end)
    return outer <= 32 || outer >= 0xa0 || last <= 32 || last >= 0xa0 ? value.trim() : value
  }

  /** Bounds of the value that `locate` found, quotes and blanks around it left out. */
  from = 0
  to = 0

  /** Finds a cell without making a string of it; false when it is blank or missing. */
  locate(row: number, column: number): boolean {
    let start = this.start(row, column)
    if (start < 0) return false
    let end = this.end(row, column)
    const { codes } = this
    while (start < end && isBlank(codes[start]!)) start++
    while (end > start && isBlank(codes[end - 1]!)) end--
    if (codes[start] === 61 && codes[start + 1] === 34) start++
    if (end - start >= 2 && codes[start] === 34 && codes[end - 1] === 34) {
      start++
      end--
      while (start < end && isBlank(codes[start]!)) start++
      while (end > start && isBlank(codes[end - 1]!)) end--
    }
    this.from = start
    this.to = end
    return start < end
  }

  /** Does what `locate` found read exactly as the text from `from` to `to`? */
  repeats(from: number, to: number): boolean {
    const length = to - from
    if (length !== this.to - this.from) return false
    const { codes } = this
    const own = this.from
    for (let offset = length - 1; offset >= 0; offset--) if (codes[from + offset] !== codes[own + offset]) return false
    return true
  }

  /** May the value of a cell hold two blanks in a row? */
  hasBlankRun(row: number, column: number): boolean {
    const start = this.start(row, column)
    if (start < 0) return false
    const { codes } = this
    for (let at = this.end(row, column) - 2; at >= start; at--)
      if (codes[at] === 32 && codes[at + 1] === 32) return true
    return false
  }

  /** Every cell of a row as text. */
  row(row: number): ReadonlyArray<string> {
    return Array.from({ length: this.columns(row) }, (_, column) => this.cell(row, column))
  }
}

const grown = (array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
  const bigger = new Int32Array(array.length * 2)
  bigger.set(array)
  return bigger
}

/** How a text is read. */
export interface CsvTableOptions {
  /** Rows that are read at most. */
  readonly limit?: number
  /** Ends quietly at a quote that never closes. */
  readonly isLenient?: boolean
  /** Those of the text, where they are known. */
  readonly codes?: CharacterCodes
  /** Of a text that is a part of a file: its first line, rows before it, and whether the file ends with it. */
  readonly line?: number
  readonly rowsBefore?: number
  readonly isLast?: boolean
}

/** The rows of a text. Those of a part of a file, but for the one that it ends in. */
export const csvTable = (text: string, delimiter: number, options: CsvTableOptions = {}): CsvTable | StatementFault => {
  const { codes = characterCodes(text), isLast = true, isLenient: lenient = false } = options
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  const mostRows = maxLines - (options.rowsBefore ?? 0)
  const firstLine = options.line ?? 0
  const length = text.length
  let cellEnds = new Int32Array(Math.max(64, length >> 3))
  let firstCell = new Int32Array(1024)
  let rowStarts = new Int32Array(1024)
  let rowLines = new Int32Array(1024)
  let cellCount = 0
  let rowCount = 0
  // First cell of the open row.
  let rowCell = 0
  let at = firstLine === 0 && codes[0] === 0xfeff ? 1 : 0
  let rowStart = at
  let line = Math.max(firstLine, 1)
  let rowLine = line
  let blank = true
  let cellStart = true
  const finish = (): CsvTable => {
    const table = new CsvTable(text, codes, rowCount, { cellEnds, firstCell, rowStarts, rowLines })
    table.rest = rowStart
    table.restLine = rowLine
    return table
  }
  const tooLong = (): StatementFault =>
    new StatementFault({
      message: `more than ${maxRow} characters in one row: a quote may stand in it that nothing closes`,
      line: rowLine
    })
  /** The text ends in a row: there has to be more of it. */
  const torn = (): CsvTable | StatementFault => (length - rowStart > maxRow ? tooLong() : finish())
  while (at <= length) {
    const c = codes[at]!
    if (c === delimiter) {
      if (cellCount === cellEnds.length) cellEnds = grown(cellEnds)
      cellEnds[cellCount++] = at++
      cellStart = true
      if (cellCount - rowCell > maxColumns) {
        if (lenient) return finish()
        if (at - rowStart > maxRow) return tooLong()
        return new StatementFault({ message: `more than ${maxColumns} columns in one row`, line: rowLine })
      }
      continue
    }
    if (c === 10 || c === 13) {
      // What ends the text may be half of a line end.
      if (!isLast && (at >= length || (c === 13 && at + 1 >= length))) return torn()
      if (at - rowStart > maxRow && !lenient) return tooLong()
      if (blank) cellCount = rowCell
      else {
        if (cellCount === cellEnds.length) cellEnds = grown(cellEnds)
        cellEnds[cellCount++] = at
        if (rowCount + 1 >= firstCell.length) {
          firstCell = grown(firstCell)
          rowStarts = grown(rowStarts)
          rowLines = grown(rowLines)
        }
        rowStarts[rowCount] = rowStart
        rowLines[rowCount] = rowLine
        firstCell[++rowCount] = cellCount
        rowCell = cellCount
        if (rowCount >= limit) return finish()
        if (rowCount > mostRows) {
          return new StatementFault({
            message: `more than ${maxRows} rows in one file: split it by period`,
            line: rowLine
          })
        }
      }
      if (c === 13 && at + 1 < length && codes[at + 1] === 10) at++
      at++
      rowStart = at
      rowLine = ++line
      blank = true
      cellStart = true
      continue
    }
    if (c === 34 && cellStart) {
      const opened = line
      let close = at + 1
      while (true) {
        if (close >= length) {
          if (lenient) return finish()
          if (!isLast || length - rowStart > maxRow) return torn()
          return new StatementFault({ message: "a quoted cell never ends", line: opened })
        }
        const code = codes[close]!
        if (code === 34) {
          if (codes[close + 1] !== 34) break
          close += 2
          continue
        }
        // Line breaks inside the quotes still count as lines of the file.
        if (code === 10 || (code === 13 && codes[close + 1] !== 10)) line++
        close++
      }
      if (close > at + 1) blank = false
      at = close + 1
      cellStart = false
      continue
    }
    if (isBlank(c)) {
      at++
      continue
    }
    blank = false
    if (c === 61 && cellStart && codes[at + 1] === 34) {
      at++
      continue
    }
    // Nothing but a delimiter or a line end counts until the cell is over.
    cellStart = false
    let inner = codes[++at]!
    while (inner !== delimiter && inner !== 10 && inner !== 13 && at < length) inner = codes[++at]!
  }
  return finish()
}
