/**
 * The destination port: what an adapter must do to receive the records of feeds.
 *
 * An adapter writes what it is given under the keys it is given, touches nothing that people added, and
 * says truthfully what it can do. What to send, when, and what became of it is the kernel's
 * (`destination/Delivery`). `packages/testing/src/suite/DestinationSuite.ts` holds every adapter to this.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ActorRef } from "../access/ActorRef.ts"
import type { BoundColumns } from "../feed/BoundColumns.ts"
import type { Feed } from "../feed/Feed.ts"
import type { FieldType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

/**
 * How a write is made exactly once in effect.
 * `transactional`: rows and receipts are one commit, because the rows live in our own storage.
 * `upsertByKey`: writing a key again overwrites the same row. New rows are looked up once they were written: what was
 * answered `done` and is not there was not kept, and is written again by the next run.
 * `idempotencyKey`: a write under a key that was used in the last `keySeconds` changes nothing, and is answered as it
 * was the first time; a write that was refused is not remembered. Without look-ups, a row that was answered `done` and never kept cannot be told from one that a
 * person deleted: its next update is answered `skipped`, and it stays away.
 * `readBack`: rows whose outcome is unknown are looked up by key before they are sent again; new ones are looked up as
 * with `upsertByKey`.
 * `wholeFile`: every delivery writes all rows again and replaces the old file in one step.
 */
export type WriteModel = "transactional" | "upsertByKey" | "idempotencyKey" | "readBack" | "wholeFile"

export type DestinationCapabilities = {
  readonly canRemove: boolean
  /** Most records in one call of `write`. */
  readonly batch: number
} & (
  | { readonly write: "transactional" | "wholeFile" }
  | {
      readonly write: "upsertByKey" | "readBack"
      /**
       * Seconds from the beginning of a call of `write`, the longest call included, after which `lookup` shows for certain
       * what it wrote; 0 unless given. Before they have passed, nothing is concluded from a key that is not there.
       */
      readonly visibleSeconds?: number
    }
  | { readonly write: "idempotencyKey"; readonly keySeconds: number }
)

export interface Column {
  /** Name at the destination (destinationField of the mapping). */
  readonly name: string
  readonly label: string
  readonly type: FieldType
  /** The column that the name was found to mean: it stays that one under another name, and when it is gone the name counts. */
  readonly id?: string
}

/** One record to be written or removed. */
export interface Outgoing {
  /** `<dataType>:<recordId>`; unique at the destination. */
  readonly key: string
  readonly op: "create" | "update" | "remove"
  /** Column name -> value; empty for a removal. */
  readonly values: Fields
  /** Equal each time that a write is sent again because its outcome is not known; every other write has another. */
  readonly idempotencyKey: string
  /** What the destination answered when the record was first written. */
  readonly remoteRef?: string
}

export type Receipt =
  | { readonly key: string; readonly outcome: "done"; readonly remoteRef?: string }
  /** A person deleted the row: it is not written again. */
  | { readonly key: string; readonly outcome: "skipped" }
  /**
   * This record alone was refused: nothing of it was written. `waits`: there is no room for it now. That is no attempt,
   * and every later run tries it again.
   */
  | { readonly key: string; readonly outcome: "failed"; readonly reason: string; readonly waits?: true }

const message = { message: Schema.String }

/** The destination cannot be reached now: unsent records wait for the next run. */
export class DestinationUnavailable extends Schema.TaggedError<DestinationUnavailable>()("DestinationUnavailable", {
  ...message,
  retryAfter: Schema.optionalKey(Schema.Int)
}) {}

/** It refuses everything: the table is in the trash, the path is not writable ... */
export class DestinationRejected extends Schema.TaggedError<DestinationRejected>()("DestinationRejected", message) {}

/** Mapped columns are missing and may not be created. */
export class DestinationColumnMissing extends Schema.TaggedError<DestinationColumnMissing>()(
  "DestinationColumnMissing",
  { ...message, columns: Schema.Array(Schema.String) }
) {}

export type DestinationError =
  | DestinationUnavailable
  | DestinationRejected
  | DestinationColumnMissing
  | StorageUnavailable

/** A file that was written whole; `standing` is what `DestinationSession.standing` tells of it until it is touched. */
export interface WrittenFile {
  readonly rows: number
  readonly ref: string
  readonly standing: string
}

/** A batch that is ready to be written inside of a transaction. */
export interface PreparedWrite {
  /** Does the same as `DestinationSession.write`. */
  readonly write: Effect.Effect<ReadonlyArray<Receipt>, DestinationError>
  /**
   * What `write` answers when nothing is in its way, told before anything is locked. Absent where it cannot be known. To be asked
   * in the transaction of the write, and again for each try.
   */
  readonly foreseen?: Effect.Effect<Foreseen>
}

/** A write whose outcome is known, as long as nothing is in its way. */
export interface Foreseen {
  readonly receipts: ReadonlyArray<Receipt>
  /** Writes. Returns whether the receipts hold; otherwise nothing that the transaction did may stay. */
  readonly write: Effect.Effect<boolean, DestinationError>
}

/** One feed's destination, opened for one run. */
export interface DestinationSession {
  /** Which columns the names mean, by id; absent where a column is nothing but its name. */
  readonly bound?: BoundColumns
  /** One receipt per record, in any order. `wholeFile` destinations are given removals and updates by `replace`. */
  readonly write: (batch: ReadonlyArray<Outgoing>) => Effect.Effect<ReadonlyArray<Receipt>, DestinationError>
  /** `transactional`, where it helps: works out what can be known outside of the transaction. */
  readonly prepareWrite?: (batch: ReadonlyArray<Outgoing>) => Effect.Effect<PreparedWrite>
  /** `upsertByKey`, `readBack`: the remote references of those keys that are there. */
  readonly lookup: (
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, string | undefined>, DestinationError>
  /** `wholeFile`: all rows there are, in the order to write them; in place only once all were written. */
  readonly replace: <E>(
    rows: Stream.Stream<{ readonly key: string; readonly values: Fields }, E>
  ) => Effect.Effect<WrittenFile, DestinationError | E>
  /**
   * `wholeFile`: what tells the file that is there now from what anybody else makes of it, found without reading it;
   * `undefined` when there is none. Equal as long as nobody touches the file.
   */
  readonly standing: () => Effect.Effect<string | undefined, DestinationError>
}

export interface ConfigFault {
  /** Path inside `destinationConfig`. */
  readonly field: string
  readonly message: string
}

/** What one feed alone may write to. */
export interface ClaimedPlace {
  /** Equal for all ways to name the same place, and for nothing else. */
  readonly place: string
  /** Path inside `destinationConfig` that names it, and what is wrong when another feed has it. */
  readonly taken: ConfigFault
}

/** Cells that somebody else wrote over what a feed had delivered. */
export interface Edit {
  readonly key: string
  /** By column name; those that are as they were delivered are left out. */
  readonly values: Fields
  /** Who wrote to the row last, and when, where the destination tells. */
  readonly by?: ActorRef
  readonly at?: Timestamp
}

export interface DestinationTraits {
  /** The name that feeds give in `destinationConfig.type`. */
  readonly type: string
  /** Its name for people, such as `CSV file`. */
  readonly label: string
  readonly capabilities: DestinationCapabilities
}

/** What is done with a configuration. They are methods on purpose: a driver takes the configuration of its own type only. */
export interface DestinationMethods<Config> {
  /**
   * What is wrong with a configuration when a feed is saved; nothing is changed. `mappingsDefaulted`: the columns are the
   * fields of the data type, and nobody has named them.
   */
  check(
    workspaceId: Feed["workspaceId"],
    config: Config,
    columns: ReadonlyArray<Column>,
    mappingsDefaulted: boolean
  ): Effect.Effect<ReadonlyArray<ConfigFault>, StorageUnavailable>
  /**
   * The place that a feed with this configuration must have for itself; `undefined` when it leads nowhere now. Drivers
   * whose destinations hold the rows of several feeds have no such method.
   */
  claim?(workspaceId: Feed["workspaceId"], config: Config): Effect.Effect<ClaimedPlace | undefined>
  /** Those columns that are there, by id, when a feed is saved. Drivers whose columns have no ids have no such method. */
  bind?(
    workspaceId: Feed["workspaceId"],
    config: Config,
    columns: ReadonlyArray<Column>
  ): Effect.Effect<BoundColumns, StorageUnavailable>
  /**
   * What is there now of what was delivered under these keys, by column name: rows that people took to the trash
   * included, cells that somebody else wrote left out. Only for destinations whose rows are part of our own storage
   * (`transactional`): of what such a row holds the ledger then keeps no other copy.
   */
  read?(
    feed: Feed,
    config: Config,
    columns: ReadonlyArray<Column>,
    keys: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyMap<string, Fields>, StorageUnavailable>
  /**
   * What people wrote over what was delivered, in rows that are there, by key: at most `limit` rows, those behind `after`.
   * Drivers of destinations that cannot tell have no such method.
   */
  edits?(
    feed: Feed,
    config: Config,
    columns: ReadonlyArray<Column>,
    page: { readonly after: string | undefined; readonly limit: number }
  ): Effect.Effect<ReadonlyArray<Edit>, DestinationError>
  /** Opens the destination and makes the columns that are missing, where that is allowed. */
  open(
    feed: Feed,
    config: Config,
    columns: ReadonlyArray<Column>
  ): Effect.Effect<DestinationSession, DestinationError, Scope.Scope>
}

/** A driver of one type of destination. */
export interface DestinationDriver<Config = unknown> extends DestinationTraits, DestinationMethods<Config> {
  /** The keys of `destinationConfig` that are the type's own: all but `type` and `onRemoved`. */
  readonly Config: Schema.Codec<Config, unknown>
}
