/** How rows are sorted, and where a row stands in that order (decisions 1.7). */
import type { Detail } from "../failure/Failure.ts"
import { fold } from "../text/Fold.ts"
import * as Decimal from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"
import { cellOf } from "./CellReader.ts"
import { facetsOf, isNumber, isScalar, isText } from "./Facet.ts"
import type { SortRequest } from "./RowRequest.ts"
import type { RowPosition, SortAs, SortKey, SortValue } from "./RowScan.ts"
import type { Row, Table, TableField } from "./Table.ts"
import { ownNamesOf, type OwnName } from "./TableFilter.ts"

const sortAs = (field: TableField): SortAs =>
  isText(field) ? "text" : isNumber(field) ? "number" : field.type === "boolean" ? "truth" : "exact"

/** What is wrong with a name that is the key of no field: anyone who gave the name that people see learns the key. */
export const noField = ({ fields }: Table, name: string): string => {
  const meant = fields.find((field) => fold(field.name) === fold(name))
  return meant === undefined ? `"${name}" is no field` : `"${name}" is no field: give its key, "${meant.key}"`
}

/** Faults are reported below `sort`. */
export const sortKeys = (
  table: Table,
  asked: ReadonlyArray<SortRequest>,
  details: Array<Detail>
): ReadonlyArray<SortKey> => {
  if (asked.length > limits.rowSortFields)
    details.push({ field: "sort", message: `must be at most ${limits.rowSortFields} fields` })
  const own: ReadonlySet<string> = ownNamesOf(table)
  const facets = facetsOf(table)
  return asked.flatMap(({ desc = false, field: name }, at): ReadonlyArray<SortKey> => {
    const field = table.fields.find(({ key }) => key === name)
    const place = `sort[${at}].field`
    if (field === undefined && own.has(name)) return [{ field: name, as: name as OwnName, desc }]
    if (field === undefined) details.push({ field: place, message: noField(table, name) })
    else if (!isScalar(field)) details.push({ field: place, message: `"${name}" has no order` })
    else {
      const facet = facets.find(({ id }) => id === field.id)
      return [{ field: name, as: sortAs(field), desc, ...(facet === undefined ? {} : { facet: facet.id }) }]
    }
    return []
  })
}

/** What the row is sorted by. */
const sortValue = (row: Row, { as, field }: SortKey): SortValue => {
  if (as === "id" || as === "createdAt" || as === "updatedAt") return row[as]
  const cell = cellOf(row.values, field)
  if (typeof cell === "object") return null
  return as === "text" && typeof cell === "string" ? fold(cell) : cell
}

export const positionOf = (row: Row, keys: ReadonlyArray<SortKey>): RowPosition => ({
  values: keys.map((key) => sortValue(row, key)),
  id: row.id
})

/** Whether a value out of a cursor can be one that rows are sorted by. */
export const isSortValue = ({ as }: SortKey, value: SortValue): boolean =>
  value === null ||
  (as === "truth" ? typeof value === "boolean" : as === "number" ? Decimal.is(value) : typeof value === "string")

const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x === y) continue
    // Halves of pairs stand for points above all single units.
    const [highX, highY] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff]
    return highX === highY ? x - y : highX ? 1 : -1
  }
  return a.length - b.length
}

const compareValues = (a: SortValue, b: SortValue, { as, desc }: SortKey): number => {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  const order =
    typeof a === "boolean" || typeof b === "boolean"
      ? Number(a) - Number(b)
      : as === "number"
        ? Decimal.compare(a as Decimal.Decimal, b as Decimal.Decimal)
        : byCodePoint(a, b)
  return desc ? -order : order
}

/** Nothing comes last in both directions; ties go by id. */
export const comparePositions =
  (keys: ReadonlyArray<SortKey>) =>
  (a: RowPosition, b: RowPosition): number => {
    for (const [at, key] of keys.entries()) {
      const order = compareValues(a.values[at] ?? null, b.values[at] ?? null, key)
      if (order !== 0) return order
    }
    return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
  }
