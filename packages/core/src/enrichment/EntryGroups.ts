/**
 * Entries of records of which nothing is kept yet, column by column. A first look writes down where each record of a ledger stands
 * in up to a dozen partitions: an object for each would be most of what such a run holds in memory, and is made into columns
 * again where it is stored.
 */
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import type { AnalysisEntry } from "./AnalysisStore.ts"

type AccountId = AnalysisEntry["accountId"]
type Lines = NonNullable<AnalysisEntry["lines"]>

/** Entries with the same fields in the same order. */
export interface EntryShape {
  readonly fields: ReadonlyArray<string>
  /** Their places in the group, ascending. */
  readonly at: ReadonlyArray<number>
  /** Of each field, in the order of the places. */
  readonly columns: ReadonlyArray<ReadonlyArray<FieldValue>>
}

interface GrowingShape extends EntryShape {
  readonly at: Array<number>
  readonly columns: ReadonlyArray<Array<FieldValue>>
}

const isSame = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false
  return true
}

/** All of one account in one partition; each record is there once. */
export class EntryGroup {
  readonly partition: string
  readonly accountId: AccountId
  readonly records: Array<string> = []
  readonly shapes: Array<GrowingShape> = []
  /** By place, of entries that have lines. */
  readonly lines: Array<readonly [at: number, lines: Lines]> = []
  private last: GrowingShape | undefined

  constructor(partition: string, accountId: AccountId) {
    this.partition = partition
    this.accountId = accountId
  }

  /** `names`: those of the fields, in their order, where they are known. */
  add(recordId: string, fields: Fields, lines?: Lines, names: ReadonlyArray<string> = Object.keys(fields)): void {
    // Most have the fields of the one before.
    if (this.last === undefined || !isSame(this.last.fields, names)) this.last = this.shapeOf(names)
    const { at, columns } = this.last
    const place = this.records.length
    at.push(place)
    for (let n = 0; n < names.length; n++) columns[n]!.push(fields[names[n]!]!)
    if (lines !== undefined) this.lines.push([place, lines])
    this.records.push(recordId)
  }

  /** As they were added. */
  get entries(): ReadonlyArray<AnalysisEntry> {
    const { accountId, lines, partition, records, shapes } = this
    const fields: Array<Fields> = Array.from({ length: records.length })
    for (const { at, columns, fields: names } of shapes) {
      // Copies of one object are smaller than objects that get their fields one by one.
      const blank = Object.fromEntries(names.map((name, n) => [name, columns[n]![0]!]))
      at.forEach((place, row) => {
        const own = { ...blank }
        for (let n = 0; n < names.length; n++) own[names[n]!] = columns[n]![row]!
        fields[place] = own
      })
    }
    const linesAt = new Map(lines)
    return records.map((recordId, at) => {
      const own = linesAt.get(at)
      const entry = { partition, recordId, accountId, fields: fields[at]! }
      return own === undefined ? entry : { ...entry, lines: own }
    })
  }

  /** The same by id of the record. */
  get sorted(): EntryGroup {
    const { records } = this
    let isSorted = true
    for (let n = 1; n < records.length && isSorted; n++) isSorted = records[n - 1]! < records[n]!
    if (isSorted) return this
    const sorted = new EntryGroup(this.partition, this.accountId)
    for (const { fields, lines, recordId } of this.entries.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))) {
      sorted.add(recordId, fields, lines)
    }
    return sorted
  }

  private shapeOf(fields: ReadonlyArray<string>): GrowingShape {
    const known = this.shapes.find((shape) => isSame(shape.fields, fields))
    if (known !== undefined) return known
    const shape = { fields, at: [], columns: fields.map(() => []) }
    this.shapes.push(shape)
    return shape
  }
}

/** Those of many accounts in many partitions. */
export class EntryGroups {
  readonly all: Array<EntryGroup> = []
  private readonly byAccount = new Map<AccountId, Map<string, EntryGroup>>()

  /** Where an account stands in a partition. */
  of(accountId: AccountId, partition: string): EntryGroup {
    let own = this.byAccount.get(accountId)
    if (own === undefined) this.byAccount.set(accountId, (own = new Map()))
    let group = own.get(partition)
    if (group === undefined) {
      group = new EntryGroup(partition, accountId)
      own.set(partition, group)
      this.all.push(group)
    }
    return group
  }
}
