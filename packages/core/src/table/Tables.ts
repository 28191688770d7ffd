/** Tables of ours: making them and reading their rows (decisions 5.7). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { actorOf, type Principal } from "../access/Principal.ts"
import { NotFound, Unprocessable, type CursorUnusable, type Detail } from "../failure/Failure.ts"
import { Cursors } from "../shared/Cursors.ts"
import { Id, Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf, type Page, type PageRequest } from "../shared/Page.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { fieldKey } from "./FieldKey.ts"
import type { Row, Table, TableField, TableId } from "./Table.ts"
import { TableStore } from "./TableStore.ts"

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

export interface NewTable {
  readonly name: string
  readonly icon?: string
  readonly description?: string
  readonly fields: ReadonlyArray<{
    /** Made from the name when absent. */
    readonly key?: string
    readonly name: string
    readonly type: TableField["type"]
  }>
}

export class Tables extends Context.Service<
  Tables,
  {
    readonly create: (principal: Principal, table: NewTable) => Effect.Effect<Table, Unprocessable | StorageUnavailable>
    readonly list: (workspace: Workspace) => Effect.Effect<ReadonlyArray<Table>, StorageUnavailable>
    readonly get: (workspace: Workspace, id: TableId) => Effect.Effect<Table, NotFound | StorageUnavailable>
    /** Oldest first. */
    readonly rows: (
      workspace: Workspace,
      id: TableId,
      query: PageRequest
    ) => Effect.Effect<Page<Row>, NotFound | CursorUnusable | StorageUnavailable>
    readonly row: (
      workspace: Workspace,
      id: TableId,
      rowId: Row["id"]
    ) => Effect.Effect<Row, NotFound | StorageUnavailable>
  }
>()("@millrace/core/table/Tables") {
  static readonly layer: Layer.Layer<Tables, never, TableStore | Cursors | Ids> = Layer.effect(
    Tables,
    Effect.gen(function* () {
      const store = yield* TableStore
      const cursors = yield* Cursors
      const ids = yield* Ids

      const load = Effect.fn("Tables.get")(function* (workspace: Workspace, id: TableId) {
        const table = yield* store.get(workspace.id, id)
        if (Option.isNone(table)) return yield* new NotFound({ resource: "Table" })
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
        const { fields, ...rest } = request
        const table: Table = {
          ...rest,
          id: yield* ids.next("table"),
          workspaceId: principal.workspace.id,
          fields: fields.map((field, position) => ({
            id: fieldIds[position]!,
            key: keys[position]!,
            name: field.name,
            type: field.type,
            origin: "user",
            position
          })),
          rowCount: 0,
          createdBy: actorOf(principal),
          version: 1,
          createdAt: now,
          updatedAt: now
        }
        yield* store.insert(table)
        return table
      })

      const rows: Tables["Service"]["rows"] = Effect.fn("Tables.rows")(function* (workspace, id, query) {
        yield* load(workspace, id)
        const bound = `${workspace.id}/rows/${id}`
        const start = query.cursor === undefined ? undefined : yield* cursors.decode(bound, RowsCursor, query.cursor)
        const limit = sizeOf(limits.page, query.limit)
        const found = yield* store.rows(id, { limit: limit + 1, ...(start === undefined ? {} : start) })
        const page = found.slice(0, limit)
        if (found.length <= limit) return { rows: page, hasMore: false }
        const cursor = yield* cursors.encode(bound, "page", { after: page[page.length - 1]!.id })
        return { rows: page, hasMore: true, cursor }
      })

      return Tables.of({
        create,
        list: Effect.fn("Tables.list")((workspace) => store.list(workspace.id)),
        get: load,
        rows,
        row: Effect.fn("Tables.row")(function* (workspace, id, rowId) {
          yield* load(workspace, id)
          const row = yield* store.row(id, rowId)
          if (Option.isNone(row)) return yield* new NotFound({ resource: "Row" })
          return row.value
        })
      })
    })
  )
}
