/**
 * Whether there is room for more. What is large and comes from outside asks before it is stored, so that the last of the
 * disk is kept for what has to go on. Syncs may use of that; the last of it is for the log of the database and for reads.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Without one, storage itself says when it is full. */
export const StorageRoom = Context.Reference<{
  /** Fails with a full `StorageUnavailable` where storing so many bytes would use the reserve. */
  readonly need: (bytes: number) => Effect.Effect<void, StorageUnavailable>
  /** Fails with a full `StorageUnavailable` where so little is left that syncs have to wait until there is more. */
  readonly forSyncs: Effect.Effect<void, StorageUnavailable>
}>("@millrace/core/storage/StorageRoom", {
  defaultValue: () => ({ need: () => Effect.void, forSyncs: Effect.void })
})
