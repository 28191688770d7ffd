/** Port: the patterns that memories keep. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Id } from "../../../shared/Ids.ts"
import type { StorageUnavailable } from "../../../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../../../workspace/Workspace.ts"
import type { MemoryPattern, PatternName } from "./MemoryPattern.ts"

export interface MemoryScope {
  readonly workspaceId: WorkspaceId
  readonly enrichmentId: Id<"enrichment">
}

export class MemoryPatterns extends Context.Service<
  MemoryPatterns,
  {
    /** By id. */
    readonly list: (scope: MemoryScope) => Effect.Effect<ReadonlyArray<MemoryPattern>, StorageUnavailable>
    /** Makes what is kept what is given; what is as it was is not written. Call it within a transaction. */
    readonly keep: (
      scope: MemoryScope,
      before: ReadonlyArray<MemoryPattern>,
      after: ReadonlyArray<MemoryPattern>
    ) => Effect.Effect<void, StorageUnavailable>
    /** The same for what is the same in all that a pattern is. */
    readonly idOf: (name: PatternName) => MemoryPattern["id"]
    /** Equal for equal sets of patterns, whatever supports each. */
    readonly versionOf: (patterns: ReadonlyArray<MemoryPattern>) => string
  }
>()("@millrace/core/enrichment/MemoryPatterns") {}
