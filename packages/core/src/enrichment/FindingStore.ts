/** What enrichments found, in storage. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resource } from "../resource/Resource.ts"
import { Resources } from "../resource/Resources.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { Finding, type FindingId, type FindingStatus } from "./Finding.ts"
import type { PartitionKey } from "./kinds/SetKind.ts"

type EnrichmentId = Id<"enrichment">

/** The newest first, of those at one instant the one with the greater id. */
export const findingResource = resource<Finding>({
  name: "finding",
  schema: Finding,
  columns: {
    enrichmentId: "text",
    partition: "text",
    kind: "text",
    status: "text",
    present: "boolean",
    firstSeenAt: "text"
  },
  order: [
    { field: "firstSeenAt", direction: "descending", always: true },
    { field: "id", direction: "descending" }
  ],
  versioned: true
})

/** A place in their list. */
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

const byId = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.toSorted((a, b) => (a.id < b.id ? -1 : 1))

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
>()("@millrace/core/enrichment/FindingStore") {
  static readonly layer: Layer.Layer<FindingStore, never, Resources> = Layer.effect(
    FindingStore,
    Effect.map(Resources, ({ open }) => {
      const findings = open(findingResource)
      return FindingStore.of({
        list: (workspaceId, enrichmentId, { before, from, kind, limit, status, to }) =>
          findings.page({
            workspaceIds: [workspaceId],
            // An instant begins with its day, and goes on with a "T".
            where: { enrichmentId, status, kind, firstSeenAt: { from, below: to && `${to}U` } },
            ...(before === undefined ? {} : { after: [before.firstSeenAt, before.id] }),
            limit
          }),
        get: (workspaceId, ids) =>
          ids.length === 0
            ? Effect.succeed([])
            : Effect.map(findings.list([workspaceId], { id: { oneOf: ids } }), byId),
        present: (workspaceId, enrichmentId, oneOf) =>
          Effect.map(findings.list([workspaceId], { enrichmentId, present: true, partition: { oneOf } }), byId),
        putFindings: findings.put,
        forget: (workspaceId, enrichmentId) => Effect.asVoid(findings.removeAll(workspaceId, { enrichmentId }))
      })
    })
  )
}
