/** Rows in memory, filtered and in order. */
import { compile, type RelatedRows } from "@millrace/core/filter"
import {
  comparePositions,
  filterValues,
  positionOf,
  type Row,
  type RowId,
  type RowScan,
  type TableId
} from "@millrace/core/table"
import { ascending, firstIndex } from "./Order.ts"

export interface KeptRows {
  readonly rows: Map<RowId, Row>
  /** All ids ascending, until a row comes or goes. */
  order: ReadonlyArray<RowId> | undefined
}

type RowsOf = (id: TableId) => KeptRows

const relatedIn =
  ({ table }: RowScan, rowsOf: RowsOf): RelatedRows =>
  (relation, ids) => {
    const target = table.relations.get(relation)
    if (target === undefined) return []
    const { rows } = rowsOf(target.id)
    return ids.flatMap((id) => {
      const row = rows.get(id as RowId)
      return row === undefined || row.trashedAt !== undefined ? [] : [filterValues(row, target.own)]
    })
  }

const passes = (scan: RowScan, rowsOf: RowsOf): ((row: Row) => boolean) => {
  const { state, table, where } = scan
  const inState = (row: Row) => state === "any" || (row.trashedAt !== undefined) === (state === "trashed")
  if (where === undefined) return inState
  const test = compile(where, "closures")
  const related = relatedIn(scan, rowsOf)
  return (row) => inState(row) && test(filterValues(row, table.own), related)
}

export const scanned = (scan: RowScan, rowsOf: RowsOf): ReadonlyArray<Row> => {
  const { after, limit, sort } = scan
  const kept = rowsOf(scan.table.id)
  const pass = passes(scan, rowsOf)
  if (sort.length === 0) {
    kept.order ??= [...kept.rows.keys()].toSorted(ascending)
    const found: Array<Row> = []
    const start = after === undefined ? 0 : firstIndex(kept.order, (id) => id > after.id)
    for (let at = start; at < kept.order.length && found.length < limit; at++) {
      const row = kept.rows.get(kept.order[at]!)!
      if (pass(row)) found.push(row)
    }
    return found
  }
  const compare = comparePositions(sort)
  return [...kept.rows.values()]
    .filter(pass)
    .map((row) => ({ row, position: positionOf(row, sort) }))
    .filter(({ position }) => after === undefined || compare(position, after) > 0)
    .toSorted((a, b) => compare(a.position, b.position))
    .slice(0, limit)
    .map(({ row }) => row)
}
