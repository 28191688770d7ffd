/** Port: feeds and how far each has followed the ledger. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AccountId } from "../bank/Account.ts"
import type { BoundColumns } from "./BoundColumns.ts"
import type { DataType } from "../record/DataType.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Feed, FeedId, FeedState } from "./Feed.ts"
import type { DueWake, Wake } from "./Wake.ts"

/** How far a feed has projected an account: the change number, and under which configuration. */
export interface FeedMark {
  readonly accountId: AccountId
  readonly changeNo: number
  /** Hash of everything besides the records that decides what is delivered. */
  readonly signature: string
}

export class FeedStore extends Context.Service<
  FeedStore,
  {
    readonly insert: (feed: Feed) => Effect.Effect<void, StorageUnavailable>
    /** Replaces the feed if its stored version is `feed.version - 1`; `false` when it was not. */
    readonly update: (feed: Feed) => Effect.Effect<boolean, StorageUnavailable>
    readonly get: (workspaceId: WorkspaceId, id: FeedId) => Effect.Effect<Option.Option<Feed>, StorageUnavailable>
    /** For jobs, which know the feed only by id. */
    readonly byId: (id: FeedId) => Effect.Effect<Option.Option<Feed>, StorageUnavailable>
    /** Keeps the feed from being removed until the transaction ends. `false` when it is gone. */
    readonly hold: (id: FeedId) => Effect.Effect<boolean, StorageUnavailable>
    /** By order, then age. */
    readonly list: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      query: { readonly dataType?: DataType; readonly source?: Feed["source"] }
    ) => Effect.Effect<ReadonlyArray<Feed>, StorageUnavailable>
    /**
     * With its jobs (their leases too), ledger, marks and uploads; delivered rows stay where they are.
     * `false` when there is none. A run of it finds itself fenced.
     */
    readonly remove: (workspaceId: WorkspaceId, id: FeedId) => Effect.Effect<boolean, StorageUnavailable>
    /**
     * What the jobs of each feed say about it, for every id asked (`status` without regard to the
     * configuration; `nextRunAt` is that of a wake only; the schedule and `dataThrough` are left to the caller).
     * Cancelled jobs say nothing about success or failure and are passed over; `reason` is the first fatal error of the newest job that
     * completed or failed, given only with status `failing`.
     */
    readonly states: (ids: ReadonlyArray<FeedId>) => Effect.Effect<ReadonlyMap<FeedId, FeedState>, StorageUnavailable>
    /** Enabled schedules that are due by the store's clock, with no active job; oldest due first. */
    readonly scheduleDue: (limit: number) => Effect.Effect<ReadonlyArray<Feed>, StorageUnavailable>
    /** Moves the due time on, if it still is `from`: of several dispatchers one wins. */
    readonly advanceSchedule: (
      id: FeedId,
      from: Timestamp,
      to: Timestamp | undefined
    ) => Effect.Effect<boolean, StorageUnavailable>
    /**
     * Makes the feed the only one that may write to a place, in all workspaces, and gives up the one that it had;
     * `undefined` only gives up. `false` when another feed has it: then nothing is changed. Places go with their feed.
     */
    readonly claimPlace: (id: FeedId, place: string | undefined) => Effect.Effect<boolean, StorageUnavailable>
    /** Which columns of the destination the names in the mappings mean, as far as it was found out. */
    readonly boundColumns: (id: FeedId) => Effect.Effect<BoundColumns, StorageUnavailable>
    /** Notes what names mean, beside those that are known. */
    readonly bindColumns: (id: FeedId, columns: BoundColumns) => Effect.Effect<void, StorageUnavailable>
    readonly unbindColumns: (id: FeedId) => Effect.Effect<void, StorageUnavailable>
    readonly marks: (id: FeedId) => Effect.Effect<ReadonlyArray<FeedMark>, StorageUnavailable>
    /** How far the feed has come in these accounts, each named once. */
    readonly setMarks: (id: FeedId, marks: ReadonlyArray<FeedMark>) => Effect.Effect<void, StorageUnavailable>
    readonly clearMarks: (id: FeedId) => Effect.Effect<void, StorageUnavailable>

    /**
     * The feed is to run again, so many seconds from now by the store's clock. Of two that were asked for the
     * earlier one counts. Any job that is made after this one was asked for does its work: then it is void.
     */
    readonly wake: (
      id: FeedId,
      wake: Wake & { readonly afterSeconds: number }
    ) => Effect.Effect<void, StorageUnavailable>
    /** Wakes that are due and not void, of feeds without an active job; oldest due first. */
    readonly dueWakes: (limit: number) => Effect.Effect<ReadonlyArray<DueWake>, StorageUnavailable>
    /** Takes a wake, if it still is due at `dueAt`: of several dispatchers one wins. */
    readonly takeWake: (id: FeedId, dueAt: Timestamp) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("@millrace/core/feed/FeedStore") {}
