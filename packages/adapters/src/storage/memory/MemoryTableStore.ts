/** Tables and rows in memory. */
import type { ActorRef } from "@millrace/core/access"
import { Timestamp } from "@millrace/core"
import type { LookupEntry, Row, RowId, Table, TableId } from "@millrace/core/table"
import { type FeedRow, markKey, TableStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { scanned, type KeptRows } from "./MemoryRowScan.ts"
import { Memory } from "./MemoryTransactor.ts"
import { byAge } from "./Order.ts"

interface TableRows extends KeptRows {
  readonly byKey: Map<string, RowId>
  /** Key -> rows that went to the trash with the record of that key, the last one at the end. */
  readonly former: Map<string, ReadonlyArray<RowId>>
  /** Live rows that have an exclusive mark. */
  readonly marks: Map<string, RowId>
  readonly entries: Map<RowId, ReadonlyArray<LookupEntry>>
}

/** Whether the row has all these cells with just these values already. */
const holds = ({ values }: Row, cells: FeedRow["values"]): boolean =>
  Object.entries(cells).every(([key, value]) => Object.hasOwn(values, key) && values[key] === value)

const withoutHeld = ({ held }: Row, cells: FeedRow["values"]): FeedRow["values"] =>
  held.length === 0 ? cells : Object.fromEntries(Object.entries(cells).filter(([key]) => !held.includes(key)))

const made = (id: RowId, tableId: TableId, { key, values }: FeedRow, actor: ActorRef, at: Timestamp.Timestamp): Row =>
  Object.freeze({
    id,
    tableId,
    values: Object.freeze({ ...values }),
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
    const counts = new Map<TableId, number>()

    const rowsOf = (id: TableId): TableRows => {
      let rows = contents.get(id)
      if (rows === undefined) {
        rows = {
          rows: new Map(),
          byKey: new Map(),
          former: new Map(),
          marks: new Map(),
          entries: new Map(),
          order: undefined
        }
        contents.set(id, rows)
      }
      return rows
    }
    const counted = (table: Table): Table => ({ ...table, rowCount: counts.get(table.id) ?? 0 })
    const count = (id: TableId, added: number): void => {
      if (added !== 0) set(counts, id, (counts.get(id) ?? 0) + added)
    }

    const reorder = (table: TableRows): void => {
      table.order = undefined
      journal(() => {
        table.order = undefined
      })
    }

    const forget = (table: TableRows, id: RowId): void => {
      for (const { facet, mark } of table.entries.get(id) ?? [])
        if (mark !== undefined) remove(table.marks, markKey(facet, mark))
      remove(table.entries, id)
    }
    const remember = (table: TableRows, id: RowId, entries: ReadonlyArray<LookupEntry>): void => {
      for (const { facet, mark } of entries) if (mark !== undefined) set(table.marks, markKey(facet, mark), id)
      set(table.entries, id, [...(table.entries.get(id) ?? []), ...entries])
    }
    /** The row that went to the trash under the key last, and is there still. */
    const formerRow = (table: TableRows, key: string): Row | undefined => {
      const trashed = (table.former.get(key) ?? []).flatMap((id) => table.rows.get(id) ?? [])
      return trashed.findLast(({ trashedAt }) => trashedAt !== undefined)
    }
    /** A row that somebody took out of the trash has nothing to do with its old key any more. */
    const takeOut = (table: TableRows, rowId: RowId): void => {
      for (const [key, ids] of Array.from(table.former)) {
        if (ids.includes(rowId))
          set(
            table.former,
            key,
            ids.filter((id) => id !== rowId)
          )
      }
    }
    const discard = (table: TableRows, row: Row): void => {
      forget(table, row.id)
      remove(table.rows, row.id)
      if (row.externalKey !== undefined) remove(table.byKey, row.externalKey)
    }

    const totalOf = (workspaceId: Table["workspaceId"]): number => {
      let total = 0
      for (const table of tables.values())
        if (table.workspaceId === workspaceId && table.trashedAt === undefined) total += counted(table).rowCount
      return total
    }

    const get: TableStore["Service"]["get"] = (workspaceId, id) =>
      call(() =>
        Option.fromUndefinedOr(tables.get(id)).pipe(
          Option.filter((table) => table.workspaceId === workspaceId),
          Option.map(counted)
        )
      )

    return TableStore.of({
      insert: (table) => call(() => set(tables, table.id, frozen(table))),
      get,
      // A transaction has the whole memory to itself.
      lock: get,
      list: (workspaceIds) =>
        call(() =>
          [...tables.values()]
            .filter((table) => workspaceIds.includes(table.workspaceId))
            .toSorted(byAge)
            .map(counted)
        ),
      update: (table) =>
        call(() => {
          if (tables.get(table.id)?.version !== table.version - 1) return false
          set(tables, table.id, frozen(table))
          return true
        }),
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
      remove: (id) =>
        call(() => {
          remove(tables, id)
          remove(contents, id)
          remove(counts, id)
        }),
      rowTotal: (workspaceId) => call(() => totalOf(workspaceId)),
      rows: (scan) => call(() => scanned(scan, rowsOf)),
      count: (scan) => call(() => scanned({ ...scan, sort: [], limit: Number.MAX_SAFE_INTEGER }, rowsOf).length),
      rowsById: (id, rowIds) =>
        call(() => [...new Set(rowIds)].flatMap((rowId) => rowsOf(id).rows.get(rowId as RowId) ?? [])),
      rowsByKey: (id, keys) =>
        call(() => {
          const { byKey, rows } = rowsOf(id)
          return [...new Set(keys)].flatMap((key) => {
            const rowId = byKey.get(key)
            return rowId === undefined ? [] : (rows.get(rowId) ?? [])
          })
        }),
      holders: (id, marks) =>
        call(() => {
          const table = rowsOf(id)
          const found = new Map<string, RowId>()
          for (const { facet, mark } of marks) {
            const holder = table.marks.get(markKey(facet, mark))
            if (holder !== undefined) found.set(markKey(facet, mark), holder)
          }
          return found
        }),
      putRows: (id, rows, added) =>
        call(() => {
          const table = rowsOf(id)
          let inserted = false
          for (const { row } of rows) forget(table, row.id)
          for (const { entries, row } of rows) {
            const before = table.rows.get(row.id)
            if (before === undefined) inserted = true
            else if (before.trashedAt !== undefined && row.trashedAt === undefined) takeOut(table, row.id)
            set(table.rows, row.id, frozen(row))
            if (row.externalKey !== undefined) set(table.byKey, row.externalKey, row.id)
            remember(table, row.id, entries)
          }
          count(id, added)
          if (inserted) reorder(table)
        }),
      putFeedRows: (id, given, ids, actor) =>
        call((now) => {
          const table = rowsOf(id)
          const at = Timestamp.fromMillis(now)
          const by = frozen(actor)
          const answer = new Map<string, string>()
          let added = 0
          for (const [i, feedRow] of given.entries()) {
            const heldId = table.byKey.get(feedRow.key)
            if (heldId === undefined) {
              if (feedRow.mustExist) continue
              const rowId = ids[i]!
              set(table.rows, rowId, made(rowId, id, feedRow, by, at))
              set(table.byKey, feedRow.key, rowId)
              answer.set(feedRow.key, rowId)
              added++
              continue
            }
            const kept = table.rows.get(heldId)!
            if (kept.trashedAt !== undefined) continue
            answer.set(feedRow.key, heldId)
            const cells = withoutHeld(kept, feedRow.values)
            if (holds(kept, cells)) continue
            const values = Object.freeze({ ...kept.values, ...cells })
            set(
              table.rows,
              heldId,
              Object.freeze({ ...kept, values, updatedBy: by, version: kept.version + 1, updatedAt: at })
            )
          }
          count(id, added)
          if (added > 0) reorder(table)
          return answer
        }),
      makeFeedRows: ({ id, version, workspaceId }, given, ids, actor, limit) =>
        call((now) => {
          const seen = tables.get(id)
          if (seen?.workspaceId !== workspaceId || seen.version !== version || seen.trashedAt !== undefined)
            return false
          const table = rowsOf(id)
          if (given.some(({ key }) => table.byKey.has(key) || formerRow(table, key) !== undefined)) return false
          if (totalOf(workspaceId) + given.length > limit) return false
          const at = Timestamp.fromMillis(now)
          const by = frozen(actor)
          for (const [i, feedRow] of given.entries()) {
            set(table.rows, ids[i]!, made(ids[i]!, id, feedRow, by, at))
            set(table.byKey, feedRow.key, ids[i]!)
          }
          count(id, given.length)
          reorder(table)
          return true
        }),
      removeFeedRows: (id, keys) =>
        call((now) => {
          const table = rowsOf(id)
          const at = Timestamp.fromMillis(now)
          let removed = 0
          for (const key of keys) {
            const rowId = table.byKey.get(key)
            const row = rowId === undefined ? undefined : table.rows.get(rowId)
            if (row === undefined || row.trashedAt !== undefined) continue
            discard(table, row)
            removed++
            if (row.held.length === 0) continue
            const { externalKey: _, ...rest } = row
            set(table.rows, row.id, frozen({ ...rest, version: row.version + 1, updatedAt: at, trashedAt: at }))
            set(table.former, key, [...(table.former.get(key) ?? []), row.id])
          }
          count(id, -removed)
          if (removed > 0) reorder(table)
        }),
      formerRows: (id, keys) =>
        call(() => {
          const table = rowsOf(id)
          const found = new Map<string, Row>()
          for (const key of keys) {
            const row = formerRow(table, key)
            if (row !== undefined) found.set(key, row)
          }
          return found
        }),
      heldKeys: (workspaceId, keys) =>
        call(() => {
          const found = new Set<string>()
          for (const table of tables.values()) {
            if (table.workspaceId !== workspaceId || table.trashedAt !== undefined) continue
            const rows = rowsOf(table.id)
            for (const key of keys) {
              const rowId = rows.byKey.get(key)
              const live = rowId === undefined ? undefined : rows.rows.get(rowId)
              const isLive = live !== undefined && live.trashedAt === undefined
              const row = isLive ? live : formerRow(rows, key)
              if (row !== undefined && row.held.length > 0) found.add(key)
            }
          }
          return found
        }),
      heldRows: (id, { after = "", limit }) =>
        call(() =>
          [...rowsOf(id).rows.values()]
            .filter(
              ({ externalKey, held, trashedAt }) =>
                externalKey !== undefined && externalKey > after && trashedAt === undefined && held.length > 0
            )
            .toSorted((a, b) => (a.externalKey! < b.externalKey! ? -1 : 1))
            .slice(0, limit)
        ),
      clearField: (id, key) =>
        call(() => {
          const table = rowsOf(id)
          for (const row of table.rows.values()) {
            const { [key]: cell, ...values } = row.values
            if (cell === undefined && !row.held.includes(key)) continue
            set(table.rows, row.id, frozen({ ...row, values, held: row.held.filter((held) => held !== key) }))
          }
        }),
      dropFacets: (id, facets) =>
        call(() => {
          const table = rowsOf(id)
          for (const [rowId, entries] of Array.from(table.entries)) {
            const kept = entries.filter(({ facet }) => !facets.includes(facet))
            if (kept.length === entries.length) continue
            forget(table, rowId)
            remember(table, rowId, kept)
          }
        }),
      addEntries: (id, rows) =>
        call(() => {
          for (const { entries, id: rowId } of rows) remember(rowsOf(id), rowId, entries)
        }),
      purge: (before, limit) =>
        call(() => {
          let done = 0
          for (const table of tables.values()) {
            if (table.trashedAt !== undefined && table.trashedAt < before && done < limit) {
              remove(tables, table.id)
              remove(contents, table.id)
              remove(counts, table.id)
              done++
            }
          }
          for (const table of contents.values()) {
            const gone = [...table.rows.values()].filter((row) => row.trashedAt !== undefined && row.trashedAt < before)
            for (const row of gone.slice(0, limit - done)) {
              discard(table, row)
              done++
            }
            if (gone.length > 0) reorder(table)
          }
          return done
        })
    })
  })
)
