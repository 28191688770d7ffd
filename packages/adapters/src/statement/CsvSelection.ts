/** Which rows of a table are movements, and what all of them together say about dates and amounts. */
import { type RefusedRow, StatementFault } from "@millrace/core/upload"
import { isBlankAmount } from "./AmountText.ts"
import { columnName, type CsvLayout } from "./CsvLayout.ts"
import { DateEvidence } from "./CsvDates.ts"
import { DecimalEvidence } from "./CsvDecimals.ts"
import { sideReader } from "./CsvFlags.ts"
import { type CsvMovements, movementsOf } from "./CsvMovements.ts"
import { CsvTable } from "./CsvScanner.ts"
import { statedLine, type Summary, summaryOf } from "./CsvSummaries.ts"
import { isPending, isVoid, signOf } from "./CsvWords.ts"
import { maxRows } from "./StatementLimits.ts"
import { ownText } from "./Wording.ts"

export interface CsvSelection {
  readonly movements: CsvMovements
  /** Rows that look like movements and cannot be read. */
  readonly refused: ReadonlyArray<RefusedRow>
  readonly dates: DateEvidence
  /** The first date that contradicts those before it. */
  readonly dateConflict: { readonly line: number; readonly cell: string } | undefined
  readonly decimals: DecimalEvidence
  readonly warnings: ReadonlyArray<string>
  /** Rows with a date and without an amount, and the line of the first of them. */
  readonly withoutAmount: { readonly count: number; readonly line: number }
  /** Whether some movement names no currency. */
  readonly isCurrencyMissing: boolean
  /** Texts of balances that summary rows state. */
  readonly opening: string | undefined
  readonly closing: string | undefined
}

/** Takes the rows that are movements, and those that go on with the text of the movement before. */
export interface SelectedRows {
  readonly movement: (table: CsvTable, row: number) => void
  readonly continuation: (table: CsvTable, row: number) => void
}

/** What all rows say. */
export interface SelectedAll extends Omit<CsvSelection, "movements"> {
  readonly count: number
}

/** Lines of rows that look like movements and state a balance or a turnover. */
export type StatedLines = ReadonlyMap<number, Exclude<Summary, "total">>

/** Looks at the rows of a file one after the other: of one table, or of several that follow each other. */
export interface CsvSelector {
  /** The rows that follow are those of this table. */
  readonly use: (table: CsvTable) => void
  readonly select: (row: number) => StatementFault | undefined
  readonly end: () => SelectedAll
}

const maxSkipWarnings = 20

/** The columns that hold the amount of a row: one of them, or one for each side. */
export const amountColumnsOf = (layout: CsvLayout): ReadonlyArray<number> =>
  [layout.single.amount, layout.single.debit, layout.single.credit, ...layout.alternates].filter(
    (column) => column >= 0
  )

/** Finds an amount cell that holds more than a dash. */
export const locateAmount = (table: CsvTable, row: number, column: number): boolean => {
  if (!table.locate(row, column)) return false
  const { codes, from, to } = table
  const last = codes[to - 1]!
  return to - from > 4 || (last >= 48 && last <= 57) || !isBlankAmount(table.text.slice(from, to))
}

/** `most`: movements that a file may hold. `stated`: lines that are known to be no movements. */
export const selectorOf = (
  layout: CsvLayout,
  rows: SelectedRows,
  most: number,
  stated: StatedLines = new Map()
): CsvSelector => {
  let table: CsvTable
  let { text, codes } = CsvTable.exemplar
  const { balance, currency, date, sign, status } = layout.single
  const sideOf = sideReader(layout.contents[sign], signOf, true)
  const amountColumns = amountColumnsOf(layout)
  const single = amountColumns.length === 1 ? amountColumns[0]! : -1
  const width = layout.headers.length
  let count = 0
  let withoutCurrency = 0
  const refused: Array<RefusedRow> = []
  let continued = 0
  let firstContinued = -1
  const dates = new DateEvidence()
  const decimals = new DecimalEvidence()
  const warnings: Array<string> = []
  let dateConflict: { readonly line: number; readonly cell: string } | undefined
  let skipped = 0
  let withoutAmount = 0
  let firstWithout = -1
  // The date cell of the movement before: rows of one day follow each other.
  let lastFrom = 0
  let lastTo = 0
  let opening: string | undefined
  let closing: string | undefined
  // Whether a row of mere text would belong to the movement before.
  let isBelow = false
  const headerDate = layout.headers[date] ?? ""
  const textColumns = new Set(
    [...layout.descriptions, layout.single.payee, layout.single.originalDescription, layout.single.note].filter(
      (column) => column >= 0
    )
  )

  const skip = (row: number, why: string): void => {
    isBelow = false
    if (++skipped <= maxSkipWarnings) warnings.push(ownText(`line ${table.line(row)}: ${why}, row skipped`))
  }
  const refuse = (row: number, column: number, message: string): void => {
    isBelow = false
    refused.push({
      line: table.line(row),
      ...(column < 0 ? {} : { element: columnName(layout, column) }),
      message: ownText(message)
    })
  }
  const quoted = (row: number, column: number): string => `"${table.cell(row, column).slice(0, 40)}"`

  /** Text and nothing else, where the table has its texts. */
  const continues = (row: number): boolean => {
    const cells = table.columns(row)
    if (!isBelow || cells < 2 || cells < width - 1) return false
    for (let column = 0; column < cells; column++) {
      if (!textColumns.has(column) && table.locate(row, column)) return false
    }
    return true
  }

  /** Summaries, repeated headers, pending rows, rows of mere text: all of them rare. */
  const setAside = (row: number, hasDate: boolean, hasAmount: boolean): void => {
    if (layout.header >= 0 && hasDate && table.cell(row, date) === headerDate) return
    const cells = table.row(row).filter((cell) => cell !== "")
    const summary = summaryOf(cells.slice(0, 6).join(" ")) ?? cells.map(summaryOf).find((kind) => kind !== undefined)
    if (!hasDate && !hasAmount) {
      if (summary !== undefined) note(row, cells, summary)
      else if (continues(row)) {
        if (continued++ === 0) firstContinued = table.line(row)
        rows.continuation(table, row)
        return
      }
      skip(row, "neither a date nor an amount")
      return
    }
    const dateText = table.cell(row, date)
    const pendingDate = isPending(dateText) || ((status >= 0 || !hasDate) && cells.some(isPending))
    if (!hasDate || !/\d/.test(dateText)) {
      if (pendingDate) skip(row, "pending and without a date")
      else if (summary !== undefined) {
        note(row, cells, summary)
        skip(row, "a summary line")
      } else if (!hasAmount) skip(row, "neither a date nor an amount")
      else refuse(row, date, hasDate ? `${quoted(row, date)} is not a date` : "the row has no date")
      return
    }
    if (!hasAmount) {
      if (summary === "opening" || summary === "closing") {
        note(row, cells, summary)
        skip(row, "a summary line")
      } else if (cells.some(isVoid)) skip(row, "cancelled and without an amount")
      else if (cells.length === 1) skip(row, "neither a date nor an amount")
      else {
        withoutAmount++
        if (firstWithout < 0) firstWithout = table.line(row)
        skip(row, "without an amount")
      }
      return
    }
    if (summary !== undefined && cells.length <= 4) {
      note(row, cells, summary)
      skip(row, "a summary line")
      return
    }
    refuse(row, date, `${quoted(row, date)} is not a date`)
  }

  const select = (row: number): StatementFault | undefined => {
    let hasAmount = false
    if (single >= 0) hasAmount = locateAmount(table, row, single)
    else for (const column of amountColumns) if (locateAmount(table, row, column)) hasAmount = true
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
        if (dateConflict === undefined && dates.conflicts) {
          dateConflict = { line: table.line(row), cell: table.cell(row, date) }
        }
        if (width > 0 && table.columns(row) > width && hasExtra(table, row, width)) {
          refuse(row, -1, `the row has ${table.columns(row)} cells, the header names ${width}`)
          return undefined
        }
        const kind = stated.get(table.line(row)) ?? statedKind(row)
        if (kind !== undefined) {
          noteStated(row, kind)
          skip(row, kind === "turnover" ? "a turnover, not a movement" : "a balance, not a movement")
          return undefined
        }
        if (count >= most) {
          return new StatementFault({
            message: `more than ${maxRows} rows in one file: split it by period`,
            line: table.line(row)
          })
        }
        if (single >= 0) decimals.add(codes, amountFrom, amountTo)
        else {
          for (const column of amountColumns) if (table.locate(row, column)) decimals.add(codes, table.from, table.to)
        }
        if (balance >= 0 && table.locate(row, balance)) decimals.add(codes, table.from, table.to, false)
        if (currency >= 0 && !table.locate(row, currency)) withoutCurrency++
        count++
        rows.movement(table, row)
        isBelow = true
        return undefined
      }
    }
    setAside(row, hasDate, hasAmount)
    return undefined
  }

  const statedKind = (row: number): Exclude<Summary, "total"> | undefined => {
    for (const column of layout.descriptions) {
      const kind = statedLine(table.cell(row, column))
      if (kind !== undefined) return kind
    }
    return undefined
  }

  /** Keeps the balance of a row: its balance cell, else its amount on the side where it stands. */
  const noteStated = (row: number, kind: Exclude<Summary, "total">): void => {
    if (kind === "turnover") return
    const { debit } = layout.single
    const column =
      balance >= 0 && table.locate(row, balance)
        ? balance
        : amountColumns.find((each) => locateAmount(table, row, each))
    if (column === undefined) return
    const isOut = column !== balance && (column === debit || (sign >= 0 && sideOf(table.cell(row, sign)) < 0))
    const value = table.cell(row, column)
    const own = isOut && !/[-(]/.test(value) ? `-${value}` : value
    if (kind === "opening") opening ??= own
    else closing = own
  }

  return {
    use: (next) => {
      table = next
      text = next.text
      codes = next.codes
      lastTo = 0
    },
    select,
    end: () => {
      if (continued > 0) {
        warnings.push(
          `line ${firstContinued}: text without a date and an amount, added to the row above${continued > 1 ? `, as in ${continued - 1} more rows` : ""}`
        )
      }
      if (skipped > maxSkipWarnings) warnings.push(`${skipped - maxSkipWarnings} more rows skipped`)
      if (withoutAmount > 1) warnings.push(`${withoutAmount} rows without an amount skipped in all`)
      return {
        count,
        refused,
        dates,
        dateConflict,
        decimals,
        warnings,
        withoutAmount: { count: withoutAmount, line: firstWithout },
        isCurrencyMissing: withoutCurrency > 0,
        opening,
        closing
      }
    }
  }

  /** Keeps the balance that a summary row states: its balance cell, else its last number. */
  function note(row: number, cells: ReadonlyArray<string>, kind: Summary): void {
    if (kind === "total" || kind === "turnover") return
    const cell = balance >= 0 ? table.cell(row, balance) : ""
    const value = cell === "" ? cells.findLast((other) => /^[^\p{L}]*\d[^\p{L}]*(?:[A-Z]{3})?$/u.test(other)) : cell
    if (kind === "opening") opening ??= value
    else closing = value ?? closing
  }
}

/** The movements of a table that is there as a whole. */
export const selectRows = (table: CsvTable, layout: CsvLayout, stated?: StatedLines): CsvSelection | StatementFault => {
  // An array that grows is copied again and again.
  const rows = new Int32Array(Math.max(0, table.rowCount - layout.header - 1))
  let count = 0
  const continuations = new Map<number, Array<number>>()
  const selector = selectorOf(
    layout,
    {
      movement: (_, row) => {
        rows[count++] = row
      },
      continuation: (_, row) => {
        const above = rows[count - 1]!
        const held = continuations.get(above)
        if (held === undefined) continuations.set(above, [row])
        else held.push(row)
      }
    },
    maxRows,
    stated
  )
  selector.use(table)
  for (let row = layout.header + 1; row < table.rowCount; row++) {
    const fault = selector.select(row)
    if (fault !== undefined) return fault
  }
  const all = selector.end()
  return { ...all, movements: movementsOf(table, rows.subarray(0, count), continuations) }
}

const hasExtra = (table: CsvTable, row: number, width: number): boolean => {
  for (let column = width; column < table.columns(row); column++) if (table.locate(row, column)) return true
  return false
}
