/** The layout of a table: which column holds what. */
import type { Currency } from "@millrace/core"
import type { CsvField } from "@millrace/core/feed"
import type { ColumnContent } from "./CsvContent.ts"

/** Columns by field, from 0; -1 where there is none. */
export interface CsvLayout {
  /** Row of the header, -1 when the file has none. */
  readonly header: number
  readonly headers: ReadonlyArray<string>
  readonly single: Readonly<Record<CsvField, number>>
  /** Description columns in file order. */
  readonly descriptions: ReadonlyArray<number>
  /** Reference columns, best first. */
  readonly references: ReadonlyArray<number>
  /** Amount columns of other currencies beside `single.amount`: a row has one of them. */
  readonly alternates: ReadonlyArray<number>
  /** Currencies that the names of amount columns state. */
  readonly units: ReadonlyMap<number, Currency.Currency>
  /** A debit column beside a signed amount: it says which amounts leave, -1 when there is none. */
  readonly marker: number
  /** Who sent the money, where `single.payee` is who got it; -1 when one column names the other side. */
  readonly payer: number
  /** The other side's account, -1 when there is none. */
  readonly counterparty: number
  readonly contents: ReadonlyArray<ColumnContent>
  /** What had to be guessed. */
  readonly warnings: ReadonlyArray<string>
}

/** Name of a column for messages: its header, or its number. */
export const columnName = (layout: { readonly headers: ReadonlyArray<string> }, column: number): string => {
  const header = layout.headers[column]
  return header === undefined || header === "" ? `column ${column + 1}` : header
}
