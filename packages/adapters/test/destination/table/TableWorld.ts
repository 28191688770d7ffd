/** A table in a store that keeps the promises of the port, and a feed that writes into it. */
import type { ActorRef } from "@millrace/core/access/ActorRef"
import type { Feed } from "@millrace/core/feed/Feed"
import type { Fields } from "@millrace/core/record/FieldValue"
import { Ids } from "@millrace/core/shared/Ids"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import type { Row, Table, TableId } from "@millrace/core/table/Table"
import { TableStore } from "@millrace/core/table/TableStore"
import { makeFeed } from "@millrace/testing/fixture/Feed"
import { makeTable } from "@millrace/testing/fixture/Table"
import { makeWorkspace } from "@millrace/testing/fixture/Workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TableDestination from "../../../src/destination/table/TableDestination.ts"

const storeLayer = Layer.sync(TableStore, () => {
  const tables = new Map<TableId, Table>()
  const rows = new Map<TableId, Array<Row>>()
  const rowsOf = (id: TableId) => rows.get(id) ?? []
  return TableStore.of({
    insert: (table) => Effect.sync(() => void tables.set(table.id, table)),
    get: (workspaceId, id) =>
      Effect.sync(() =>
        Option.filter(Option.fromNullishOr(tables.get(id)), (table) => table.workspaceId === workspaceId)
      ),
    list: (workspaceId) => Effect.sync(() => [...tables.values()].filter((table) => table.workspaceId === workspaceId)),
    addFields: (id, fields) =>
      Effect.sync(() => {
        const table = tables.get(id)!
        const keys = new Set(table.fields.map((field) => field.key))
        tables.set(id, { ...table, fields: [...table.fields, ...fields.filter((field) => !keys.has(field.key))] })
      }),
    rows: (id, { limit }) => Effect.sync(() => rowsOf(id).slice(0, limit)),
    row: (id, rowId) => Effect.sync(() => Option.fromNullishOr(rowsOf(id).find((row) => row.id === rowId))),
    putFeedRows: Effect.fnUntraced(function* (id, feedRows, ids, actor) {
      const now = yield* Timestamp.now
      const stored = [...rowsOf(id)]
      const written = new Map<string, string>()
      for (const [i, { key, values, mustExist }] of feedRows.entries()) {
        const at = stored.findIndex((row) => row.externalKey === key)
        if (at < 0 && mustExist) continue
        const before = stored[at]
        const made: Row =
          before === undefined
            ? {
                id: ids[i]!,
                tableId: id,
                values,
                externalKey: key,
                createdBy: actor,
                updatedBy: actor,
                version: 1,
                createdAt: now,
                updatedAt: now
              }
            : { ...before, values: { ...before.values, ...values }, updatedBy: actor, version: before.version + 1 }
        if (at < 0) stored.push(made)
        else stored[at] = made
        written.set(key, made.id)
      }
      rows.set(id, stored)
      return written
    }),
    removeFeedRows: (id, keys) =>
      Effect.sync(() => {
        const gone = new Set(keys)
        rows.set(
          id,
          rowsOf(id).filter((row) => row.externalKey === undefined || !gone.has(row.externalKey))
        )
      })
  })
})

const person: ActorRef = { kind: "user", userId: "usr_00000000000000000000000001" }

interface Change {
  readonly table?: Partial<Table>
  readonly feed?: Partial<Feed>
}

const arrangeIn = Effect.fnUntraced(function* (change?: Change) {
  const store = yield* TableStore
  const workspace = yield* makeWorkspace()
  const made = yield* makeTable(workspace, { fields: [], ...change?.table })
  yield* store.insert(made)
  const config: TableDestination.TableConfig = { type: "table", tableId: made.id }
  const rowIds = yield* Ids
  return {
    store,
    config,
    driver: yield* TableDestination.make,
    feed: yield* makeFeed(workspace, { destinationConfig: config, mappingsDefaulted: true, ...change?.feed }),
    table: Effect.map(store.get(workspace.id, made.id), Option.getOrThrow),
    rows: store.rows(made.id, { limit: 10_000 }),
    /** A person changes cells of a row. */
    writeAsPerson: Effect.fnUntraced(function* (key: string, values: Fields) {
      yield* store.putFeedRows(made.id, [{ key, values, mustExist: true }], yield* rowIds.batch("row", 1), person)
    }),
    deleteAsPerson: (key: string) => store.removeFeedRows(made.id, [key])
  }
})

/** `table` changes the table, which has no fields; `feed` changes the feed, whose mappings are the defaults. */
export const arrange = (change?: Change) =>
  Effect.provide(arrangeIn(change), Layer.merge(Layer.fresh(storeLayer), Ids.layer))
