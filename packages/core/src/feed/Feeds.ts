/** Feeds: making, changing and removing them (decisions 5.4 and 7). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Principal } from "../access/Principal.ts"
import type { Conflict, NotFound, PlanLimitReached, PreconditionFailed, Unprocessable } from "../failure/Failure.ts"
import type { DestinationNotAvailable } from "../destination/Destinations.ts"
import type { DataType } from "../record/DataType.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Feed, FeedId, FeedState } from "./Feed.ts"
import type { FeedSource } from "./FeedConfig.ts"

/**
 * Configuration blocks come undecoded: every fault inside them is 422 with all faults at once, so the
 * kernel decodes and judges them itself.
 */
export interface FeedBlocks {
  readonly sourceConfig?: unknown
  readonly destinationConfig?: unknown
  readonly fieldMappings?: unknown
  readonly dataTypeOptions?: unknown
  /** `null` removes the schedule. */
  readonly schedule?: unknown
}

export interface NewFeed extends FeedBlocks {
  readonly name: string
  readonly icon?: string
  readonly order?: number
  readonly source: FeedSource
  readonly dataType: DataType
}

export interface FeedChange extends FeedBlocks {
  readonly name?: string
  readonly icon?: string | null
  readonly order?: number
  /** Immutable: anything but the present value is refused. */
  readonly source?: FeedSource
  readonly dataType?: DataType
}

export interface FeedView {
  readonly feed: Feed
  readonly state: FeedState
  /** Faults that block nothing. */
  readonly warnings: ReadonlyArray<string>
}

export class Feeds extends Context.Service<
  Feeds,
  {
    readonly list: (
      workspace: Workspace,
      query: { readonly dataType?: DataType; readonly source?: FeedSource }
    ) => Effect.Effect<ReadonlyArray<FeedView>, StorageUnavailable>
    readonly get: (workspace: Workspace, id: FeedId) => Effect.Effect<FeedView, NotFound | StorageUnavailable>
    readonly create: (
      principal: Principal,
      feed: NewFeed
    ) => Effect.Effect<FeedView, Unprocessable | PlanLimitReached | DestinationNotAvailable | StorageUnavailable>
    readonly update: (
      principal: Principal,
      id: FeedId,
      change: FeedChange,
      /** The version the caller has read, when it said so. */
      ifVersion: number | undefined
    ) => Effect.Effect<
      FeedView,
      | NotFound
      | Unprocessable
      | Conflict
      | PreconditionFailed
      | PlanLimitReached
      | DestinationNotAvailable
      | StorageUnavailable
    >
    /** Cancels the active job; rows delivered stay where they are. */
    readonly remove: (
      principal: Principal,
      id: FeedId,
      ifVersion: number | undefined
    ) => Effect.Effect<void, NotFound | PreconditionFailed | StorageUnavailable>
  }
>()("@millrace/core/feed/Feeds") {}
