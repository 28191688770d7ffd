/** Which rows of a table are movements, and what all of them together say about dates and amounts. */
import { StatementFault } from "@millrace/core/upload/Statement"
import type { CsvLayout } from "./CsvColumns.ts"
import { DateEvidence } from "./CsvDates.ts"
import { DecimalEvidence } from "./CsvDecimals.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { balanceLine, isPending, isVoid, summaryOf } from "./CsvWords.ts"
import { maxRows } from "./StatementLimits.ts"

export interface CsvSelection {
  /** Rows of the table that are movements. */
  readonly rows: ReadonlyArray<number>
  readonly dates: DateEvidence
  readonly decimals: DecimalEvidence
  readonly warnings: ReadonlyArray<string>
  /** Texts of balances that summary rows state. */
  readonly opening: string | undefined
  readonly closing: string | undefined
}

const maxSkipWarnings = 20

/** Name of a column for messages: its header, or its number. */
export const columnName = (layout: CsvLayout, column: number): string => {
  const header = layout.headers[column]
  return header === undefined || header === "" ? `column ${column + 1}` : header
}

export const selectRows = (table: CsvTable, layout: CsvLayout): CsvSelection | StatementFault => {
  const { text, codes } = table
  const { date, amount, debit, credit, status, balance } = layout.single
  const amountColumns = [amount, debit, credit].filter((column) => column >= 0)
  const single = amountColumns.length === 1 ? amountColumns[0]! : -1
  const width = layout.headers.length
  const rows: Array<number> = []
  const dates = new DateEvidence()
  const decimals = new DecimalEvidence()
  const warnings: Array<string> = []
  let skipped = 0
  // The date cell of the movement before: rows of one day follow each other.
  let lastFrom = 0
  let lastTo = 0
  let opening: string | undefined
  let closing: string | undefined
  const headerDate = layout.headers[date] ?? ""

  const skip = (row: number, why: string): void => {
    if (++skipped <= maxSkipWarnings) warnings.push(`line ${table.line(row)}: ${why}, row skipped`)
  }
  const fault = (row: number, column: number, what: string): StatementFault => {
    const name = columnName(layout, column)
    return new StatementFault({ message: `${name}: ${what}`, line: table.line(row), element: name })
  }
  const quoted = (row: number, column: number): string => `"${table.cell(row, column).slice(0, 40)}"`

  /** Summaries, repeated headers, pending rows, faults: all of them rare. */
  const setAside = (row: number, hasDate: boolean, hasAmount: boolean): StatementFault | undefined => {
    if (layout.header >= 0 && hasDate && table.cell(row, date) === headerDate) return undefined
    const cells = table.row(row).filter((cell) => cell !== "")
    const summary = summaryOf(cells.slice(0, 6).join(" ")) ?? cells.map(summaryOf).find((kind) => kind !== undefined)
    if (!hasDate && !hasAmount) {
      if (summary !== undefined) note(row, cells, summary)
      skip(row, "neither a date nor an amount")
      return undefined
    }
    const dateText = table.cell(row, date)
    const pendingDate = isPending(dateText) || ((status >= 0 || !hasDate) && cells.some(isPending))
    if (!hasDate || !/\d/.test(dateText)) {
      if (pendingDate) {
        skip(row, "pending and without a date")
        return undefined
      }
      if (summary !== undefined) {
        note(row, cells, summary)
        skip(row, "a summary line")
        return undefined
      }
      if (hasDate && !hasAmount && cells.length <= 2) {
        skip(row, "neither a date nor an amount")
        return undefined
      }
      return fault(row, date, hasDate ? `${quoted(row, date)} is not a date` : "the row has no date")
    }
    if (!hasAmount) {
      if (summary === "opening" || summary === "closing") {
        note(row, cells, summary)
        skip(row, "a summary line")
        return undefined
      }
      if (cells.some(isVoid)) {
        skip(row, "cancelled and without an amount")
        return undefined
      }
      if (cells.length === 1) {
        skip(row, "neither a date nor an amount")
        return undefined
      }
      return fault(row, amountColumns[0]!, "the row has no amount")
    }
    if (summary !== undefined && cells.length <= 4) {
      note(row, cells, summary)
      skip(row, "a summary line")
      return undefined
    }
    return fault(row, date, `${quoted(row, date)} is not a date`)
  }

  const select = (row: number): StatementFault | undefined => {
    let hasAmount = false
    if (single >= 0) hasAmount = table.locate(row, single)
    else for (const column of amountColumns) if (table.locate(row, column)) hasAmount = true
    const amountFrom = table.from
    const amountTo = table.to
    const hasDate = table.locate(row, date)
    if (hasDate && hasAmount) {
      if (status >= 0) {
        if (table.locate(row, status) && isVoid(text.slice(table.from, table.to))) {
          skip(row, `the status is ${quoted(row, status)}`)
          return undefined
        }
        table.locate(row, date)
      }
      const again = lastTo > 0 && table.repeats(lastFrom, lastTo)
      if (again) dates.addAgain()
      if (again || dates.add(text, table.from, table.to)) {
        lastFrom = table.from
        lastTo = table.to
        if (width > 0 && table.columns(row) > width && hasExtra(table, row, width)) {
          return new StatementFault({
            message: `the row has ${table.columns(row)} cells, the header names ${width}`,
            line: table.line(row)
          })
        }
        if (rows.length >= maxRows) {
          return new StatementFault({
            message: `more than ${maxRows} rows in one file: split it by period`,
            line: table.line(row)
          })
        }
        if (single >= 0) decimals.add(codes, amountFrom, amountTo)
        else {
          for (const column of amountColumns) if (table.locate(row, column)) decimals.add(codes, table.from, table.to)
        }
        if (balance >= 0 && table.locate(row, balance)) decimals.add(codes, table.from, table.to)
        rows.push(row)
        return undefined
      }
    }
    return setAside(row, hasDate, hasAmount)
  }

  for (let row = layout.header + 1; row < table.rowCount; row++) {
    const found = select(row)
    if (found !== undefined) return found
  }
  // Banks put balance lines in front of and behind the movements, dated like them.
  for (const last of [false, true]) {
    const row = last ? rows.at(-1) : rows[0]
    const kind =
      row === undefined
        ? undefined
        : layout.descriptions.map((column) => balanceLine(table.cell(row, column))).find((each) => each !== undefined)
    if (row === undefined || kind === undefined) continue
    if (last) rows.pop()
    else rows.shift()
    const column =
      balance >= 0 && table.locate(row, balance) ? balance : amountColumns.find((each) => table.locate(row, each))
    if (column !== undefined) {
      if (kind === "opening") opening ??= table.cell(row, column)
      else closing ??= table.cell(row, column)
    }
    skip(row, "a balance, not a movement")
  }
  if (skipped > maxSkipWarnings) warnings.push(`${skipped - maxSkipWarnings} more rows skipped`)
  return { rows, dates, decimals, warnings, opening, closing }

  /** Keeps the balance that a summary row states: its balance cell, else its last number. */
  function note(row: number, cells: ReadonlyArray<string>, kind: "opening" | "closing" | "total"): void {
    if (kind === "total") return
    const cell = balance >= 0 ? table.cell(row, balance) : ""
    const value = cell === "" ? cells.findLast((other) => /^[^\p{L}]*\d[^\p{L}]*(?:[A-Z]{3})?$/u.test(other)) : cell
    if (kind === "opening") opening ??= value
    else closing = value ?? closing
  }
}

const hasExtra = (table: CsvTable, row: number, width: number): boolean => {
  for (let column = width; column < table.columns(row); column++) if (table.locate(row, column)) return true
  return false
}
