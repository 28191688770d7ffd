/** Port: what enrichments found. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Finding, FindingId, FindingStatus } from "./Finding.ts"
import type { PartitionKey } from "./kinds/SetKind.ts"

type EnrichmentId = Id<"enrichment">

/** A place in the list of findings: the newest come first, of those at one instant the one with the greater id. */
export interface FindingPlace {
  readonly firstSeenAt: Timestamp
  readonly id: FindingId
}

export interface FindingsQuery {
  readonly status?: FindingStatus | undefined
  readonly kind?: string | undefined
  /** Days, in UTC, on which they were found first; both belong to it. */
  readonly from?: CalendarDate | undefined
  readonly to?: CalendarDate | undefined
  /** Those behind this place. */
  readonly before?: FindingPlace | undefined
  readonly limit: number
}

export class FindingStore extends Context.Service<
  FindingStore,
  {
    readonly list: (
      workspaceId: WorkspaceId,
      enrichmentId: EnrichmentId,
      query: FindingsQuery
    ) => Effect.Effect<ReadonlyArray<Finding>, StorageUnavailable>
    /** By id; those that are not there are left out. */
    readonly get: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<FindingId>
    ) => Effect.Effect<ReadonlyArray<Finding>, StorageUnavailable>
    /** Those that the enrichment finds at present: in these partitions, or in all. By id. */
    readonly present: (
      workspaceId: WorkspaceId,
      enrichmentId: EnrichmentId,
      partitions?: ReadonlyArray<PartitionKey>
    ) => Effect.Effect<ReadonlyArray<Finding>, StorageUnavailable>
    /**
     * Writes findings, each of which is new or follows the version before it, or has the same version and another partition.
     * `false`, and what was written is to be taken back, where one is not the next: somebody else changed it.
     */
    readonly putFindings: (findings: ReadonlyArray<Finding>) => Effect.Effect<boolean, StorageUnavailable>
    /** Forgets all that the enrichment found. */
    readonly forget: (workspaceId: WorkspaceId, enrichmentId: EnrichmentId) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/enrichment/FindingStore") {}
