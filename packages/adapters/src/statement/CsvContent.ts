/** What the cells of each column look like, told by the first rows: what a column holds counts beside its name. */
import { parseIban } from "@millrace/core/bank"
import { Currency } from "@millrace/core"
import { groupedAmount, isBlankAmount } from "./AmountText.ts"
import { DateParts } from "./CsvDates.ts"
import { flagsOf } from "./CsvFlags.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { signOf } from "./CsvWords.ts"

export interface ColumnContent {
  /** Cells that are not blank. */
  filled: number
  dates: number
  /** Cells that read as an amount, whole numbers too. */
  amounts: number
  /** Of these, the ones that no plain whole number is: with a separator, a sign or a currency. */
  money: number
  currencies: number
  ibans: number
  /** Cells that are a word for a side: `debit`, `Haben`. */
  sides: number
  /** Letters of all cells together. */
  letters: number
  /** Cells with at least two letters. */
  words: number
  /** Cells of several words. */
  phrases: number
  readonly distinct: Set<string>
}

/** Rows that are looked at: enough to know a column, whatever the size of the file. */
export const sampleRows = 80

const longDate = /^\d{8}$/
const parts = new DateParts()

/** Does a cell have the form of a date that no number has? */
export const looksLikeDate = (cell: string): boolean => {
  if (cell.length > 60 || !parts.read(cell, 0, cell.length)) return false
  if (parts.aDigits < 6) return true
  if (!longDate.test(cell)) return parts.aDigits === 8
  const year = Number(cell.slice(0, 4))
  const end = Number(cell.slice(4))
  return (year >= 1950 && year <= 2100) || (end >= 1950 && end <= 2100)
}

/** Letters that may stand around an amount besides the code of a currency. */
const amountLetters = new Set("cr dr db fr fr sfr rs kr kc kč ft zł tl lei lv eur r us ca c au a nz s hk k".split(" "))

const hasAmountLetters = (cell: string): boolean => {
  const letters = cell.match(/\p{L}+/gu)
  return (
    letters === null ||
    letters.every((word) => Currency.parse(word) !== undefined || amountLetters.has(word.toLowerCase()))
  )
}

export const isAmount = (cell: string): boolean =>
  cell.length <= 40 &&
  /\d/.test(cell) &&
  hasAmountLetters(cell) &&
  (groupedAmount(cell, 0, cell.length, 46, true) !== undefined ||
    groupedAmount(cell, 0, cell.length, 44, true) !== undefined)

const contentOf = (table: CsvTable, rows: ReadonlyArray<number>, column: number): ColumnContent => {
  const content: ColumnContent = {
    filled: 0,
    dates: 0,
    amounts: 0,
    money: 0,
    currencies: 0,
    ibans: 0,
    sides: 0,
    letters: 0,
    words: 0,
    phrases: 0,
    distinct: new Set()
  }
  for (const row of rows) {
    const cell = table.cell(row, column)
    if (cell === "" || isBlankAmount(cell)) continue
    content.filled++
    content.distinct.add(cell)
    const letters = cell.length > 400 ? cell.length : cell.replace(/[^\p{L}]/gu, "").length
    content.letters += letters
    if (letters >= 2) content.words++
    if (letters >= 4 && cell.includes(" ")) content.phrases++
    if (signOf(cell) !== 0) content.sides++
    if (Currency.parse(cell) !== undefined) content.currencies++
    if (looksLikeDate(cell)) content.dates++
    else if (isAmount(cell)) {
      content.amounts++
      if (!/^\d+$/.test(cell)) content.money++
    } else if (letters >= 2 && cell.length <= 42 && parseIban(cell) !== undefined) content.ibans++
  }
  if (flagsOf(content.distinct) !== undefined) content.sides = content.filled
  return content
}

/** The contents of all columns of the rows behind `header`. */
export const readContents = (table: CsvTable, header: number): ReadonlyArray<ColumnContent> => {
  const rows: Array<number> = []
  let width = 0
  for (let row = header + 1; row < table.rowCount && rows.length < sampleRows; row++) {
    if (table.columns(row) < 2) continue
    rows.push(row)
    width = Math.max(width, table.columns(row))
  }
  if (header >= 0) width = Math.max(width, table.columns(header))
  return Array.from({ length: width }, (_, column) => contentOf(table, rows, column))
}

/** Rows of the sample that a movement may stand in. */
export const sampleOf = (table: CsvTable, header: number, wanted: (row: number) => boolean): ReadonlyArray<number> => {
  const rows: Array<number> = []
  for (let row = header + 1; row < table.rowCount && rows.length < sampleRows; row++) if (wanted(row)) rows.push(row)
  return rows
}

const most = (part: number, whole: number): boolean => whole > 0 && part >= whole * 0.8

export const holdsDates = (content: ColumnContent | undefined): boolean =>
  content !== undefined && content.dates > 0 && content.dates * 2 >= content.filled
export const holdsMoney = (content: ColumnContent | undefined): boolean =>
  content !== undefined && content.money > 0 && most(content.amounts, content.filled)
export const holdsNumbers = (content: ColumnContent | undefined): boolean =>
  content !== undefined && most(content.amounts, content.filled)
export const holdsSides = (content: ColumnContent | undefined): boolean =>
  content !== undefined && most(content.sides, content.filled)
export const holdsIbans = (content: ColumnContent | undefined): boolean =>
  content !== undefined && most(content.ibans, content.filled)
/** More than letters that stand for something: `D`, `x`. */
export const holdsText = (content: ColumnContent | undefined): boolean =>
  content !== undefined &&
  content.words > 0 &&
  content.words * 2 >= content.filled &&
  !most(content.ibans, content.filled)
