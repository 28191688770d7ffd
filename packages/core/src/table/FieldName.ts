/** What destinations call a field of a table (decisions 7.2). */
import type { TableField } from "./Table.ts"

/** By key, else by name; of several fields of one name, one that a feed made. */
export const fieldNamed = (fields: ReadonlyArray<TableField>, name: string): TableField | undefined => {
  const named = () => fields.filter((field) => field.name === name)
  return fields.find((field) => field.key === name) ?? named().find((field) => field.origin === "feed") ?? named()[0]
}
