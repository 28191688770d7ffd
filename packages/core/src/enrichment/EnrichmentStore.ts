/** Port: enrichments. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Enrichment, EnrichmentId } from "./Enrichment.ts"

export class EnrichmentStore extends Context.Service<
  EnrichmentStore,
  {
    readonly insert: (enrichment: Enrichment) => Effect.Effect<void, StorageUnavailable>
    /** Replaces it if its stored version is `enrichment.version - 1`; `false` when it was not. */
    readonly update: (enrichment: Enrichment) => Effect.Effect<boolean, StorageUnavailable>
    readonly get: (
      workspaceId: WorkspaceId,
      id: EnrichmentId
    ) => Effect.Effect<Option.Option<Enrichment>, StorageUnavailable>
    /** By order, then id. */
    readonly list: (
      workspaceIds: ReadonlyArray<WorkspaceId>
    ) => Effect.Effect<ReadonlyArray<Enrichment>, StorageUnavailable>
    readonly remove: (workspaceId: WorkspaceId, id: EnrichmentId) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("@millrace/core/enrichment/EnrichmentStore") {}
