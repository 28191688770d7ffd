/** Cells out of what callers send, with every fault at its place (decisions 1.3 and 5.7). */
import * as Result from "effect/Result"
import type { CellValue, RowValues } from "../filter/FilterField.ts"
import { limits } from "../shared/Limits.ts"
import { cellOf, isAbsent, readCell } from "./CellReader.ts"
import type { Faults } from "./FieldDefinition.ts"
import { isTooLarge } from "./RowShape.ts"
import type { Table, TableField } from "./Table.ts"

/** `path` ends in `values`. Keys of no field are faults; so are cells that the field cannot have. */
export const readValues = (
  fields: ReadonlyMap<string, TableField>,
  values: Readonly<Record<string, unknown>>,
  path: string,
  faults: Faults
): RowValues => {
  const cells: Record<string, CellValue> = {}
  for (const [key, input] of Object.entries(values)) {
    const field = fields.get(key)
    if (field === undefined) {
      faults.add(path, key, "is no field of the table")
      continue
    }
    const cell = readCell(field, input)
    if (Result.isSuccess(cell)) cells[key] = cell.success
    else faults.add(path, key, cell.failure)
  }
  return cells
}

/** Required cells are there and the row is not too large. */
export const checkRow = (table: Table, values: RowValues, path: string, faults: Faults): void => {
  for (const { key, required } of table.fields)
    if (required && isAbsent(cellOf(values, key))) faults.add(path, key, "is required")
  if (isTooLarge(values)) faults.add(path, "", `is larger than ${limits.rowBytes} bytes`)
}

/** One cell that names rows of another table. */
export interface RelationUse {
  readonly path: string
  readonly key: string
  readonly tableId: string
  readonly ids: ReadonlyArray<string>
}

export const relationsIn = (
  fields: ReadonlyMap<string, TableField>,
  values: RowValues,
  path: string
): ReadonlyArray<RelationUse> =>
  Object.entries(values).flatMap(([key, cell]) => {
    const relation = fields.get(key)?.options?.relation
    if (relation === undefined || isAbsent(cell)) return []
    const ids = Array.isArray(cell) ? (cell as ReadonlyArray<string>) : [String(cell)]
    return [{ path, key, tableId: relation.tableId, ids }]
  })
