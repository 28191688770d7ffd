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

type AskRow = (row: RowValues) => boolean

const told = (value: unknown, { text, other }: ValuePredicate): boolean =>
  typeof value === "string" ? text(value) : other(value)

/**
 * Fields that most filters name: an engine finds a property that is written in the code sooner than one whose name
 * it is reported.
 */
const named = new Map<string, (asked: ValuePredicate) => AskRow>([
  ["id", (asked) => (row) => told(row["id"], asked)],
  ["date", (asked) => (row) => told(row["date"], asked)],
  ["amount", (asked) => (row) => told(row["amount"], asked)],
  ["description", (asked) => (row) => told(row["description"], asked)],
  ["merchantName", (asked) => (row) => told(row["merchantName"], asked)],
  ["category", (asked) => (row) => told(row["category"], asked)],
  ["type", (asked) => (row) => told(row["type"], asked)],
  ["currency", (asked) => (row) => told(row["currency"], asked)],
  ["reference", (asked) => (row) => told(row["reference"], asked)],
  ["pending", (asked) => (row) => told(row["pending"], asked)],
  ["accountId", (asked) => (row) => told(row["accountId"], asked)],
  ["bankId", (asked) => (row) => told(row["bankId"], asked)],
  ["name", (asked) => (row) => told(row["name"], asked)],
  ["status", (asked) => (row) => told(row["status"], asked)]
])

/** How closures read rows. `related` holds while one row is asked. */
export class RowReading implements Reading<RowValues> {
  current: RelatedRows | undefined

  readonly value = (field: string) => (row: RowValues) => row[field]
  readonly ask = (field: string, asked: ValuePredicate): AskRow =>
    named.get(field)?.(asked) ?? ((row) => told(row[field], asked))
  readonly related = (relation: string) => (row: RowValues) => relatedOf(this.current, relation, row[relation])
  readonly periods = noPeriods
}
