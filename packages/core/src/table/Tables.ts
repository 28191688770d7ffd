/** Tables of ours: their fields and rows (decisions 5.7). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { actorOf, sees, type Principal } from "../access/Principal.ts"
import {
  NotFound,
  Unprocessable,
  type Conflict,
  type CursorUnusable,
  type Detail,
  type InvalidInput,
  type PlanLimitReached,
  type PreconditionFailed
} from "../failure/Failure.ts"
import { Cursors } from "../shared/Cursors.ts"
import { Id, Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf } from "../shared/Page.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { fieldKey } from "./FieldKey.ts"
import type { NewRow, RowChange, RowChangeOf, RowMode, RowOutcome, RowPage, RowQuery, RowView } from "./RowRequest.ts"
import type { FieldId, Row, RowId, Table, TableField, TableId } from "./Table.ts"
import type { FieldChange, NewField, NewTable, TableChange, TableList } from "./TableRequest.ts"
import { TableStore } from "./TableStore.ts"

export interface FieldView {
  readonly table: Table
  readonly field: TableField
}

const RowsCursor = Schema.Struct({ after: Id("row") })

/** Keys of new fields, made from the names where none is given. */
const fieldKeys = (fields: NewTable["fields"]) => {
  const details: Array<Detail> = []
  const taken = new Set(fields.flatMap((field) => (field.key === undefined ? [] : [field.key])))
  const seen = new Set<string>()
  const keys = fields.map((field, at) => {
    const key = field.key ?? fieldKey(field.name, taken)
    if (seen.has(key)) details.push({ field: `fields[${at}].key`, message: `"${key}" is used twice` })
    seen.add(key)
    taken.add(key)
    return key
  })
  return { details, keys }
}

/**
 * A table that the principal does not see is `NotFound`, and so is one in the trash, except to `list`,
 * `restore` and a permanent `trash`. `ifVersion` is the version that the caller has read, when it said so.
 * Every use case takes effect whole or not at all.
 */
export class Tables extends Context.Service<
  Tables,
  {
    readonly create: (principal: Principal, table: NewTable) => Effect.Effect<Table, Unprocessable | StorageUnavailable>
    /** Oldest first. */
    readonly list: (principal: Principal, query: TableList) => Effect.Effect<ReadonlyArray<Table>, StorageUnavailable>
    readonly get: (principal: Principal, id: TableId) => Effect.Effect<Table, NotFound | StorageUnavailable>
    readonly update: (
      principal: Principal,
      id: TableId,
      change: TableChange,
      ifVersion: number | undefined
    ) => Effect.Effect<Table, NotFound | Unprocessable | PreconditionFailed | StorageUnavailable>
    /**
     * To the trash, or for good when `permanent`, which works from the trash alone (`INVALID_STATE`).
     * `TABLE_IN_USE` names the feeds that write to it.
     */
    readonly trash: (
      principal: Principal,
      id: TableId,
      options: { readonly permanent: boolean; readonly ifVersion: number | undefined }
    ) => Effect.Effect<void, NotFound | Conflict | PreconditionFailed | StorageUnavailable>
    /** Its name gets " (restored)" when a live table has it. `INVALID_STATE` when it is live. */
    readonly restore: (
      principal: Principal,
      id: TableId
    ) => Effect.Effect<Table, NotFound | Conflict | StorageUnavailable>
    /** `KEY_TAKEN` when the table has a field of that key. */
    readonly createField: (
      principal: Principal,
      id: TableId,
      field: NewField
    ) => Effect.Effect<FieldView, NotFound | Conflict | Unprocessable | StorageUnavailable>
    /** A change of type, `unique` or `required` needs every live row to obey it (422). */
    readonly updateField: (
      principal: Principal,
      id: TableId,
      fieldId: FieldId,
      change: FieldChange,
      ifVersion: number | undefined
    ) => Effect.Effect<FieldView, NotFound | Conflict | Unprocessable | PreconditionFailed | StorageUnavailable>
    /** With its cells. `FIELD_IN_USE` for key fields and those that a feed writes. */
    readonly deleteField: (
      principal: Principal,
      id: TableId,
      fieldId: FieldId,
      ifVersion: number | undefined
    ) => Effect.Effect<void, NotFound | Conflict | PreconditionFailed | StorageUnavailable>
    readonly queryRows: (
      principal: Principal,
      id: TableId,
      query: RowQuery
    ) => Effect.Effect<RowPage, NotFound | Unprocessable | CursorUnusable | StorageUnavailable>
    readonly getRow: (
      principal: Principal,
      id: TableId,
      rowId: RowId
    ) => Effect.Effect<RowView, NotFound | StorageUnavailable>
    /** At most 500 rows; answers in their order. `ALREADY_EXISTS` when an external key is taken on insert. */
    readonly createRows: (
      principal: Principal,
      id: TableId,
      request: { readonly rows: ReadonlyArray<NewRow>; readonly mode: RowMode }
    ) => Effect.Effect<
      ReadonlyArray<RowOutcome>,
      NotFound | InvalidInput | Unprocessable | Conflict | PlanLimitReached | StorageUnavailable
    >
    /** At most 500 rows, in their order. `INVALID_STATE` when a version is stale. */
    readonly updateRows: (
      principal: Principal,
      id: TableId,
      rows: ReadonlyArray<RowChangeOf>
    ) => Effect.Effect<
      { readonly table: Table; readonly rows: ReadonlyArray<Row> },
      NotFound | InvalidInput | Unprocessable | Conflict | StorageUnavailable
    >
    readonly updateRow: (
      principal: Principal,
      id: TableId,
      rowId: RowId,
      change: RowChange,
      ifVersion: number | undefined
    ) => Effect.Effect<RowView, NotFound | Unprocessable | Conflict | PreconditionFailed | StorageUnavailable>
    /** To the trash; at most 500. An unknown one is `NotFound`, and none is trashed. */
    readonly deleteRows: (
      principal: Principal,
      id: TableId,
      rowIds: ReadonlyArray<string>
    ) => Effect.Effect<void, NotFound | InvalidInput | StorageUnavailable>
    readonly deleteRow: (
      principal: Principal,
      id: TableId,
      rowId: RowId,
      ifVersion: number | undefined
    ) => Effect.Effect<void, NotFound | PreconditionFailed | StorageUnavailable>
    /** `INVALID_STATE` when it is live, `ALREADY_EXISTS` when a live row has what must be unique. */
    readonly restoreRow: (
      principal: Principal,
      id: TableId,
      rowId: RowId
    ) => Effect.Effect<RowView, NotFound | Conflict | PlanLimitReached | StorageUnavailable>
    /** Removes for good a bounded number of what has been in the trash for 30 days; answers how many. */
    readonly purge: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/table/Tables") {
  static readonly layer: Layer.Layer<Tables, never, TableStore | Cursors | Ids> = Layer.effect(
    Tables,
    Effect.gen(function* () {
      const store = yield* TableStore
      const cursors = yield* Cursors
      const ids = yield* Ids

      const load = Effect.fn("Tables.get")(function* (principal: Principal, id: TableId) {
        const table = yield* store.get(principal.workspace.id, id)
        if (Option.isNone(table) || !sees(principal, table.value.createdBy)) {
          return yield* new NotFound({ resource: "Table" })
        }
        return table.value
      })

      const create: Tables["Service"]["create"] = Effect.fn("Tables.create")(function* (principal, request) {
        const { details, keys } = fieldKeys(request.fields)
        if (request.fields.length > limits.tableFields) {
          details.push({ field: "fields", message: `has more than ${limits.tableFields} fields` })
        }
        if (details.length > 0) {
          return yield* new Unprocessable({ code: "VALIDATION_FAILED", message: "Validation failed", details })
        }
        const now = yield* Timestamp.now
        const fieldIds = yield* ids.batch("field", request.fields.length)
        const { fields, folderId: _, ...rest } = request
        const table: Table = {
          ...rest,
          id: yield* ids.next("table"),
          workspaceId: principal.workspace.id,
          fields: fields.flatMap((field, position) =>
            field.type === "file"
              ? []
              : {
                  id: fieldIds[position]!,
                  key: keys[position]!,
                  name: field.name,
                  type: field.type,
                  required: false,
                  unique: false,
                  indexed: false,
                  origin: "user",
                  position
                }
          ),
          keyFields: [],
          rowCount: 0,
          createdBy: actorOf(principal),
          version: 1,
          createdAt: now,
          updatedAt: now
        }
        yield* store.insert(table)
        return table
      })

      const queryRows: Tables["Service"]["queryRows"] = Effect.fn("Tables.queryRows")(function* (principal, id, query) {
        const table = yield* load(principal, id)
        const bound = `${principal.workspace.id}/rows/${id}`
        const start = query.cursor === undefined ? undefined : yield* cursors.decode(bound, RowsCursor, query.cursor)
        const limit = sizeOf(limits.page, query.limit)
        const found = yield* store.rows(id, { limit: limit + 1, ...(start === undefined ? {} : start) })
        const rows = found.slice(0, limit)
        if (found.length <= limit) return { table, rows, hasMore: false }
        const cursor = yield* cursors.encode(bound, "page", { after: rows[rows.length - 1]!.id })
        return { table, rows, hasMore: true, cursor }
      })
      const pending = () => Effect.die("follows with the stores")

      return Tables.of({
        create,
        list: Effect.fn("Tables.list")(function* (principal) {
          return (yield* store.list(principal.workspace.id)).filter((table) => sees(principal, table.createdBy))
        }),
        get: load,
        update: pending,
        trash: pending,
        restore: pending,
        createField: pending,
        updateField: pending,
        deleteField: pending,
        queryRows,
        getRow: Effect.fn("Tables.getRow")(function* (principal, id, rowId) {
          const table = yield* load(principal, id)
          const row = yield* store.row(id, rowId)
          if (Option.isNone(row)) return yield* new NotFound({ resource: "Row" })
          return { table, row: row.value }
        }),
        createRows: pending,
        updateRows: pending,
        updateRow: pending,
        deleteRows: pending,
        deleteRow: pending,
        restoreRow: pending,
        purge: pending()
      })
    })
  )
}
