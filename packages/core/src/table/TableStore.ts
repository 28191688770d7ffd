/** Port: tables and their rows. The kernel computes, stores keep. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { LookupEntry } from "./Facet.ts"
import type { RowScan } from "./RowScan.ts"
import type { StoredRow } from "./RowShape.ts"
import type { Row, RowId, Table, TableField, TableId } from "./Table.ts"

export interface FeedRow {
  readonly key: string
  /** Only these cells are written; held ones and those of other fields stay as they are. */
  readonly values: Fields
  /** As in `StoredRow`. */
  readonly folded: Readonly<Record<string, string>>
  /** The row must exist already: one that a person deleted is not made again. */
  readonly mustExist: boolean
}

/** Which row has the mark of a facet; one key for both. */
export const markKey = (facet: string, mark: string): string => `${facet} ${mark}`

/**
 * Anyone who writes rows or fields takes `lock` first, in the same transaction: so nobody writes a table while
 * somebody else reads what to write to it.
 */
export class TableStore extends Context.Service<
  TableStore,
  {
    readonly insert: (table: Table) => Effect.Effect<void, StorageUnavailable>
    /** Also from the trash. */
    readonly get: (workspaceId: WorkspaceId, id: TableId) => Effect.Effect<Option.Option<Table>, StorageUnavailable>
    /** As `get`, and holds others off until the transaction ends. */
    readonly lock: (workspaceId: WorkspaceId, id: TableId) => Effect.Effect<Option.Option<Table>, StorageUnavailable>
    /** Live and trashed, oldest first. */
    readonly list: (workspaceIds: ReadonlyArray<WorkspaceId>) => Effect.Effect<ReadonlyArray<Table>, StorageUnavailable>
    /** Replaces table and fields, all but `rowCount`, if the stored version is `table.version - 1`; else `false`. */
    readonly update: (table: Table) => Effect.Effect<boolean, StorageUnavailable>
    /** Appends fields; one whose key the table has already is left out. Version + 1 if any came. */
    readonly addFields: (id: TableId, fields: ReadonlyArray<TableField>) => Effect.Effect<void, StorageUnavailable>
    /** Permanently: nobody finds it any more. `purge` takes away what it leaves. */
    readonly remove: (id: TableId) => Effect.Effect<void, StorageUnavailable>
    /** Live rows of the live tables of a workspace. */
    readonly rowTotal: (workspaceId: WorkspaceId) => Effect.Effect<number, StorageUnavailable>

    /** In the order asked, rows without a value last, ties by id ascending. */
    readonly rows: (scan: RowScan) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable>
    /** How many there are, whatever the limit. */
    readonly count: (scan: RowScan) => Effect.Effect<number, StorageUnavailable>
    /** Live or trashed, in no order; unknown ids are left out. */
    readonly rowsById: (
      id: TableId,
      rowIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable>
    readonly rowsByKey: (
      id: TableId,
      externalKeys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable>
    /** Live rows that have these marks, by `markKey`. */
    readonly holders: (
      id: TableId,
      marks: ReadonlyArray<{ readonly facet: string; readonly mark: string }>
    ) => Effect.Effect<ReadonlyMap<string, RowId>, StorageUnavailable>
    /** Inserts or replaces rows with their entries. `added` is what it makes the number of live rows differ by. */
    readonly putRows: (
      id: TableId,
      rows: ReadonlyArray<StoredRow>,
      added: number
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Inserts rows by key or merges the cells into the row of that key; a row whose cells are equal already
     * is not touched, nor are held cells and rows in the trash. `ids` holds an id for each row, used if it is
     * new. Keys are unique within one call. Only for tables without facets. Returns key -> row id; keys are
     * missing that had to exist and do not, or whose row is in the trash.
     */
    readonly putFeedRows: (
      id: TableId,
      rows: ReadonlyArray<FeedRow>,
      ids: ReadonlyArray<RowId>,
      actor: ActorRef
    ) => Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
    /**
     * Locks the table and makes all of the rows, where nothing is in the way: the table is not in the trash and of the version
     * that was seen, it has none of the keys, `removeFeedRows` put no row into its trash under one of them, and with the rows
     * the workspace has no more than `limit`. Returns whether it did; otherwise nothing was made. What follows from the rows
     * alone is worked out before the table is locked. `ids` and tables as in `putFeedRows`.
     */
    readonly makeFeedRows: (
      table: Pick<Table, "id" | "workspaceId" | "version">,
      rows: ReadonlyArray<FeedRow>,
      ids: ReadonlyArray<RowId>,
      actor: ActorRef,
      limit: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /**
     * Removes live rows by key; unknown keys are no error. One with held cells goes to the trash instead, without
     * its key: what people wrote can be brought back, by a person or with the record.
     */
    readonly removeFeedRows: (id: TableId, keys: ReadonlyArray<string>) => Effect.Effect<void, StorageUnavailable>
    /** Key -> the row that `removeFeedRows` put into the trash under it last, if nobody took it out since. */
    readonly formerRows: (
      id: TableId,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Row>, StorageUnavailable>
    /**
     * Those of the keys under which some live table of the workspace has a row with held cells: a live one, or
     * one that `removeFeedRows` put into the trash.
     */
    readonly heldKeys: (
      workspaceId: WorkspaceId,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** Live rows with a key and held cells, by key: at most `limit` of those whose key comes behind `after`. */
    readonly heldRows: (
      id: TableId,
      page: { readonly after: string | undefined; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable>
    /** Takes the cells of a field out of all rows, those in the trash too. */
    readonly clearField: (id: TableId, key: string) => Effect.Effect<void, StorageUnavailable>
    /** Forgets the entries of these facets. */
    readonly dropFacets: (id: TableId, facets: ReadonlyArray<string>) => Effect.Effect<void, StorageUnavailable>
    /** Adds entries of facets for which these rows have none. */
    readonly addEntries: (
      id: TableId,
      rows: ReadonlyArray<{ readonly id: RowId; readonly entries: ReadonlyArray<LookupEntry> }>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Removes permanently tables and rows that were trashed before then and what removed tables left: at most
     * `limit` rows and as many tables. Returns how many.
     */
    readonly purge: (before: Timestamp, limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/table/TableStore") {}
