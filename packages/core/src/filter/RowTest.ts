/** Filters as functions over rows. */
import type { Reading } from "./Closures.ts"
import type { CellValue, RowValues } from "./FilterField.ts"
import { noPeriods, type ValuePredicate } from "./ValueTest.ts"

/** The live rows that a relation leads to, by the ids in its cell. */
export type RelatedRows = (relation: string, ids: ReadonlyArray<string>) => ReadonlyArray<RowValues>

/** Whether the row passes. A filter that follows relations needs the rows they lead to. */
export type RowTest = (row: RowValues, related?: RelatedRows) => boolean

const idsOf = (value: CellValue | undefined): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value : []

export const relatedOf = (
  related: RelatedRows | undefined,
  relation: string,
  value: CellValue | undefined
): ReadonlyArray<RowValues> => {
  const ids = idsOf(value)
  return related === undefined || ids.length === 0 ? [] : related(relation, ids)
}

/** How closures read rows. `related` holds while one row is asked. */
export class RowReading implements Reading<RowValues> {
  current: RelatedRows | undefined

  readonly value = (field: string) => (row: RowValues) => row[field]
  readonly ask =
    (field: string, { text, other }: ValuePredicate) =>
    (row: RowValues) => {
      const value = row[field]
      return typeof value === "string" ? text(value) : other(value)
    }
  readonly related = (relation: string) => (row: RowValues) => relatedOf(this.current, relation, row[relation])
  readonly periods = noPeriods
}
