/** Port: the history of delivered values. Entries are added and never changed. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Id } from "../../shared/Ids.ts"
import type { StorageUnavailable } from "../../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Workspace.ts"
import type { RecordChange, RecordChangeId } from "./RecordChange.ts"

export class RecordChangeStore extends Context.Service<
  RecordChangeStore,
  {
    readonly append: (changes: ReadonlyArray<RecordChange>) => Effect.Effect<void, StorageUnavailable>
    /** The last entry of each field of some rows of a feed. */
    readonly latest: (
      feedId: Id<"feed">,
      recordIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<RecordChange>, StorageUnavailable>
    /** Of a record, its items and its lines; newest first. */
    readonly ofRecord: (
      workspaceId: WorkspaceId,
      recordId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RecordChange>, StorageUnavailable>
    /**
     * What a job changed, oldest first, behind the last entry of a page of it. A page may be longer than `limit`: entries that
     * were added together to one row come together.
     */
    readonly ofJob: (
      workspaceId: WorkspaceId,
      jobId: Id<"job">,
      page: { readonly after?: RecordChangeId | undefined; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<RecordChange>, StorageUnavailable>
    /** The records of an account are gone: their history stays for `limits.changeDays` from now. Returns of how many entries; those that were added together to one row may count as one. */
    readonly release: (workspaceId: WorkspaceId, accountId: Id<"account">) => Effect.Effect<number, StorageUnavailable>
    /** Forgets at most `limit` entries whose time is over, and returns how many; those that were added together to one row may count as one. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/enrichment/history/RecordChangeStore") {}
