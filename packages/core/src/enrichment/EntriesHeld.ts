/**
 * What a run has written of where records stand, of an analysis that kept nothing when the run began. So it is all there is, and
 * nobody reads it back from storage to plan its partitions. That holds as long as no other run writes: whoever holds it says when
 * that is over. Where there is more of it than may be held, that of the enrichment that takes the most is read back after all.
 */
import * as Effect from "effect/Effect"
import { limits } from "../shared/Limits.ts"
import { lowerBound } from "../shared/LowerBound.ts"
import { type AnalysisEntry, AnalysisStore } from "./AnalysisStore.ts"
import { columnsOf, entriesOf, entryAt, type EntryColumns, type EntryPlaces } from "./EntryColumns.ts"
import type { EntryGroup } from "./EntryGroups.ts"
import type { PartitionKey } from "./kinds/SetKind.ts"
import type { SetPlanned } from "./SetPlanning.ts"

type Changes = SetPlanned["changes"]
type EnrichmentId = Changes["enrichmentId"]
type AccountId = AnalysisEntry["accountId"]
type Entries = ReadonlyArray<AnalysisEntry>

/** Entries of one account in one partition that were written together; by id of the record. */
interface Block extends EntryPlaces {
  readonly columns: EntryColumns
}

const none: Entries = []
const nothing: ReadonlyArray<Block> = []

const byRecord = (a: AnalysisEntry, b: AnalysisEntry): number => (a.recordId < b.recordId ? -1 : 1)

const pushed = <K, V>(map: Map<K, Array<V>>, key: K, value: V): void => {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}

const blockOf = (group: EntryGroup): Block => {
  const sorted = group.sorted
  const { accountId, partition, records } = sorted
  return { accountId, partition, records, columns: columnsOf(sorted, 0, records.length) }
}

/** What a block takes in memory, counted in values. */
const sizeOf = ({ columns: { shapes }, records }: Block): number =>
  shapes.reduce((sum, { columns }) => columns.reduce((all, column) => all + column.length, sum), records.length)

/** The place of a record in the order of ids; `undefined` where it is not there. */
const placeIn = (records: ReadonlyArray<string>, recordId: string): number | undefined => {
  const place = lowerBound(records, recordId)
  return records[place] === recordId ? place : undefined
}

/** Those of one enrichment. */
class OfEnrichment {
  private readonly byPartition = new Map<PartitionKey, Array<Block>>()
  private readonly byAccount = new Map<AccountId, Array<Block>>()
  /** Records whose entries were replaced since, with those that they have now. */
  private readonly moved = new Map<string, Entries>()
  /** What it takes in memory, counted in values. */
  size = 0

  add({ entries, fresh = [] }: Changes): void {
    for (const { entries: own, recordId } of entries) this.moved.set(recordId, own)
    for (const group of fresh) {
      const block = blockOf(group)
      pushed(this.byPartition, block.partition, block)
      pushed(this.byAccount, block.accountId, block)
      this.size += sizeOf(block)
    }
  }

  members(keys: ReadonlyArray<PartitionKey>): Entries {
    const moved = Map.groupBy([...this.moved.values()].flat(), ({ partition }) => partition)
    return keys.toSorted().flatMap((key) => {
      const all: Array<AnalysisEntry> = []
      for (const block of this.byPartition.get(key) ?? nothing) {
        for (const entry of entriesOf(block, block.columns)) if (!this.moved.has(entry.recordId)) all.push(entry)
      }
      for (const entry of moved.get(key) ?? none) all.push(entry)
      if (all.some(({ recordId }, n) => n > 0 && all[n - 1]!.recordId > recordId)) all.sort(byRecord)
      const most = limits.partitionRecords + 1
      return all.length > most ? all.slice(-most) : all
    })
  }

  /** Those of records of some accounts. */
  of(recordIds: ReadonlyArray<string>, accountIds: ReadonlyArray<AccountId>): ReadonlyMap<string, Entries> {
    const found = new Map<string, Array<AnalysisEntry>>()
    const wanted = new Map<AccountId, Array<string>>()
    recordIds.forEach((recordId, n) => {
      if (!this.moved.has(recordId)) return pushed(wanted, accountIds[n]!, recordId)
      const own = this.moved.get(recordId)!
      if (own.length > 0) found.set(recordId, [...own])
    })
    for (const [accountId, ids] of wanted) {
      ids.sort()
      const [first, last] = [ids[0]!, ids.at(-1)!]
      for (const block of this.byAccount.get(accountId) ?? nothing) {
        if (block.records[0]! > last || block.records.at(-1)! < first) continue
        for (const id of ids) {
          const place = placeIn(block.records, id)
          if (place !== undefined) pushed(found, id, entryAt(block, block.columns, place))
        }
      }
    }
    return found
  }
}

export class EntriesHeld {
  private readonly all = new Map<EnrichmentId, OfEnrichment>()
  /** Enrichments of which there was too much. */
  private readonly dropped = new Set<EnrichmentId>()
  private isWhole: boolean
  private left: number

  /** `isWhole`: nothing is kept until now. `room`: values that may be held. */
  constructor(isWhole: boolean, room: number) {
    this.isWhole = isWhole
    this.left = room
  }

  /** Whether nothing of an enrichment need be read. */
  holds(enrichmentId: EnrichmentId): boolean {
    return this.isWhole && !this.dropped.has(enrichmentId)
  }

  /** What was written. */
  add(written: ReadonlyArray<Pick<SetPlanned, "changes">>): void {
    for (const { changes } of written) {
      const { enrichmentId } = changes
      if (!this.holds(enrichmentId)) continue
      const own = this.all.get(enrichmentId) ?? new OfEnrichment()
      this.all.set(enrichmentId, own)
      this.left += own.size
      own.add(changes)
      this.left -= own.size
      while (this.left < 0) this.dropLargest()
    }
  }

  /** What is kept is no longer what is held. */
  drop(): void {
    this.isWhole = false
    this.all.clear()
  }

  /** The store, which answers where records stand out of what is held. */
  over(store: AnalysisStore["Service"]): AnalysisStore["Service"] {
    return AnalysisStore.of({
      ...store,
      members: (scope, enrichmentId, keys) =>
        this.holds(enrichmentId)
          ? Effect.sync(() => this.all.get(enrichmentId)?.members(keys) ?? none)
          : store.members(scope, enrichmentId, keys),
      entries: (scope, enrichmentId, recordIds, accountIds) =>
        this.holds(enrichmentId) && accountIds !== undefined
          ? Effect.sync(() => this.all.get(enrichmentId)?.of(recordIds, accountIds) ?? new Map())
          : store.entries(scope, enrichmentId, recordIds, accountIds)
    })
  }

  private dropLargest(): void {
    const [[enrichmentId, { size }]] = [...this.all].toSorted(([, a], [, b]) => b.size - a.size) as [
      [EnrichmentId, OfEnrichment]
    ]
    this.all.delete(enrichmentId)
    this.dropped.add(enrichmentId)
    this.left += size
  }
}
