/** The movements of a file in their order, whether the file is held as a whole or comes in parts. */
import type { CsvTable } from "./CsvScanner.ts"

/**
 * Takes a movement: `row` of `table`, the number of those before it, and the cells of the rows that go on with its text.
 * False where it wants no more of them.
 */
export type VisitMovement = (
  table: CsvTable,
  row: number,
  at: number,
  below: ReadonlyArray<string>
) => boolean | undefined | void

export interface CsvMovements {
  readonly count: number
  /** The first of them, as rows of `table`. */
  readonly table: CsvTable
  readonly first: ReadonlyArray<number>
  readonly each: (visit: VisitMovement) => void
}

/** As many of the first movements as are asked for by themselves. */
export const firstMovements = 80

const nothing: ReadonlyArray<string> = []

/** Those of a table that is there as a whole. */
export const movementsOf = (
  table: CsvTable,
  rows: Int32Array,
  continuations: ReadonlyMap<number, ReadonlyArray<number>>
): CsvMovements => ({
  count: rows.length,
  table,
  first: [...rows.subarray(0, firstMovements)],
  each: (visit) => {
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      const held = continuations.size === 0 ? undefined : continuations.get(row)
      const below = held === undefined ? nothing : held.flatMap((each) => table.row(each))
      if (visit(table, row, at, below) === false) return
    }
  }
})
