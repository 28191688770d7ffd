/** What stores keep beside the cells of a row, worked out from the fields of its table. */
import type { CellValue, RowValues } from "../filter/FilterField.ts"
import { fold } from "../filter/Fold.ts"
import { jsonScalar } from "../filter/JsonScalar.ts"
import type { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { entriesOf, facetsOf, isText, type Facet, type LookupEntry } from "./Facet.ts"
import type { Row, Table } from "./Table.ts"

export interface StoredRow {
  readonly row: Row
  /** Text cells folded, by key, where that differs from the text. */
  readonly folded: Readonly<Record<string, string>>
  /** None for rows in the trash. */
  readonly entries: ReadonlyArray<LookupEntry>
}

const encoder = new TextEncoder()

/** UTF-8 is at most three bytes for each unit: only long rows are measured. */
export const isTooLarge = (values: RowValues): boolean => {
  const text = JSON.stringify(values)
  return text.length * 3 > limits.rowBytes && encoder.encode(text).length > limits.rowBytes
}

/** Cells of text fields folded, and text in JSON fields, where that makes a difference. */
export const foldedOf = (fields: Table["fields"], values: RowValues): Readonly<Record<string, string>> => {
  const folded: Record<string, string> = {}
  for (const field of fields) {
    const cell = Object.hasOwn(values, field.key) ? values[field.key] : null
    if (typeof cell !== "string") continue
    const text = isText(field) ? cell : field.type === "json" ? jsonScalar(cell, "string") : undefined
    const plain = text === undefined ? undefined : fold(text)
    if (plain !== undefined && plain !== text) folded[field.key] = plain
  }
  return folded
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
  return {
    facets,
    stored: (row) => ({
      row,
      folded: foldedOf(table.fields, row.values),
      entries: row.trashedAt === undefined && facets.length > 0 ? entriesOf(facets, row.values, hash) : []
    })
  }
}
