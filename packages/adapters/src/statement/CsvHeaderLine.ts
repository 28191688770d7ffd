/** Where the header of a table is: by names of columns, else above the first row that holds a date and an amount. */
import type { CsvField, CsvOptions } from "@millrace/core/feed"
import { StatementFault } from "@millrace/core/upload"
import { isAmount, looksLikeDate } from "./CsvContent.ts"
import { fieldsOf, normaliseHeader, weakRank } from "./CsvHeaders.ts"
import type { CsvTable } from "./CsvScanner.ts"

/** Preamble lines that may stand above the header. */
export const maxPreamble = 60

/** Number of fields that the cells of a row would name; a header names a date and an amount. */
export const headerScore = (cells: ReadonlyArray<string>): number => {
  const found = new Set<CsvField>()
  let names = 0
  for (const cell of cells) {
    let named = false
    for (const [field, rank] of fieldsOf(cell)) {
      if (rank >= weakRank) continue
      found.add(field)
      named = true
    }
    if (named) names++
  }
  const dated = found.has("date") || found.has("valueDate") || found.has("authorizedDate")
  const moved = found.has("amount") || found.has("debit") || found.has("credit")
  return dated && moved && names >= 2 ? found.size : 0
}

const byLine = (table: CsvTable, line: number): number | StatementFault => {
  for (let row = 0; row < table.rowCount && table.line(row) <= line; row++) if (table.line(row) === line) return row
  return new StatementFault({
    message: `headerLine: no row begins on line ${line}`,
    line,
    element: "headerLine"
  })
}

const limitOf = (table: CsvTable): number => Math.min(table.rowCount, maxPreamble)

const findNamed = (table: CsvTable, name: string): number => {
  const wanted = normaliseHeader(name)
  for (let row = 0; row < limitOf(table); row++) {
    if (table.row(row).some((cell) => normaliseHeader(cell) === wanted)) return row
  }
  return -1
}

/** A row of texts right above the first row that holds a date and an amount. */
const findAboveContent = (table: CsvTable): number => {
  for (let row = 0; row < limitOf(table); row++) {
    const cells = table.row(row)
    if (!cells.some(looksLikeDate) || !cells.some((cell) => !looksLikeDate(cell) && isAmount(cell))) continue
    if (row === 0) return -1
    const above = table.row(row - 1)
    const named = above.filter((cell) => cell !== "")
    const isHeader =
      named.length >= 2 &&
      named.length * 2 >= above.length &&
      above.length * 2 >= cells.length &&
      new Set(named).size === named.length &&
      !named.some((cell) => looksLikeDate(cell) || isAmount(cell) || cell.length > 80)
    return isHeader ? row - 1 : -1
  }
  return -1
}

/** A row that names columns, though not all that are needed: the fault, or an override, uses it. */
const findPartial = (table: CsvTable): number => {
  for (let row = 0; row < limitOf(table); row++) {
    const cells = table.row(row)
    if (cells.length >= 2 && !cells.some(isAmount) && cells.filter((cell) => fieldsOf(cell).length > 0).length >= 2)
      return row
  }
  return -1
}

/** The row of the header, -1 when the file has none. */
export const findHeader = (table: CsvTable, options: CsvOptions): number | StatementFault => {
  if (options.headerLine !== undefined) return options.headerLine === 0 ? -1 : byLine(table, options.headerLine)
  for (let row = 0; row < limitOf(table); row++) {
    if (table.columns(row) >= 2 && headerScore(table.row(row)) > 0) return row
  }
  for (const given of Object.values(options.columns ?? {})) {
    for (const name of typeof given === "string" ? [given] : given) {
      if (/^\s*\d*\s*$/.test(name)) continue
      const row = findNamed(table, name)
      if (row >= 0) return row
    }
  }
  const above = findAboveContent(table)
  return above >= 0 ? above : findPartial(table)
}
