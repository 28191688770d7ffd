/**
 * Entries of one account in one partition, kept as one row. What is the same in all of them is written once, and so are the names
 * of their fields; a row of storage for each would cost ten times as much as what it holds.
 */
import type { AnalysisEntry } from "@millrace/core/storage"

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

const byRecord = (a: AnalysisEntry, b: AnalysisEntry): number => (a.recordId < b.recordId ? -1 : 1)

const columnOf = (values: ReadonlyArray<Fields[string]>): ReadonlyArray<Fields[string]> => {
  const [first] = values
  return typeof first !== "object" && values.every((value) => value === first) ? [first!] : values
}

const isSame = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at])

const bodyOf = (entries: ReadonlyArray<AnalysisEntry>): string => {
  const shapes = new Map<string, { readonly fields: ReadonlyArray<string>; readonly at: Array<number> }>()
  const lines: Array<readonly [number, Lines]> = []
  let last: { readonly fields: ReadonlyArray<string>; readonly at: Array<number> } | undefined
  entries.forEach((entry, at) => {
    const fields = Object.keys(entry.fields)
    // Most have the fields of the one before.
    if (last === undefined || !isSame(last.fields, fields)) {
      const key = JSON.stringify(fields)
      last = shapes.get(key) ?? { fields, at: [] }
      if (last.at.length === 0) shapes.set(key, last)
    }
    last.at.push(at)
    if (entry.lines !== undefined) lines.push([at, entry.lines])
  })
  const body: Body = {
    shapes: Array.from(shapes.values(), ({ at, fields }) => ({
      fields,
      columns: fields.map((field) => columnOf(at.map((one) => entries[one]!.fields[field]!))),
      ...(shapes.size === 1 ? {} : { at })
    })),
    ...(lines.length === 0 ? {} : { lines })
  }
  return JSON.stringify(body)
}

/** All of one account and partition. */
export const blockOf = (entries: ReadonlyArray<AnalysisEntry>): EntryBlock => {
  const sorted = entries.toSorted(byRecord)
  const { accountId, partition } = sorted[0]!
  return { partition, accountId, records: sorted.map(({ recordId }) => recordId), body: bodyOf(sorted) }
}

/** Those that are kept together, and those that stand alone. */
export const packedEntries = (entries: ReadonlyArray<AnalysisEntry>) => {
  const blocks: Array<EntryBlock> = []
  const alone: Array<AnalysisEntry> = []
  for (const some of Map.groupBy(entries, ({ partition }) => partition).values()) {
    for (const own of some.length < fewestEntries ? [some] : Map.groupBy(some, ({ accountId }) => accountId).values()) {
      if (own.length < fewestEntries) {
        alone.push(...own)
        continue
      }
      const sorted = own.toSorted(byRecord)
      const count = Math.ceil(sorted.length / mostEntries)
      const each = Math.ceil(sorted.length / count)
      for (let at = 0; at < sorted.length; at += each) blocks.push(blockOf(sorted.slice(at, at + each)))
    }
  }
  return { alone, blocks }
}

/** By record. */
export const unpackedEntries = ({ accountId, body, partition, records }: EntryBlock): ReadonlyArray<AnalysisEntry> => {
  const { lines = [], shapes }: Body = JSON.parse(body)
  const fields: Array<Fields> = Array.from({ length: records.length })
  for (const { at, columns, fields: names } of shapes) {
    const count = at?.length ?? records.length
    // Copies of one object are smaller than objects that get their fields one by one.
    const blank = Object.fromEntries(names.map((name, column) => [name, columns[column]![0]!]))
    const different = names.flatMap((name, column) => {
      const values = columns[column]!
      return values.length === 1 ? [] : [[name, values] as const]
    })
    for (let n = 0; n < count; n++) {
      const own = { ...blank }
      for (const [name, values] of different) own[name] = values[n]!
      fields[at?.[n] ?? n] = own
    }
  }
  const linesAt = new Map(lines)
  return records.map((recordId, at) => {
    const own = linesAt.get(at)
    const entry = { partition, recordId, accountId, fields: fields[at]! }
    return own === undefined ? entry : { ...entry, lines: own }
  })
}
