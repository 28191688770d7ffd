/**
 * One pass over delimited text: only positions are kept, a cell becomes a string when somebody asks for it.
 * Quotes (`"` doubled inside), line breaks inside quotes, and CRLF, LF or bare CR line ends.
 */
import { StatementFault } from "@millrace/core/upload/Statement"
import { maxColumns, maxRows } from "./StatementLimits.ts"

/** Rows that carry no movement (preamble, blanks, summaries) may come on top of `maxRows`. */
const maxLines = maxRows + 10_000

const isBlank = (c: number): boolean => c === 32 || c === 0xa0 || c === 9

/** The cells of a file by row and column, both from 0. Blank lines are no rows. */
export class CsvTable {
  readonly text: string
  rowCount = 0
  /** Cell ends; the cell before begins behind its delimiter. Row `r` owns `firstCell[r]` up to `firstCell[r + 1]`. */
  private cellEnds: Int32Array<ArrayBuffer>
  private firstCell: Int32Array<ArrayBuffer>
  private rowStarts: Int32Array<ArrayBuffer>
  private rowLines: Int32Array<ArrayBuffer>
  private cellCount = 0

  constructor(text: string) {
    this.text = text
    this.cellEnds = new Int32Array(Math.max(64, text.length >> 3))
    this.firstCell = new Int32Array(1024)
    this.rowStarts = new Int32Array(1024)
    this.rowLines = new Int32Array(1024)
  }

  addCell(end: number): void {
    if (this.cellCount === this.cellEnds.length) this.cellEnds = grown(this.cellEnds)
    this.cellEnds[this.cellCount++] = end
  }

  /** Closes the row that began at `start`; the cells added since the last row belong to it. */
  addRow(start: number, line: number): void {
    if (this.rowCount + 1 >= this.firstCell.length) {
      this.firstCell = grown(this.firstCell)
      this.rowStarts = grown(this.rowStarts)
      this.rowLines = grown(this.rowLines)
    }
    this.rowStarts[this.rowCount] = start
    this.rowLines[this.rowCount] = line
    this.firstCell[++this.rowCount] = this.cellCount
  }

  /** Forgets the cells of a row that turned out to be blank. */
  dropRow(): void {
    this.cellCount = this.firstCell[this.rowCount]!
  }

  cellsOfOpenRow(): number {
    return this.cellCount - this.firstCell[this.rowCount]!
  }

  line(row: number): number {
    return this.rowLines[row]!
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
    const text = this.text
    while (start < end && isBlank(text.charCodeAt(start))) start++
    while (end > start && isBlank(text.charCodeAt(end - 1))) end--
    if (start === end) return ""
    const first = text.charCodeAt(start)
    // Spreadsheet programs protect numbers as ="0123".
    if (first === 61 && text.charCodeAt(start + 1) === 34) start++
    else if (first !== 34) return text.slice(start, end)
    if (text.charCodeAt(end - 1) !== 34 || end - start < 2) return text.slice(start, end).replaceAll('"', "").trim()
    const inner = text.slice(start + 1, end - 1)
    return (inner.includes('"') ? inner.replaceAll('""', '"') : inner).trim()
  }

  /** Bounds of the value that `locate` found, quotes and blanks around it left out. */
  from = 0
  to = 0

  /** Finds a cell without making a string of it; false when it is blank or missing. */
  locate(row: number, column: number): boolean {
    let start = this.start(row, column)
    if (start < 0) return false
    let end = this.end(row, column)
    const text = this.text
    while (start < end && isBlank(text.charCodeAt(start))) start++
    while (end > start && isBlank(text.charCodeAt(end - 1))) end--
    if (text.charCodeAt(start) === 61 && text.charCodeAt(start + 1) === 34) start++
    if (end - start >= 2 && text.charCodeAt(start) === 34 && text.charCodeAt(end - 1) === 34) {
      start++
      end--
      while (start < end && isBlank(text.charCodeAt(start))) start++
      while (end > start && isBlank(text.charCodeAt(end - 1))) end--
    }
    this.from = start
    this.to = end
    return start < end
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

/** Reads the whole text, or up to `limit` rows of it; `lenient` ends quietly at a quote that never closes. */
export const scanCsv = (
  text: string,
  delimiter: number,
  limit = Number.POSITIVE_INFINITY,
  lenient = false
): CsvTable | StatementFault => {
  const table = new CsvTable(text)
  const length = text.length
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  let rowStart = at
  let line = 1
  let rowLine = 1
  let blank = true
  let cellStart = true
  while (at <= length) {
    const c = at < length ? text.charCodeAt(at) : 10
    if (c === delimiter) {
      table.addCell(at++)
      cellStart = true
      if (table.cellsOfOpenRow() > maxColumns) {
        if (lenient) return table
        return new StatementFault({ message: `more than ${maxColumns} columns in one row`, line: rowLine })
      }
      continue
    }
    if (c === 10 || c === 13) {
      table.addCell(at)
      if (blank) table.dropRow()
      else {
        table.addRow(rowStart, rowLine)
        if (table.rowCount >= limit) return table
        if (table.rowCount > maxLines) {
          return new StatementFault({
            message: `more than ${maxRows} rows in one file: split it by period`,
            line: rowLine
          })
        }
      }
      if (c === 13 && text.charCodeAt(at + 1) === 10) at++
      at++
      rowStart = at
      rowLine = ++line
      blank = true
      cellStart = true
      continue
    }
    if (c === 34 && cellStart) {
      const opened = line
      let close = at
      while (true) {
        const quote = text.indexOf('"', close + 1)
        if (quote < 0) {
          if (lenient) return table
          return new StatementFault({ message: "a quoted cell never ends", line: opened })
        }
        if (text.charCodeAt(quote + 1) === 34) {
          close = quote + 1
          continue
        }
        // Line breaks inside the quotes still count as lines of the file.
        for (let inside = at + 1; inside < quote; inside++) {
          const code = text.charCodeAt(inside)
          if (code === 10 || (code === 13 && text.charCodeAt(inside + 1) !== 10)) line++
        }
        close = quote
        break
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
    if (c === 61 && cellStart && text.charCodeAt(at + 1) === 34) {
      at++
      continue
    }
    // Nothing but a delimiter or a line end counts until the cell is over.
    cellStart = false
    let inner = text.charCodeAt(++at)
    while (inner !== delimiter && inner !== 10 && inner !== 13 && at < length) inner = text.charCodeAt(++at)
  }
  return table
}
