/** From source fields to the columns of a destination (decisions 7.2 and 7.4). */
import { recordFields, rowFields, type RowsAsked } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import type { FieldMapping } from "../feed/FeedConfig.ts"
import { blankOf } from "../record/BlankFields.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { BoundColumns } from "../feed/BoundColumns.ts"
import type { Column } from "./Destination.ts"

/** A source field that says whether the upstream still has the record; for `onRemoved: "mark"`. */
export const removedField = "removed"

/** The mappings of a feed that was given none: every field of its rows under its label. */
export const defaultMappings = (feed: RowsAsked): ReadonlyArray<FieldMapping> => {
  const taken = new Set<string>()
  return Object.entries(rowFields(feed)).map(([sourceField, { label }]) => {
    // A field that a feed declares may be called as one of the type is.
    const destinationField = taken.has(label) ? sourceField : label
    taken.add(destinationField)
    return { sourceField, destinationField }
  })
}

/** One column per mapping, in their order; `bound` tells which names are known to mean which columns. */
export const columnsOf = (
  feed: RowsAsked & Pick<Feed, "fieldMappings">,
  catalog: FieldCatalog,
  bound: BoundColumns = new Map()
): ReadonlyArray<Column> => {
  const specs = recordFields(feed)
  return feed.fieldMappings.map(({ destinationField, sourceField }) => {
    const id = bound.get(destinationField)
    return {
      name: destinationField,
      label: specs[sourceField]?.label ?? destinationField,
      type: sourceField === removedField ? "bool" : (catalog.get(sourceField) ?? "str"),
      ...(id === undefined ? {} : { id })
    }
  })
}

const blanks = new WeakMap<ReadonlyArray<FieldMapping>, ReturnType<typeof blankOf>>()

/**
 * What is written for a record that the upstream has `removed` or not. A value that is not known clears its cell, so it is null
 * and not left out.
 */
export const valuesOf = (mappings: ReadonlyArray<FieldMapping>, fields: Fields, removed: boolean): Fields => {
  let blank = blanks.get(mappings)
  if (blank === undefined) {
    blank = blankOf(mappings.map(({ destinationField }) => destinationField))
    blanks.set(mappings, blank)
  }
  const values = blank()
  for (const { destinationField, sourceField } of mappings) {
    values[destinationField] = sourceField === removedField ? removed : (fields[sourceField] ?? null)
  }
  return values
}
