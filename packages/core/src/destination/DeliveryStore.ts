/** Port: the delivery ledger. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { AccountId } from "../bank/Account.ts"
import type { FieldOrigin } from "../enrichment/Provenance.ts"
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
  /** Refused permanently. */
  readonly dead: boolean
  /** The job that intended or settled it last. */
  readonly jobId: JobId
  /**
   * Whether the destination has, or may have, a row of it: a create or update was acknowledged, is being sent,
   * or was being sent when newer content came. A refusal leaves it as it was; an acknowledged removal and a
   * deletion by a person end it.
   */
  readonly present: boolean
  /** Whether it is there for certain, under a reference that is known: nothing sent since may have taken it away. */
  readonly acknowledged: boolean
}

/**
 * What should be at the destination. Makes version + 1, without attempts and errors; the remote ref stays. What
 * was being sent meanwhile is kept as `unconfirmedAttempt`.
 */
export interface Intent {
  readonly recordId: string
  readonly accountId: AccountId
  readonly date: CalendarDate | null
  readonly op: Delivery["op"]
  readonly hash: string
  readonly values: Fields
  readonly provenance: ReadonlyArray<FieldOrigin>
}

/** It arrived. */
export interface Done {
  readonly state: "done"
  readonly remoteRef?: string
  /** The destination tells what it has: of what was created or updated no copy of the values is kept. */
  readonly readable?: true
}

export type Settlement = {
  readonly recordId: string
  /**
   * The version that was sent: a newer one stays open, and only takes over `remoteRef`. Where it is the version in
   * `unconfirmedAttempt`, that is over: a newer create of what has arrived becomes an update.
   */
  readonly version: number
} & (
  | Done
  /**
   * `final`: it is not tried again, however few attempts there were. `waits`: it is tried again by every run, however
   * many there were: they start again at 0. `unknown`: an attempt under the same idempotency key may have arrived; the row
   * is `unconfirmedAttempt` of itself then, so that the next attempt has that key.
   */
  | {
      readonly state: "failed"
      readonly error: string
      readonly final?: boolean
      readonly waits?: true
      readonly unknown?: true
    }
  | { readonly state: "skipped" }
  | { readonly state: "intended" }
)

/** What became of an intent in the very transaction that writes it down. */
export type Outcome =
  | Done
  | { readonly state: "failed"; readonly error: string; readonly waits?: true }
  | { readonly state: "skipped" }

/** What became of some open rows that all arrived together. */
export interface Arrived {
  readonly created: number
  readonly updated: number
  readonly removed: number
  /** Those that an earlier job had left open, that were refused before, or that a redelivery opened. */
  readonly carried: number
  /** Where the next ones follow; `undefined` where there are no more. */
  readonly last: OpenPlace | undefined
}

/** A row's place in `open`. */
export type OpenPlace = Pick<Delivery, "date" | "recordId">

/** What an open row that has no values is to send. */
export type Filling = Pick<Intent, "recordId" | "hash" | "values" | "provenance"> & Pick<Delivery, "version">

/** Which rows a redelivery opens again: those that fit all that is given. Rows that are open anyway never. */
export interface Reopening {
  readonly recordIds?: ReadonlyArray<string>
  readonly state?: ReopenableState
}

/** `dead` rows are `failed` ones, too. */
export const reopenableStates = ["failed", "dead", "skipped", "done"] as const
export type ReopenableState = (typeof reopenableStates)[number]

/** A row's place in `list`. */
export type ListPlace = Pick<Delivery, "jobId" | "updatedAt" | "recordId">

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    readonly entries: (
      feedId: FeedId,
      recordIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, DeliveryEntry>, StorageUnavailable>
    /**
     * Rows whose ids begin with one of these and a colon: the lines and items of records. By the id that was asked for; those
     * without any are left out.
     */
    readonly entriesUnder: (
      feedId: FeedId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<DeliveryEntry>>, StorageUnavailable>
    /** Inserts or replaces rows as `intended`. Record ids are unique within one call. */
    readonly intend: (
      feedId: FeedId,
      jobId: JobId,
      intents: ReadonlyArray<Intent>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * `intend` and `settle` of the same rows in one step, for destinations whose rows are part of the same
     * transaction. `outcomes[n]` belongs to `intents[n]`. `areNew`: anyone who holds the feed has looked, and there is no row of
     * any of the records; where there is one all the same, it fails.
     */
    readonly intendSettled: (
      feedId: FeedId,
      jobId: JobId,
      intents: ReadonlyArray<Intent>,
      outcomes: ReadonlyArray<Outcome>,
      areNew?: boolean
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Rows in `intended`, `sending` or `failed` that are not dead, by date and record id, undated ones last.
     * `after` is the last row of the chunk before: one walk meets every refused row once. `waiting` leaves out
     * those that are `failed`.
     */
    readonly open: (
      feedId: FeedId,
      query: {
        readonly limit: number
        readonly after?: OpenPlace
        readonly waiting?: boolean
      }
    ) => Effect.Effect<ReadonlyArray<Delivery>, StorageUnavailable>
    /**
     * What a job still has to settle: its own rows in `intended` or `sending`, and (`carried`) the rows of earlier
     * jobs in these states or `failed` and not dead, and those that a redelivery opened. `markSending` and
     * `settle` make a row the job's own.
     */
    readonly countOpen: (
      feedId: FeedId,
      jobId: JobId
    ) => Effect.Effect<{ readonly own: number; readonly carried: number }, StorageUnavailable>
    /**
     * Rows that are about to be sent become `sending` and the job's own; written before the first byte leaves.
     * From `intended` and `failed` it is one attempt more. Returns the ids of those that are no longer open in
     * just that version, or dead: they stay as they are.
     */
    readonly markSending: (
      feedId: FeedId,
      jobId: JobId,
      rows: ReadonlyArray<Pick<Delivery, "recordId" | "version">>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /**
     * Settles open rows of just that version, in one step also from `intended` and `failed`, which is an attempt
     * as well; the refusal that makes `limits.deliveryAttempts` makes it dead. Of closed rows only these
     * follow: a `done` one can become `skipped`, a `skipped` one `intended`. Unknown rows are passed over.
     * An acknowledged removal forgets the remote ref.
     */
    readonly settle: (
      feedId: FeedId,
      jobId: JobId,
      settlements: ReadonlyArray<Settlement>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Settles the next open rows, in the order of `open`, as `done` under one remote ref, whatever their version is: all of
     * them arrived. As `open` and `settle` of the same rows, without anybody reading them.
     */
    readonly settleNext: (
      feedId: FeedId,
      jobId: JobId,
      next: { readonly limit: number; readonly after?: OpenPlace; readonly remoteRef: string }
    ) => Effect.Effect<Arrived, StorageUnavailable>
    /**
     * Every row that should be at the destination (no removals, nothing that a person deleted), by date and
     * record id, undated ones last: what a whole file holds.
     */
    readonly current: (feedId: FeedId) => Stream.Stream<Delivery, StorageUnavailable>
    /** Rows of the newest job first, in it the newest change first, then by record id. `after` is a row's place. */
    readonly list: (
      feedId: FeedId,
      query: {
        readonly jobId?: JobId
        readonly state?: DeliveryState | "dead"
        readonly recordId?: string
        readonly limit: number
        readonly after?: ListPlace
      }
    ) => Effect.Effect<ReadonlyArray<Delivery>, StorageUnavailable>
    /** Forgets what was delivered: everything is sent again by key. */
    readonly clear: (feedId: FeedId) => Effect.Effect<void, StorageUnavailable>

    /**
     * A redelivery: closed rows become `intended` again as a new version with the same content, without attempts
     * and errors, and are `redeliveryRequested`. What is done is updated, what a person deleted is created. Removals are
     * opened only where they were refused. At most `limit` rows; returns how many.
     */
    readonly reopen: (
      feedId: FeedId,
      which: Reopening & { readonly limit: number }
    ) => Effect.Effect<number, StorageUnavailable>
    /** Gives open rows of just that version that have no values some. */
    readonly fill: (feedId: FeedId, fillings: ReadonlyArray<Filling>) => Effect.Effect<void, StorageUnavailable>
    /** What rows that a person deleted would hold now: a new version that stays `skipped`. Others stay as they are. */
    readonly keep: (feedId: FeedId, intents: ReadonlyArray<Intent>) => Effect.Effect<void, StorageUnavailable>
    /** Whole files: under which mark the feed's file was written last (`noteFile`); forgotten by `clear`. */
    readonly fileMark: (feedId: FeedId) => Effect.Effect<Option.Option<string>, StorageUnavailable>
    readonly noteFile: (feedId: FeedId, mark: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/destination/DeliveryStore") {}
