/** Rows with cells written over, and which of them a feed leaves alone from then on. */
import type { RowValues } from "../filter/FilterField.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import { cellOf, sameCell } from "./CellReader.ts"
import type { Row } from "./Table.ts"

const isFeed = ({ kind }: Row["createdBy"]): boolean => kind === "sync" || kind === "extractor"

/** Cells of rows of feeds that somebody else writes are held. */
const heldAfter = (row: Row, changed: ReadonlyArray<string>, release: ReadonlyArray<string>): ReadonlyArray<string> => {
  const held = new Set(row.held)
  for (const key of release) held.delete(key)
  if (row.held.length > 0 || isFeed(row.createdBy) || isFeed(row.updatedBy)) for (const key of changed) held.add(key)
  return [...held]
}

export interface RowMerge {
  readonly values: RowValues
  /** Keys of cells that follow the feed again. */
  readonly release: ReadonlyArray<string>
  readonly actor: Row["updatedBy"]
  readonly now: Timestamp
}

/** The next version of the row, or the row itself when nothing changes. */
export const mergeRow = (row: Row, { actor, now, release, values }: RowMerge): Row => {
  const keys = Object.keys(values).filter((key) => !sameCell(cellOf(row.values, key), values[key]))
  const held = heldAfter(row, keys, release)
  const sameHeld = held.length === row.held.length && held.every((key) => row.held.includes(key))
  return keys.length === 0 && sameHeld
    ? row
    : {
        ...row,
        values: { ...row.values, ...values },
        held,
        updatedBy: actor,
        updatedAt: now,
        version: row.version + 1
      }
}
