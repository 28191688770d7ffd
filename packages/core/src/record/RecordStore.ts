/** Port: the ledger of records. Everything is scoped by account, and an account belongs to one workspace. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Id } from "../shared/Ids.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Decimal } from "../shared/Decimal.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { DataType } from "./DataType.ts"
import type { DayHashChanges, DayHashes } from "./DayHashes.ts"
import type { Fields } from "./FieldValue.ts"
import type { ShownStep } from "./Shown.ts"
import type { HeldRecord, IndexEntry, LedgerRecord, RecordState, RecordWrite, ShownRecord } from "./LedgerRecord.ts"

/** The records of one type in one account. */
export interface RecordScope {
  readonly workspaceId: WorkspaceId
  readonly accountId: Id<"account">
  readonly dataType: DataType
}

export interface IndexQuery {
  readonly from?: CalendarDate
  /** Of dated live records those of these days. */
  readonly days?: ReadonlyArray<{ readonly from: CalendarDate; readonly to: CalendarDate }>
  readonly providerIds?: ReadonlyArray<string>
  readonly ids?: ReadonlyArray<string>
}

export interface RecordFilter {
  /** `live` when absent. Records that were merged into another are none of these. */
  readonly state?: RecordState
  readonly from?: CalendarDate
  readonly to?: CalendarDate
  readonly pending?: boolean
  readonly type?: string
  readonly category?: string
  /** Text in `description` or `merchantName`, as `fold` compares them; every character stands for itself. */
  readonly text?: string
  readonly minAmount?: Decimal
  readonly maxAmount?: Decimal
}

/** Newest first: by date, then by id, both descending; undated ones last. */
export interface PageQuery {
  readonly filter: RecordFilter
  readonly limit: number
  /** The last row of the page before. */
  readonly before?: { readonly date: CalendarDate | null; readonly id: string }
}

export interface Checkpoint {
  readonly bankId: Id<"bank">
  /** `undefined` when one checkpoint covers the whole connection. */
  readonly accountId: Id<"account"> | undefined
  readonly dataType: DataType
}

export class RecordStore extends Context.Service<
  RecordStore,
  {
    /**
     * What we hold, for matching: all states, tombstones too, but none that was merged into another. With
     * `from`, only records dated on or after it (and undated ones); with `days`, whose ranges do not overlap, only
     * records of those days, undated ones and tombstones; with `providerIds` or `ids`, only those; with several, only
     * those that meet all. In no order.
     */
    readonly index: (
      scope: RecordScope,
      only: IndexQuery
    ) => Effect.Effect<ReadonlyArray<IndexEntry>, StorageUnavailable>
    /** Some records, in no order; unknown ids and records that were merged into another are left out. */
    readonly held: (
      scope: RecordScope,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<HeldRecord>, StorageUnavailable>
    /** The contents of some records, in no order. */
    readonly fields: (
      scope: RecordScope,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Fields>, StorageUnavailable>
    /**
     * Writes new and changed records and gives each a change number above all earlier ones of the account, which is also its
     * public change number unless state, day, `pending` and fields are as they were.
     * `missed` is set back to 0, and a record that was merged into another is one of its own again. `apart`
     * marks the records that are new. `areNew`: all ids were made for this write, so that nobody has them; where somebody has, it fails. Writers of one account wait for each other until the transaction ends, so
     * a reader who has read up to `lastChange` never finds a change below it later. Numbers follow the order of
     * `writes`, whose ids are unique within one call. A record keeps its `createdAt`; its version grows by 1.
     */
    readonly write: (
      scope: RecordScope,
      writes: ReadonlyArray<RecordWrite>,
      options?: { readonly apart?: boolean; readonly areNew?: boolean }
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Gives records the upstream ids that they have now and sets `missed` back to 0. Not a public change:
     * change number and version stay. Unknown ids are left out.
     */
    readonly rename: (
      scope: RecordScope,
      ids: ReadonlyArray<{ readonly id: string; readonly providerId: string }>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Gives records new change numbers, in the order of `ids`, and marks them as annotated: an enrichment or a person says
     * something about them. Content, version, public change number and day hashes stay. Returns the last number of the
     * account before and after.
     */
    readonly touch: (
      scope: RecordScope,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly before: number; readonly after: number }, StorageUnavailable>
    /** From now on each record is part of another one: matching and lists no longer find it. */
    readonly merge: (
      scope: RecordScope,
      parts: ReadonlyArray<{ readonly id: string; readonly into: string }>
    ) => Effect.Effect<void, StorageUnavailable>
    /** Records that are part of another one, each with the one that it was merged into. */
    readonly merged: (scope: RecordScope) => Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
    /**
     * Sets how many complete reads in a row lacked these records, and when (0 sets back). A record that has
     * that number is left as it is. Not a public change.
     */
    readonly setMissed: (
      scope: RecordScope,
      ids: ReadonlyArray<string>,
      missed: number
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Changes the stored hashes of days. All of them are current then, until a record of the scope is written, renamed, merged
     * or counted as missed.
     */
    readonly keepDayHashes: (scope: RecordScope, changes: DayHashChanges) => Effect.Effect<void, StorageUnavailable>
    /** What `keepDayHashes` stored. Hashes that are not current are returned too, so that only those that differ are written. */
    readonly dayHashes: (scope: RecordScope) => Effect.Effect<DayHashes, StorageUnavailable>
    /** Highest change number of the account; 0 before the first record. */
    readonly lastChange: (accountId: Id<"account">) => Effect.Effect<number, StorageUnavailable>
    /** The same of several accounts; those without a record are left out. */
    readonly lastChanges: (
      accountIds: ReadonlyArray<Id<"account">>
    ) => Effect.Effect<ReadonlyMap<Id<"account">, number>, StorageUnavailable>
    /** Changed records (tombstones included) in change order, after `after` and up to `upTo`. */
    readonly changes: (
      scope: RecordScope,
      range: { readonly after: number; readonly upTo: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<LedgerRecord>, StorageUnavailable>
    /** As `changes`, by public change number: records with changed annotations alone are left out. */
    readonly publicChanges: (
      scope: RecordScope,
      range: { readonly after: number; readonly upTo: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<LedgerRecord>, StorageUnavailable>
    /**
     * Records of one state, newest first (date, then id, both descending; undated ones last). `before` is the last
     * row of the page before. Bounds are inclusive; a record without the field asked for does not match.
     */
    readonly page: (
      scope: RecordScope,
      query: PageQuery
    ) => Effect.Effect<ReadonlyArray<LedgerRecord>, StorageUnavailable>
    /** As `page`, with what readers are shown of each record and nothing else: a page that people wait for. */
    readonly shownPage: (
      scope: RecordScope,
      query: PageQuery
    ) => Effect.Effect<ReadonlyArray<ShownRecord>, StorageUnavailable>
    /** Day of the newest record, tombstones included: a record that goes does not make the next read begin earlier. */
    readonly latestDate: (scope: RecordScope) => Effect.Effect<CalendarDate | null, StorageUnavailable>
    readonly checkpoint: (key: Checkpoint) => Effect.Effect<string | undefined, StorageUnavailable>
    /** `undefined` forgets it. */
    readonly saveCheckpoint: (key: Checkpoint, value: string | undefined) => Effect.Effect<void, StorageUnavailable>
    /** When a type of an account was last read whole from upstream. */
    readonly pulledAt: (scope: RecordScope) => Effect.Effect<Timestamp | undefined, StorageUnavailable>
    /** The same of several accounts; those that were never read are left out. */
    readonly pulledTimes: (
      dataType: DataType,
      accountIds: ReadonlyArray<Id<"account">>
    ) => Effect.Effect<ReadonlyMap<Id<"account">, Timestamp>, StorageUnavailable>
    /** Notes that they were read whole just now, and with `shown` which days were shown; none is named twice. */
    readonly setPulled: (
      scopes: ReadonlyArray<RecordScope & { readonly shown?: ReadonlyArray<ShownStep> | undefined }>
    ) => Effect.Effect<void, StorageUnavailable>
    /** Everything about an account goes: its records of all types, and how far it was read. */
    readonly forget: (workspaceId: WorkspaceId, accountId: Id<"account">) => Effect.Effect<void, StorageUnavailable>
    /** The days that reads showed, as `setPulled` left them; nothing of accounts with nothing noted. */
    readonly shown: (
      dataType: DataType,
      accountIds: ReadonlyArray<Id<"account">>
    ) => Effect.Effect<ReadonlyMap<Id<"account">, ReadonlyArray<ShownStep>>, StorageUnavailable>
  }
>()("@millrace/core/record/RecordStore") {}
