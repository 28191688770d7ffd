/**
 * Entries of partitions that the next transaction of an analysis plans, read while this one is written. They count as long as
 * nobody writes entries of their enrichment: anyone who holds them says when that is over.
 */
import * as Effect from "effect/Effect"
import { type AnalysisEntry, type AnalysisScope, AnalysisStore } from "./AnalysisStore.ts"
import type { PartitionKey } from "./kinds/SetKind.ts"
import type { SetPlanned } from "./SetPlanning.ts"

type EnrichmentId = SetPlanned["changes"]["enrichmentId"]
type Partitions = ReadonlyMap<PartitionKey, ReadonlyArray<AnalysisEntry>>

const none: ReadonlyArray<AnalysisEntry> = []

const byPartition = (keys: ReadonlyArray<PartitionKey>, entries: ReadonlyArray<AnalysisEntry>): Partitions => {
  const found = Map.groupBy(entries, ({ partition }) => partition)
  return new Map(keys.map((key) => [key, found.get(key) ?? none]))
}

export class EntriesAhead {
  private readonly held = new Map<EnrichmentId, Partitions>()

  /** Reads some of the partitions that wait: as many as were planned of each enrichment, which is what there was room for. */
  readonly read = Effect.fnUntraced(function* (
    this: EntriesAhead,
    scope: AnalysisScope,
    planned: ReadonlyArray<SetPlanned>
  ) {
    const store = yield* AnalysisStore
    for (const { changes, planned: done, waiting } of planned) {
      const keys = waiting.slice(0, done.size)
      if (keys.length === 0) continue
      const entries = yield* store.members(scope, changes.enrichmentId, keys)
      this.held.set(changes.enrichmentId, byPartition(keys, entries))
    }
  })

  /** The store, whose members are those that are held where they are. */
  over(store: AnalysisStore["Service"]): AnalysisStore["Service"] {
    return AnalysisStore.of({
      ...store,
      members: (scope, enrichmentId, keys) => {
        const held = this.held.get(enrichmentId)
        if (held === undefined) return store.members(scope, enrichmentId, keys)
        const missing = keys.filter((key) => !held.has(key))
        const more = missing.length === 0 ? Effect.succeed(none) : store.members(scope, enrichmentId, missing)
        return Effect.map(more, (entries) => {
          const found = byPartition(missing, entries)
          return keys.toSorted().flatMap((key) => held.get(key) ?? found.get(key)!)
        })
      }
    })
  }

  /** What was written is no longer what was read. */
  forget(written: ReadonlyArray<Pick<SetPlanned, "changes">>): void {
    for (const { changes } of written) {
      if (changes.entries.length + (changes.fresh?.length ?? 0) > 0) this.held.delete(changes.enrichmentId)
    }
  }

  clear(): void {
    this.held.clear()
  }
}
