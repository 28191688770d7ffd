/** Port: under which upstream ids records were known before, and which records became part of them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RecordScope } from "../../../record/RecordStore.ts"
import type { StorageUnavailable } from "../../../storage/StorageUnavailable.ts"

export interface RecordPast {
  /** Upstream ids that it had before the one that it has, the oldest first. */
  readonly aliases: ReadonlyArray<string>
  /** Ids of the records that became part of it, in order. */
  readonly mergedFrom: ReadonlyArray<string>
}

export class RecordPasts extends Context.Service<
  RecordPasts,
  {
    /** Without those that were never anything else. */
    readonly read: (
      scope: RecordScope,
      recordIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, RecordPast>, StorageUnavailable>
  }
>()("@millrace/core/enrichment/RecordPasts") {}
