/** Port: pages of a pull that is too large to be held, put aside until all of it was read. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** One reading of one source, whose rows are nobody else's. */
export interface StageKey {
  readonly workspaceId: WorkspaceId
  /** Another for each reading, also of one run: what an earlier one has put aside is never taken for its own. */
  readonly id: string
  /** The lease under which the pull runs: once another has it, what was put aside is nobody's. */
  readonly resource: string
  readonly holder: string
}

/** Text in the room that it takes while it waits. */
export interface PackedText {
  readonly bytes: Uint8Array
  readonly text: () => string
}

export interface StageChunk {
  /** Unique within the reading. */
  readonly number: number
  /** The account, as the upstream names it. */
  readonly account: string
  readonly packed: PackedText
}

export class StageStore extends Context.Service<
  StageStore,
  {
    /** Makes a text small, wherever it is kept then. */
    readonly pack: (text: string) => Effect.Effect<PackedText>
    /** Nothing of it outlasts a crash of the database: anyone who takes chunks counts them. */
    readonly put: (key: StageKey, chunks: ReadonlyArray<StageChunk>) => Effect.Effect<void, StorageUnavailable>
    /**
     * The texts of these chunks, in the order of their numbers, each worked out when it is asked for; those that are not there
     * are left out.
     */
    readonly take: (
      key: StageKey,
      numbers: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<() => string>, StorageUnavailable>
    /** Forgets all of the reading. */
    readonly drop: (key: StageKey) => Effect.Effect<void, StorageUnavailable>
    /** Forgets some chunks of readings whose holder has the lease no more; returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/sync/StageStore") {}
