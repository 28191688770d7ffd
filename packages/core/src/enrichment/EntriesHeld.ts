/**
 * What a run has written of where records stand, of an analysis that kept nothing when the run began. So it is all there is, and
 * nobody reads it back from storage to plan its partitions. That holds as long as no other run writes: anyone who holds it says when
 * that is over. Where there is more of it than may be held, that of the enrichment that takes the most is read back after all.
 */
import * as Effect from "effect/Effect"
import { limits } from "../shared/Limits.ts"
import { type AnalysisEntry, AnalysisStore } from "./AnalysisStore.ts"
import type { PartitionKey } from "./kinds/SetKind.ts"
import type { SetPlanned } from "./SetPlanning.ts"

type Changes = SetPlanned["changes"]
type EnrichmentId = Changes["enrichmentId"]
type Entries = ReadonlyArray<AnalysisEntry>

const none: Entries = []

const byRecord = (a: AnalysisEntry, b: AnalysisEntry): number => (a.recordId < b.recordId ? -1 : 1)

/** What an entry holds besides its fields. */
const ownValues = 4

/** Those of one enrichment. */
class OfEnrichment {
  private readonly byRecord = new Map<string, Entries>()
  /** Also entries that were replaced since. */
  private readonly byPartition = new Map<PartitionKey, Array<AnalysisEntry>>()
  /** What it takes in memory, counted in values. */
  size = 0

  add({ entries, fresh = none }: Changes): void {
    for (const { entries: own, recordId } of entries) this.put(recordId, own)
    for (const [recordId, own] of Map.groupBy(fresh, (entry) => entry.recordId)) this.put(recordId, own)
  }

  members(keys: ReadonlyArray<PartitionKey>): Entries {
    const most = limits.partitionRecords + 1
    return keys.toSorted().flatMap((key) => {
      const all = (this.byPartition.get(key) ?? none).filter((entry) =>
        this.byRecord.get(entry.recordId)!.includes(entry)
      )
      return all.toSorted(byRecord).slice(-most)
    })
  }

  of(recordIds: ReadonlyArray<string>): ReadonlyMap<string, Entries> {
    const found = new Map<string, Entries>()
    for (const id of recordIds) {
      const own = this.byRecord.get(id) ?? none
      if (own.length > 0) found.set(id, own)
    }
    return found
  }

  private put(recordId: string, own: Entries): void {
    this.byRecord.set(recordId, own)
    for (const entry of own) {
      const known = this.byPartition.get(entry.partition)
      if (known === undefined) this.byPartition.set(entry.partition, [entry])
      else known.push(entry)
      this.size += ownValues + Object.keys(entry.fields).length
    }
  }
}

export class EntriesHeld {
  private readonly all = new Map<EnrichmentId, OfEnrichment>()
  /** Enrichments that said too much. */
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
      entries: (scope, enrichmentId, recordIds) =>
        this.holds(enrichmentId)
          ? Effect.sync(() => this.all.get(enrichmentId)?.of(recordIds) ?? new Map())
          : store.entries(scope, enrichmentId, recordIds)
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
