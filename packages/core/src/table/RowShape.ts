/** What stores keep beside the cells of a row, worked out from the fields of its table. */
import type { CellValue, RowValues } from "../filter/FilterField.ts"
import { foldBeyondAscii } from "../text/Fold.ts"
import { jsonScalar } from "../filter/JsonScalar.ts"
import type { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { entriesOf, facetsOf, isText, type Facet, type LookupEntry } from "./Facet.ts"
import type { Row, Table } from "./Table.ts"

export interface StoredRow {
  readonly row: Row
  /** Text cells folded, by key, where that is more than ASCII letters in lower case (`foldBeyondAscii`). */
  readonly folded: Readonly<Record<string, string>>
  /** None for rows in the trash. */
  readonly entries: ReadonlyArray<LookupEntry>
}

const encoder = new TextEncoder()

/** Units of text in a row; NaN where cells are neither text nor plain. */
const unitsOf = (values: RowValues): number => {
  let units = 2
  for (const key in values) {
    const cell = values[key]
    units += key.length + 4
    if (typeof cell === "string") units += cell.length
    else units += cell === null || typeof cell === "boolean" ? 5 : Number.NaN
  }
  return units
}

/** A unit is at most six bytes of JSON, and three of UTF-8: only long rows are measured. */
export const isTooLarge = (values: RowValues): boolean => {
  if (unitsOf(values) * 6 <= limits.rowBytes) return false
  const text = JSON.stringify(values)
  return text.length * 3 > limits.rowBytes && encoder.encode(text).length > limits.rowBytes
}

const nothingFolded: Readonly<Record<string, string>> = {}

/** Cells of text fields folded, and text in JSON fields, where that is more than ASCII letters in lower case. */
export const folding = (fields: Table["fields"]): ((values: RowValues) => Readonly<Record<string, string>>) => {
  const texts = fields.flatMap((field) => (isText(field) ? [field.key] : []))
  const documents = fields.flatMap((field) => (field.type === "json" ? [field.key] : []))
  return (values) => {
    let folded: Record<string, string> | undefined
    const add = (key: string, text: string): void => {
      const plain = foldBeyondAscii(text)
      if (plain !== undefined) (folded ??= {})[key] = plain
    }
    for (const key of texts) {
      const cell = values[key]
      if (typeof cell === "string") add(key, cell)
    }
    for (const key of documents) {
      const cell = values[key]
      const text = typeof cell === "string" ? jsonScalar(cell, "string") : undefined
      if (text !== undefined) add(key, text)
    }
    return folded ?? nothingFolded
  }
}

/** Cells that new rows have where nobody says otherwise. */
export const defaultsOf = (fields: Table["fields"]): Readonly<Record<string, CellValue>> =>
  Object.fromEntries(fields.flatMap((field) => (field.default === undefined ? [] : [[field.key, field.default]])))

export interface RowShape {
  readonly facets: ReadonlyArray<Facet>
  readonly stored: (row: Row) => StoredRow
}

export const shapeOf = (table: Table, hash: Digest["Service"]["contentHash"]): RowShape => {
  const facets = facetsOf(table)
  const foldedOf = folding(table.fields)
  return {
    facets,
    stored: (row) => ({
      row,
      folded: foldedOf(row.values),
      entries: row.trashedAt === undefined && facets.length > 0 ? entriesOf(facets, row.values, hash) : []
    })
  }
}
