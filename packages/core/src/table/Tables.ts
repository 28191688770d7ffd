/** Tables of ours: their fields and rows (decisions 5.7). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Caller } from "../access/Caller.ts"
import type {
  Conflict,
  CursorUnusable,
  Forbidden,
  InvalidInput,
  NotFound,
  PlanLimitReached,
  PreconditionFailed,
  ServerBusy,
  Unprocessable
} from "../failure/Failure.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { Patterns } from "../pattern/Pattern.ts"
import type { Cursors } from "../cursor/Cursors.ts"
import type { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Transactor } from "../storage/Transactor.ts"
import * as FieldChanges from "./FieldChanges.ts"
import * as RowCreates from "./RowCreates.ts"
import * as RowReads from "./RowReads.ts"
import type { NewRow, RowChange, RowChangeOf, RowMode, RowOutcome, RowPage, RowQuery, RowView } from "./RowRequest.ts"
import * as RowWrites from "./RowWrites.ts"
import type { FieldId, Row, RowId, Table, TableField, TableId } from "./Table.ts"
import * as TableChanges from "./TableChanges.ts"
import type { FieldChange, NewField, NewTable, TableChange, TableList } from "./TableRequest.ts"
import { RowChecks } from "./RowChecks.ts"
import { RowCursors } from "./RowCursor.ts"
import { TableAccess } from "./TableAccess.ts"
import type { TableStore } from "./TableStore.ts"

export interface FieldView {
  readonly table: Table
  readonly field: TableField
}

/**
 * A table that the caller does not see is `NotFound`, and so is one in the trash, except to `list`,
 * `restore` and a permanent `trash`. `ifVersion` is the version that the caller has read, when it said so.
 * Every use case takes effect whole or not at all.
 */
export class Tables extends Context.Service<
  Tables,
  {
    readonly create: (
      caller: Caller,
      table: NewTable
    ) => Effect.Effect<Table, Unprocessable | Forbidden | StorageUnavailable>
    /** Oldest first. */
    readonly list: (
      caller: Caller,
      query: TableList
    ) => Effect.Effect<ReadonlyArray<Table>, Forbidden | StorageUnavailable>
    readonly get: (caller: Caller, id: TableId) => Effect.Effect<Table, NotFound | Forbidden | StorageUnavailable>
    readonly update: (
      caller: Caller,
      id: TableId,
      change: TableChange,
      ifVersion: number | undefined
    ) => Effect.Effect<Table, NotFound | Unprocessable | PreconditionFailed | Forbidden | StorageUnavailable>
    /**
     * To the trash, or permanently when `permanent`, which works from the trash alone (`INVALID_STATE`).
     * `TABLE_IN_USE` names the feeds that write to it.
     */
    readonly trash: (
      caller: Caller,
      id: TableId,
      options: { readonly permanent: boolean; readonly ifVersion: number | undefined }
    ) => Effect.Effect<void, NotFound | Conflict | PreconditionFailed | Forbidden | StorageUnavailable>
    /** Its name gets " (restored)" when a live table has it. `INVALID_STATE` when it is live. Its rows count again. */
    readonly restore: (
      caller: Caller,
      id: TableId
    ) => Effect.Effect<Table, NotFound | Conflict | PlanLimitReached | Forbidden | StorageUnavailable>
    /** `KEY_TAKEN` when the table has a field of that key. */
    readonly createField: (
      caller: Caller,
      id: TableId,
      field: NewField
    ) => Effect.Effect<FieldView, NotFound | Conflict | Unprocessable | Forbidden | StorageUnavailable>
    /**
     * A change of type, `unique` or `required` needs every live row to obey it (422). A field that a feed writes keeps
     * its type (`FIELD_IN_USE`).
     */
    readonly updateField: (
      caller: Caller,
      id: TableId,
      fieldId: FieldId,
      change: FieldChange,
      ifVersion: number | undefined
    ) => Effect.Effect<
      FieldView,
      NotFound | Conflict | Unprocessable | PreconditionFailed | Forbidden | StorageUnavailable
    >
    /** With its cells. `FIELD_IN_USE` for key fields and those that a feed writes. */
    readonly deleteField: (
      caller: Caller,
      id: TableId,
      fieldId: FieldId,
      ifVersion: number | undefined
    ) => Effect.Effect<void, NotFound | Conflict | PreconditionFailed | Forbidden | StorageUnavailable>
    /**
     * `QUERY_TOO_BROAD` where the filter would compare too much, or did for too long; `ServerBusy` where too many
     * such reads wait already.
     */
    readonly queryRows: (
      caller: Caller,
      id: TableId,
      query: RowQuery
    ) => Effect.Effect<RowPage, NotFound | Unprocessable | CursorUnusable | ServerBusy | Forbidden | StorageUnavailable>
    readonly getRow: (
      caller: Caller,
      id: TableId,
      rowId: RowId
    ) => Effect.Effect<RowView, NotFound | Forbidden | StorageUnavailable>
    /** At most 500 rows; returns in their order. `ALREADY_EXISTS` when an external key is taken on insert. */
    readonly createRows: (
      caller: Caller,
      id: TableId,
      request: { readonly rows: ReadonlyArray<NewRow>; readonly mode: RowMode }
    ) => Effect.Effect<
      ReadonlyArray<RowOutcome>,
      NotFound | InvalidInput | Unprocessable | Conflict | PlanLimitReached | Forbidden | StorageUnavailable
    >
    /** At most 500 rows, in their order. `INVALID_STATE` when a version is stale. */
    readonly updateRows: (
      caller: Caller,
      id: TableId,
      rows: ReadonlyArray<RowChangeOf>
    ) => Effect.Effect<
      { readonly table: Table; readonly rows: ReadonlyArray<Row> },
      NotFound | InvalidInput | Unprocessable | Conflict | Forbidden | StorageUnavailable
    >
    readonly updateRow: (
      caller: Caller,
      id: TableId,
      rowId: RowId,
      change: RowChange,
      ifVersion: number | undefined
    ) => Effect.Effect<
      RowView,
      NotFound | Unprocessable | Conflict | PreconditionFailed | Forbidden | StorageUnavailable
    >
    /** To the trash; at most 500. An unknown one is `NotFound`, and none is trashed. */
    readonly deleteRows: (
      caller: Caller,
      id: TableId,
      rowIds: ReadonlyArray<string>
    ) => Effect.Effect<void, NotFound | InvalidInput | Forbidden | StorageUnavailable>
    readonly deleteRow: (
      caller: Caller,
      id: TableId,
      rowId: RowId,
      ifVersion: number | undefined
    ) => Effect.Effect<void, NotFound | PreconditionFailed | Forbidden | StorageUnavailable>
    /** `INVALID_STATE` when it is live, `ALREADY_EXISTS` when a live row has what must be unique. */
    readonly restoreRow: (
      caller: Caller,
      id: TableId,
      rowId: RowId
    ) => Effect.Effect<RowView, NotFound | Conflict | PlanLimitReached | Forbidden | StorageUnavailable>
    /** Removes permanently a bounded number of what has been in the trash for 30 days; returns how many. */
    readonly purge: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/table/Tables") {
  static readonly layer: Layer.Layer<
    Tables,
    never,
    TableStore | FeedStore | Transactor | Digest | Patterns | Cursors | Ids
  > = Layer.effect(
    Tables,
    Effect.gen(function* () {
      return Tables.of({
        ...(yield* TableChanges.make),
        ...(yield* FieldChanges.make),
        ...(yield* RowReads.make),
        ...(yield* RowCreates.make),
        ...(yield* RowWrites.make)
      })
    })
  ).pipe(Layer.provide(RowCursors.layer), Layer.provide(RowChecks.layer), Layer.provide(TableAccess.layer))
}
