/**
 * Entries of one account in one partition, kept as one row. What is the same in all of them is written once, and so are the names
 * of their fields; a row of storage for each would cost ten times as much as what it holds.
 */
import { type AnalysisEntry, EntryGroup, EntryGroups } from "@millrace/core/storage"

type Fields = AnalysisEntry["fields"]
type Lines = NonNullable<AnalysisEntry["lines"]>

/** Entries with the same fields. A column of one value has it for all of them. */
interface Shape {
  readonly fields: ReadonlyArray<string>
  readonly columns: ReadonlyArray<ReadonlyArray<Fields[string]>>
  /** Places of the entries; absent where there is no other shape. */
  readonly at?: ReadonlyArray<number>
}

interface Body {
  readonly shapes: ReadonlyArray<Shape>
  /** By place, of entries that have lines. */
  readonly lines?: ReadonlyArray<readonly [at: number, lines: Lines]>
}

/** As it is stored; records by id. */
export interface EntryBlock {
  readonly partition: string
  readonly accountId: AnalysisEntry["accountId"]
  readonly records: ReadonlyArray<string>
  readonly body: string
}

/** More are several blocks, so that a change of one entry writes few others. */
const mostEntries = 200
/** Fewer are rows of their own. */
const fewestEntries = 4

const columnOf = (values: ReadonlyArray<Fields[string]>): ReadonlyArray<Fields[string]> => {
  const [first] = values
  return typeof first !== "object" && values.every((value) => value === first) ? [first!] : values
}

/** The first place of the ascending ones that is not before this one. */
const firstFrom = (places: ReadonlyArray<number>, from: number): number => {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle]! < from) low = middle + 1
    else high = middle
  }
  return low
}

/** Some of a group, which is in the order of its records. */
const blockOf = (group: EntryGroup, from: number, to: number): EntryBlock => {
  const { accountId, partition } = group
  const all = group.shapes.flatMap(({ at, columns, fields }) => {
    const [first, end] = [firstFrom(at, from), firstFrom(at, to)]
    return first === end ? [] : [{ fields, columns, at, first, end }]
  })
  const shapes = all.map(({ at, columns, end, fields, first }): Shape => ({
    fields,
    columns: columns.map((column) => columnOf(column.slice(first, end))),
    ...(all.length === 1 ? {} : { at: at.slice(first, end).map((place) => place - from) })
  }))
  const lines = group.lines.flatMap(([place, own]) =>
    place < from || place >= to ? [] : [[place - from, own] as const]
  )
  const body: Body = { shapes, ...(lines.length === 0 ? {} : { lines }) }
  return { partition, accountId, records: group.records.slice(from, to), body: JSON.stringify(body) }
}

/** What stays of a block when others are taken out of it; all of one account and partition. */
export const blockWith = (entries: ReadonlyArray<AnalysisEntry>): EntryBlock => {
  const { accountId, partition } = entries[0]!
  const group = new EntryGroup(partition, accountId)
  for (const { fields, lines, recordId } of entries) group.add(recordId, fields, lines)
  return blockOf(group.sorted, 0, entries.length)
}

/** Entries by account and partition. */
export const groupsOf = (entries: ReadonlyArray<AnalysisEntry>): ReadonlyArray<EntryGroup> => {
  const groups = new EntryGroups()
  for (const { accountId, fields, lines, partition, recordId } of entries) {
    groups.of(accountId, partition).add(recordId, fields, lines)
  }
  return groups.all
}

/** What is kept together, and what stands alone. */
export const packedGroups = (groups: ReadonlyArray<EntryGroup>) => {
  const blocks: Array<EntryBlock> = []
  const alone: Array<AnalysisEntry> = []
  for (const group of groups) {
    const size = group.records.length
    if (size < fewestEntries) {
      alone.push(...group.entries)
      continue
    }
    const sorted = group.sorted
    const each = Math.ceil(size / Math.ceil(size / mostEntries))
    for (let from = 0; from < size; from += each) blocks.push(blockOf(sorted, from, Math.min(size, from + each)))
  }
  return { alone, blocks }
}

/** By record. */
export const unpackedEntries = ({ accountId, body, partition, records }: EntryBlock): ReadonlyArray<AnalysisEntry> => {
  const { lines, shapes }: Body = JSON.parse(body)
  const entries: Array<AnalysisEntry> = Array.from({ length: records.length })
  for (const { at, columns, fields: names } of shapes) {
    const count = at?.length ?? records.length
    // Copies of one object are smaller than objects that get their fields one by one.
    const blank = Object.fromEntries(names.map((name, column) => [name, columns[column]![0]!]))
    const different = names.filter((_, column) => columns[column]!.length > 1)
    const values = columns.filter((column) => column.length > 1)
    for (let n = 0; n < count; n++) {
      const fields = { ...blank }
      for (let column = 0; column < values.length; column++) fields[different[column]!] = values[column]![n]!
      const place = at === undefined ? n : at[n]!
      entries[place] = { partition, recordId: records[place]!, accountId, fields }
    }
  }
  for (const [place, own] of lines ?? []) entries[place] = { ...entries[place]!, lines: own }
  return entries
}
