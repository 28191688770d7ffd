/** What destinations call a field of a table (decisions 7.2). */
import type { Column } from "../destination/Destination.ts"
import type { TableField } from "./Table.ts"

/** What a column of a feed means: the field that it was bound to, as long as that is there, else that of its name. */
export const fieldMeant = (
  fields: ReadonlyArray<TableField>,
  { id, name }: Pick<Column, "id" | "name">
): TableField | undefined =>
  (id === undefined ? undefined : fields.find((field) => field.id === id)) ?? fieldNamed(fields, name)

/** By key, else by name; of several fields of one name, one that a feed made. */
const fieldNamed = (fields: ReadonlyArray<TableField>, name: string): TableField | undefined => {
  const named = () => fields.filter((field) => field.name === name)
  return fields.find((field) => field.key === name) ?? named().find((field) => field.origin === "feed") ?? named()[0]
}
