/** Port: the delivery ledger. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AccountId } from "../account/Account.ts"
import type { FieldChange } from "../enrichment/Provenance.ts"
import type { FeedId } from "../feed/Feed.ts"
import type { JobId } from "../job/Job.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Delivery, DeliveryState } from "./Delivery.ts"

/** What the ledger says of a record, without the values. */
export interface DeliveryEntry {
  readonly recordId: string
  readonly hash: string
  readonly op: Delivery["op"]
  readonly state: DeliveryState
  /**
   * Whether the destination has, or may have, a row of it: a create or update was acknowledged, is being sent,
   * or was being sent when newer content came. A refusal leaves it as it was; an acknowledged removal and a
   * deletion by a person end it.
   */
  readonly present: boolean
}

/** What should be at the destination. Makes version + 1, without attempts and errors; the remote ref stays. */
export interface Intent {
  readonly recordId: string
  readonly accountId: AccountId
  readonly date: CalendarDate | null
  readonly op: Delivery["op"]
  readonly hash: string
  readonly values: Fields
  readonly provenance: ReadonlyArray<FieldChange>
}

export type Settlement = {
  readonly recordId: string
  /** The version that was sent: a newer one stays open, and only takes over `remoteRef`. */
  readonly version: number
} & (
  | { readonly state: "done"; readonly remoteRef?: string }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "skipped" }
  | { readonly state: "intended" }
)

/** What became of an intent in the very transaction that writes it down. */
export type Outcome =
  | { readonly state: "done"; readonly remoteRef?: string }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "skipped" }

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    readonly entries: (
      feedId: FeedId,
      recordIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, DeliveryEntry>, StorageUnavailable>
    /** Inserts or replaces rows as `intended`. Record ids are unique within one call. */
    readonly intend: (
      feedId: FeedId,
      jobId: JobId,
      intents: ReadonlyArray<Intent>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * `intend` and `settle` of the same rows in one step, for destinations whose rows are part of the same
     * transaction. `outcomes[n]` belongs to `intents[n]`.
     */
    readonly intendSettled: (
      feedId: FeedId,
      jobId: JobId,
      intents: ReadonlyArray<Intent>,
      outcomes: ReadonlyArray<Outcome>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Rows in `intended`, `sending` or `failed`, by date and record id, undated ones last. `after` is the last
     * row of the chunk before: one walk meets every refused row once.
     */
    readonly open: (
      feedId: FeedId,
      query: {
        readonly limit: number
        readonly after?: { readonly date: CalendarDate | null; readonly recordId: string }
      }
    ) => Effect.Effect<ReadonlyArray<Delivery>, StorageUnavailable>
    /**
     * What a job still has to settle: its own rows in `intended` or `sending`, and the rows of earlier jobs
     * (`carried`) in these states or `failed`. `settle` makes a row the job's own.
     */
    readonly countOpen: (
      feedId: FeedId,
      jobId: JobId
    ) => Effect.Effect<{ readonly own: number; readonly carried: number }, StorageUnavailable>
    /** `intended` -> `sending`, one attempt more; written before the first byte leaves. Others stay. */
    readonly markSending: (feedId: FeedId, recordIds: ReadonlyArray<string>) => Effect.Effect<void, StorageUnavailable>
    /**
     * Settles open rows of just that version, in one step also from `intended`. Of closed rows only these
     * follow: a `done` one can become `skipped`, a `skipped` one `intended`. Unknown rows are passed over.
     * An acknowledged removal forgets the remote ref.
     */
    readonly settle: (
      feedId: FeedId,
      jobId: JobId,
      settlements: ReadonlyArray<Settlement>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Every row that should be at the destination (no removals, nothing that a person deleted), by date and
     * record id, undated ones last: what a whole file holds.
     */
    readonly current: (feedId: FeedId) => Stream.Stream<Delivery, StorageUnavailable>
    /** Newest change first, then by record id. */
    readonly list: (
      feedId: FeedId,
      query: {
        readonly jobId?: JobId
        readonly state?: DeliveryState
        readonly recordId?: string
        readonly limit: number
      }
    ) => Effect.Effect<ReadonlyArray<Delivery>, StorageUnavailable>
    /** Forgets what was delivered: everything is sent again by key. */
    readonly clear: (feedId: FeedId) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/destination/DeliveryStore") {}
