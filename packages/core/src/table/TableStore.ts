/** Port: tables and their rows. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Row, Table, TableField, TableId } from "./Table.ts"

export interface FeedRow {
  readonly key: string
  /** Only these cells are written; cells of people stay as they are. */
  readonly values: Fields
  /** The row must exist already: one that a person deleted is not made again. */
  readonly mustExist: boolean
}

export class TableStore extends Context.Service<
  TableStore,
  {
    readonly insert: (table: Table) => Effect.Effect<void, StorageUnavailable>
    readonly get: (workspaceId: WorkspaceId, id: TableId) => Effect.Effect<Option.Option<Table>, StorageUnavailable>
    /** Oldest first. */
    readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Table>, StorageUnavailable>
    /** Appends fields; one whose key the table has already is left out. Version + 1 if any came. */
    readonly addFields: (id: TableId, fields: ReadonlyArray<TableField>) => Effect.Effect<void, StorageUnavailable>
    /** Oldest first. `after` is the last id of the page before. */
    readonly rows: (
      id: TableId,
      query: { readonly limit: number; readonly after?: Row["id"] }
    ) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable>
    readonly row: (id: TableId, rowId: Row["id"]) => Effect.Effect<Option.Option<Row>, StorageUnavailable>
    /**
     * Inserts rows by key or merges the cells into the row of that key; a row whose cells are equal already
     * is not touched. `ids` holds an id for each row, used if it is new. Keys are unique within one call.
     * Answers key -> row id; keys are missing that had to exist and do not.
     */
    readonly putFeedRows: (
      id: TableId,
      rows: ReadonlyArray<FeedRow>,
      ids: ReadonlyArray<Row["id"]>,
      actor: ActorRef
    ) => Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
    /** Removes rows by key; unknown keys are no error. */
    readonly removeFeedRows: (id: TableId, keys: ReadonlyArray<string>) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/table/TableStore") {}
