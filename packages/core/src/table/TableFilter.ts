/** Tables as filters see them (decisions 8.1). */
import type { FilterField, FilterFields, RowValues } from "../filter/FilterField.ts"
import type { Row, Table, TableField } from "./Table.ts"

const types = {
  text: "text",
  email: "text",
  url: "text",
  number: "number",
  currency: "number",
  date: "date",
  datetime: "datetime",
  boolean: "boolean",
  select: "key",
  multi_select: "keys",
  json: "json"
} as const

/** Names that mean the row itself, unless a field has them as its key. */
const ownNames = { id: "key", createdAt: "datetime", updatedAt: "datetime" } as const
export type OwnName = keyof typeof ownNames

export const ownNamesOf = ({ fields }: Pick<Table, "fields">): ReadonlySet<OwnName> =>
  new Set((Object.keys(ownNames) as Array<OwnName>).filter((name) => !fields.some(({ key }) => key === name)))

const plainField = ({ options, type }: TableField): FilterField => {
  if (type === "relation") return { type: options?.relation?.many === true ? "keys" : "key" }
  const choices = options?.choices
  return choices === undefined
    ? { type: types[type] }
    : { type: types[type], keys: new Map(choices.flatMap(({ id, label }) => (label === id ? [] : [[label, id]]))) }
}

const withOwn = (table: Table, fields: Map<string, FilterField>): FilterFields => {
  for (const name of ownNamesOf(table)) fields.set(name, { type: ownNames[name] })
  return fields
}

/**
 * The fields of a table with those of the rows that its relations lead to, one hop. `related` has the tables that
 * can be seen, by id.
 */
export const filterFields = (table: Table, related: ReadonlyMap<string, Table>): FilterFields =>
  withOwn(
    table,
    new Map(
      table.fields.map((field): [string, FilterField] => {
        const target = field.options?.relation && related.get(field.options.relation.tableId)
        const plain = plainField(field)
        return [
          field.key,
          target === undefined
            ? plain
            : {
                ...plain,
                related: withOwn(target, new Map(target.fields.map((other) => [other.key, plainField(other)])))
              }
        ]
      })
    )
  )

/** The cells of a row and what it says of itself, as filters read them. */
export const filterValues = (row: Row, own: ReadonlySet<string>): RowValues => {
  if (own.size === 0) return row.values
  const values: Record<string, RowValues[string]> = { ...row.values }
  for (const name of own) values[name] = row[name as OwnName]
  return values
}
