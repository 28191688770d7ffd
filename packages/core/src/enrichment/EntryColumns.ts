/**
 * Entries of one account in one partition, column by column: names of fields once, and what is the same in all of them once. So they
 * are kept in storage, and held in memory.
 */
import { blankOf } from "../record/BlankFields.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import { lowerBound } from "../shared/LowerBound.ts"
import type { AnalysisEntry } from "./AnalysisStore.ts"
import type { EntryGroup } from "./EntryGroups.ts"

type Lines = NonNullable<AnalysisEntry["lines"]>

/** Entries with the same fields. A column of one value has it for all of them. */
interface Shape {
  readonly fields: ReadonlyArray<string>
  readonly columns: ReadonlyArray<ReadonlyArray<FieldValue>>
  /** Places of the entries, ascending; absent where there is no other shape. */
  readonly at?: ReadonlyArray<number>
}

export interface EntryColumns {
  readonly shapes: ReadonlyArray<Shape>
  /** By place, of entries that have lines. */
  readonly lines?: ReadonlyArray<readonly [at: number, lines: Lines]>
}

/** Whose entries they are, in the order of their places. */
export interface EntryPlaces {
  readonly partition: string
  readonly accountId: AnalysisEntry["accountId"]
  readonly records: ReadonlyArray<string>
}

/** Some values of a column; one where it is the same for all of them. */
const columnOf = (values: ReadonlyArray<FieldValue>, from: number, to: number): ReadonlyArray<FieldValue> => {
  const first = values[from]!
  if (typeof first === "object") return values.slice(from, to)
  for (let at = from + 1; at < to; at++) if (values[at] !== first) return values.slice(from, to)
  return [first]
}

/** Some of a group. */
export const columnsOf = (group: EntryGroup, from: number, to: number): EntryColumns => {
  const all = group.shapes.flatMap(({ at, columns, fields }) => {
    const [first, end] = [lowerBound(at, from), lowerBound(at, to)]
    return first === end ? [] : [{ fields, columns, at, first, end }]
  })
  const shapes = all.map(({ at, columns, end, fields, first }): Shape => ({
    fields,
    columns: columns.map((column) => columnOf(column, first, end)),
    ...(all.length === 1 ? {} : { at: at.slice(first, end).map((place) => place - from) })
  }))
  const lines = group.lines.flatMap(([place, own]) =>
    place < from || place >= to ? [] : [[place - from, own] as const]
  )
  return { shapes, ...(lines.length === 0 ? {} : { lines }) }
}

/** In the order of their places. */
export const entriesOf = (
  { accountId, partition, records }: EntryPlaces,
  { lines, shapes }: EntryColumns
): ReadonlyArray<AnalysisEntry> => {
  const entries: Array<AnalysisEntry> = Array.from({ length: records.length })
  for (const { at, columns, fields: names } of shapes) {
    const count = at?.length ?? records.length
    const alike = blankOf(names)()
    names.forEach((name, column) => (alike[name] = columns[column]![0]!))
    const different = names.filter((_, column) => columns[column]!.length > 1)
    const values = columns.filter((column) => column.length > 1)
    for (let n = 0; n < count; n++) {
      const fields = { ...alike }
      for (let column = 0; column < values.length; column++) fields[different[column]!] = values[column]![n]!
      const place = at === undefined ? n : at[n]!
      entries[place] = { partition, recordId: records[place]!, accountId, fields }
    }
  }
  for (const [place, own] of lines ?? []) entries[place] = { ...entries[place]!, lines: own }
  return entries
}

/** One of them. */
export const entryAt = (
  { accountId, partition, records }: EntryPlaces,
  { lines, shapes }: EntryColumns,
  place: number
): AnalysisEntry => {
  for (const { at, columns, fields: names } of shapes) {
    const row = at === undefined ? place : lowerBound(at, place)
    if (at !== undefined && at[row] !== place) continue
    const fields = blankOf(names)()
    names.forEach((name, column) => {
      const values = columns[column]!
      fields[name] = values.length === 1 ? values[0]! : values[row]!
    })
    const own = lines?.find(([of]) => of === place)?.[1]
    const entry = { partition, recordId: records[place]!, accountId, fields }
    return own === undefined ? entry : { ...entry, lines: own }
  }
  throw new RangeError(`no entry at the place ${place}`)
}
