/**
 * Entries of one account in one partition, kept as one row. What is the same in all of them is written once, and so are the names
 * of their fields; a row of storage for each would cost ten times as much as what it holds.
 */
import {
  type AnalysisEntry,
  columnsOf,
  entriesOf,
  type EntryColumns,
  EntryGroup,
  EntryGroups,
  type EntryPlaces
} from "@millrace/core/storage"

/** As it is stored; records by id. */
export interface EntryBlock extends EntryPlaces {
  readonly body: string
}

/** More are several blocks, so that a change of one entry writes few others. */
const mostEntries = 200
/** Fewer are rows of their own. */
const fewestEntries = 4

/** Some of a group, which is in the order of its records. */
const blockOf = (group: EntryGroup, from: number, to: number): EntryBlock => {
  const { accountId, partition, records } = group
  return { partition, accountId, records: records.slice(from, to), body: JSON.stringify(columnsOf(group, from, to)) }
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
export const unpackedEntries = (block: EntryBlock): ReadonlyArray<AnalysisEntry> =>
  entriesOf(block, JSON.parse(block.body) as EntryColumns)
