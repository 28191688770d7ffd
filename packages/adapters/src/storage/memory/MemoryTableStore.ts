/** Tables and rows in memory. */
import type { ActorRef } from "@millrace/core/access/ActorRef"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import type { Row, Table, TableId } from "@millrace/core/table/Table"
import { TableStore, type FeedRow } from "@millrace/core/table/TableStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen, frozenFields } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending, byAge, firstIndex } from "./Order.ts"

interface TableRows {
  readonly rows: Map<Row["id"], Row>
  readonly byKey: Map<string, Row["id"]>
  /** All ids ascending, until a row comes or goes. */
  order: ReadonlyArray<Row["id"]> | undefined
}

/** Whether the row has all these cells with just these values already. */
const holds = ({ values }: Row, cells: FeedRow["values"]): boolean =>
  Object.entries(cells).every(([key, value]) => Object.hasOwn(values, key) && values[key] === value)

const made = (
  id: Row["id"],
  tableId: TableId,
  { key, values }: FeedRow,
  actor: ActorRef,
  at: Timestamp.Timestamp
): Row =>
  Object.freeze({
    id,
    tableId,
    values: frozenFields(values),
    externalKey: key,
    held: [],
    createdBy: actor,
    updatedBy: actor,
    version: 1,
    createdAt: at,
    updatedAt: at
  })

export const layer: Layer.Layer<TableStore, never, Memory> = Layer.effect(
  TableStore,
  Effect.gen(function* () {
    const { call, set, remove, journal } = yield* Memory
    const tables = new Map<TableId, Table>()
    const contents = new Map<TableId, TableRows>()

    const rowsOf = (id: TableId): TableRows => {
      let rows = contents.get(id)
      if (rows === undefined) contents.set(id, (rows = { rows: new Map(), byKey: new Map(), order: undefined }))
      return rows
    }
    const counted = (table: Table): Table => ({ ...table, rowCount: rowsOf(table.id).rows.size })

    const reorder = (table: TableRows): void => {
      table.order = undefined
      journal(() => {
        table.order = undefined
      })
    }

    return TableStore.of({
      insert: (table) => call(() => set(tables, table.id, frozen(table))),
      get: (workspaceId, id) =>
        call(() =>
          Option.fromUndefinedOr(tables.get(id)).pipe(
            Option.filter((table) => table.workspaceId === workspaceId),
            Option.map(counted)
          )
        ),
      list: (workspaceId) =>
        call(() =>
          [...tables.values()]
            .filter((table) => table.workspaceId === workspaceId)
            .toSorted(byAge)
            .map(counted)
        ),
      addFields: (id, fields) =>
        call((now) => {
          const table = tables.get(id)
          if (table === undefined) return
          const added = fields.filter(({ key }) => !table.fields.some((field) => field.key === key))
          if (added.length === 0) return
          const updatedAt = Timestamp.fromMillis(now)
          set(
            tables,
            id,
            frozen({ ...table, fields: [...table.fields, ...added], version: table.version + 1, updatedAt })
          )
        }),
      rows: (id, { limit, after }) =>
        call(() => {
          const table = rowsOf(id)
          table.order ??= [...table.rows.keys()].toSorted(ascending)
          const start = after === undefined ? 0 : firstIndex(table.order, (rowId) => rowId > after)
          return table.order.slice(start, start + limit).map((rowId) => table.rows.get(rowId)!)
        }),
      row: (id, rowId) => call(() => Option.fromUndefinedOr(rowsOf(id).rows.get(rowId))),
      putFeedRows: (id, given, ids, actor) =>
        call((now) => {
          const table = rowsOf(id)
          const at = Timestamp.fromMillis(now)
          const by = frozen(actor)
          const answer = new Map<string, string>()
          let added = false
          for (const [i, feedRow] of given.entries()) {
            const heldId = table.byKey.get(feedRow.key)
            if (heldId === undefined) {
              if (feedRow.mustExist) continue
              const rowId = ids[i]!
              set(table.rows, rowId, made(rowId, id, feedRow, by, at))
              set(table.byKey, feedRow.key, rowId)
              answer.set(feedRow.key, rowId)
              added = true
              continue
            }
            answer.set(feedRow.key, heldId)
            const held = table.rows.get(heldId)!
            if (holds(held, feedRow.values)) continue
            const values = Object.freeze({ ...held.values, ...feedRow.values })
            set(
              table.rows,
              heldId,
              Object.freeze({ ...held, values, updatedBy: by, version: held.version + 1, updatedAt: at })
            )
          }
          if (added) reorder(table)
          return answer
        }),
      removeFeedRows: (id, keys) =>
        call(() => {
          const table = rowsOf(id)
          for (const key of keys) {
            const rowId = table.byKey.get(key)
            if (rowId === undefined) continue
            remove(table.rows, rowId)
            remove(table.byKey, key)
          }
          reorder(table)
        })
    })
  })
)
