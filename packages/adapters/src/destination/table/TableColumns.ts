/** Which fields of a table the columns of a feed are written to. */
import type { BoundColumns } from "@millrace/core/feed"
import type { Column } from "@millrace/core/destination"
import { fieldMeant, type Table, type TableField } from "@millrace/core/table"
import { fits } from "./TableCell.ts"

export interface Target {
  readonly column: Column
  readonly field: TableField
}

export interface Resolved {
  readonly targets: ReadonlyArray<Target>
  readonly missing: ReadonlyArray<Column>
  /** Mappings that can not work: the field is of another type, or two columns lead to it. */
  readonly faults: ReadonlyArray<string>
}

/** What the columns mean from now on, no matter what happens to the names. */
export const boundOf = (targets: ReadonlyArray<Target>): BoundColumns =>
  new Map(targets.map(({ column, field }) => [column.name, field.id]))

export const resolve = (table: Table, columns: ReadonlyArray<Column>): Resolved => {
  const targets: Array<Target> = []
  const missing: Array<Column> = []
  const faults: Array<string> = []
  const columnOf = new Map<string, string>()
  for (const column of columns) {
    const field = fieldMeant(table.fields, column)
    if (field === undefined) {
      missing.push(column)
      continue
    }
    const other = columnOf.get(field.key)
    if (other !== undefined)
      faults.push(`"${other}" and "${column.name}" are both mapped to the field "${field.name}".`)
    else if (!fits(column.type, field.type)) {
      faults.push(`The field "${field.name}" is of type ${field.type} and cannot hold "${column.label}".`)
    }
    columnOf.set(field.key, column.name)
    targets.push({ column, field })
  }
  return { targets, missing, faults }
}
