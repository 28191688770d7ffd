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

/** The columns that are read, and those that are not, as `assumed` says them. */
export const describeColumns = (layout: CsvLayout): string => {
  const parts: Array<string> = []
  const taken = new Set<number>([...layout.descriptions, ...layout.references, ...layout.alternates])
  const tell = (what: string, column: number) => {
    taken.add(column)
    parts.push(`${what}=${columnName(layout, column)}`)
  }
  for (const [field, column] of Object.entries(layout.single)) {
    if (column >= 0 && field !== "description" && field !== "reference") tell(field, column)
  }
  for (const column of layout.alternates) tell("amount", column)
  for (const column of layout.descriptions) tell("description", column)
  for (const column of layout.references) tell("reference", column)
  if (layout.payer >= 0) tell("payer", layout.payer)
  if (layout.counterparty >= 0) tell("otherAccount", layout.counterparty)
  if (layout.marker >= 0) tell("side", layout.marker)
  const unread = layout.headers.flatMap((_, column) =>
    taken.has(column) || layout.contents[column]?.filled === 0 ? [] : [columnName(layout, column)]
  )
  return `${parts.join(", ")}${unread.length === 0 ? "" : `; not read: ${unread.join(", ")}`}`
}
