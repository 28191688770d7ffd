/** Port: parts of cursors that are too long for a caller to carry (decisions 1.6). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export class CursorStore extends Context.Service<
  CursorStore,
  {
    /**
     * Keeps a text under its digest for so many hours from now; what is kept longer already stays as long. A workspace
     * has at most `limits.keptCursorParts` of them, of `limits.keptCursorBytes` together: those that were kept longest
     * ago make room.
     */
    readonly keep: (
      workspaceId: WorkspaceId,
      part: { readonly digest: string; readonly text: string; readonly hours: number }
    ) => Effect.Effect<void, StorageUnavailable>
    /** `undefined` when it is kept no more, or never was in this workspace. */
    readonly find: (workspaceId: WorkspaceId, digest: string) => Effect.Effect<string | undefined, StorageUnavailable>
    /** Forgets some of those whose time is over; returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/cursor/CursorStore") {}
