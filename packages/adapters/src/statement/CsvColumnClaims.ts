/** The columns of a table and what is known of them, while it is found out which holds what. */
import type { CsvField } from "@millrace/core/feed"
import { StatementFault } from "@millrace/core/upload"
import { type ColumnContent, readContents } from "./CsvContent.ts"
import { fieldsOf, weakRank } from "./CsvHeaders.ts"
import { columnName } from "./CsvLayout.ts"
import type { CsvTable } from "./CsvScanner.ts"

// A literal: the layout of one is known to compiled code as long as this file is.
const emptyColumns = (): Record<CsvField, number> => ({
  date: -1,
  authorizedDate: -1,
  valueDate: -1,
  amount: -1,
  debit: -1,
  credit: -1,
  sign: -1,
  type: -1,
  description: -1,
  originalDescription: -1,
  payee: -1,
  reference: -1,
  id: -1,
  category: -1,
  balance: -1,
  currency: -1,
  account: -1,
  accountName: -1,
  status: -1,
  note: -1
})

const maxNamed = 40

/** The columns of a file as people would name them, for messages. */
const seenColumns = (table: CsvTable, headers: ReadonlyArray<string>): string => {
  const row = table.rowCount === 0 ? [] : table.row(0)
  const names =
    headers.length > 0
      ? headers.map((name, column) => (name === "" ? `column ${column + 1}` : `"${name.slice(0, 60)}"`))
      : row.map((cell, column) => `${column + 1} ("${cell.slice(0, 20)}")`)
  const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ""
  return `The columns seen are ${names.slice(0, maxNamed).join(", ")}${rest}`
}

/** What each column has been taken for so far. Those who look for columns take theirs one after the other. */
export class ColumnClaims {
  readonly columns = emptyColumns()
  readonly warnings: Array<string> = []
  readonly used = new Set<number>()
  readonly descriptions: Array<number> = []
  readonly references: Array<number> = []
  readonly table: CsvTable
  readonly header: number
  readonly headers: ReadonlyArray<string>
  readonly contents: ReadonlyArray<ColumnContent>
  /** Fields that the name of each column may mean, with the rank of each. */
  readonly candidates: ReadonlyArray<ReadonlyArray<readonly [CsvField, number]>>
  /** Fields that the reader's overrides decide. */
  readonly given = new Set<CsvField>()
  readonly alternates: Array<number> = []
  marker = -1
  /** Columns of amounts that contradict each other, where nothing says which is right. */
  doubt: ReadonlyArray<number> = []

  constructor(table: CsvTable, header: number) {
    this.table = table
    this.header = header
    this.headers = header < 0 ? [] : table.row(header)
    this.contents = readContents(table, header)
    this.candidates = this.headers.map((name) => fieldsOf(name))
  }

  /** Line of the header, for messages. */
  get line(): number {
    return this.header < 0 ? 1 : this.table.line(this.header)
  }

  /** A refusal that names the columns seen and says what to set. */
  fault(message: string, field: CsvField, how = `name it in sourceConfig.csv.columns.${field}`): StatementFault {
    const hint = `${how}, by its header or its number from 1`
    return new StatementFault({
      message: `${message}. ${seenColumns(this.table, this.headers)}; ${hint}`,
      line: this.line,
      element: field
    })
  }

  name(column: number): string {
    return columnName(this, column)
  }

  take(field: CsvField, column: number): void {
    this.columns[field] = column
    this.used.add(column)
  }

  /** Takes a column that only its content supports, and says so. */
  guessed(field: CsvField, column: number): void {
    this.take(field, column)
    const what = field === "description" ? "the descriptions" : `the ${field}`
    this.warnings.push(
      `no header names ${what}: ${this.name(column)} read, set sourceConfig.csv.columns.${field} to override`
    )
  }

  release(field: CsvField): void {
    this.used.delete(this.columns[field])
    this.columns[field] = -1
  }

  /** Columns that nothing has taken and that hold what is wanted. */
  free(test: (content: ColumnContent) => boolean): Array<number> {
    return this.contents.flatMap((content, column) => (!this.used.has(column) && test(content) ? [column] : []))
  }

  /** Takes a column of one name although nothing in it agrees: the rows say what is wrong with it. False when there is none. */
  takeByName(field: CsvField): boolean {
    const column = this.candidates.findIndex(
      (fields, at) => !this.used.has(at) && fields.some(([candidate, rank]) => candidate === field && rank < weakRank)
    )
    if (column >= 0) this.take(field, column)
    return column >= 0
  }
}
