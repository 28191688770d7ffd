/** One run of a job, from pull to delivery (decisions 6.4 and 7). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BankId } from "../bank/Bank.ts"
import type { FeedId } from "../feed/Feed.ts"
import type { ClaimedJob, Fenced } from "../job/JobStore.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

export class SyncRun extends Context.Service<
  SyncRun,
  {
    /** The connections whose leases a job of the feed needs. Empty when the feed is gone or has no source. */
    readonly banksOf: (feedId: FeedId) => Effect.Effect<ReadonlyArray<BankId>, StorageUnavailable>
    /**
     * Runs a claimed job to its end: completed, failed or paused. Everything that goes wrong upstream, in
     * enrichment or at the destination is written on the job and is no failure of this effect. It fails
     * when the run was shut out (`Fenced`: stop without a trace) or storage is away (the job stays
     * in progress and is taken up again). Interrupting it loses nothing.
     */
    readonly run: (claimed: ClaimedJob) => Effect.Effect<void, Fenced | StorageUnavailable>
  }
>()("@millrace/core/sync/SyncRun") {}
