/** Conformance of `TableStore`: the trash, and what is taken out of it permanently. */
import { Ids, Timestamp } from "@millrace/core"
import { markKey, TableStore, Transactor } from "@millrace/core/storage"
import { type StoredRow, type Table, wholeScan } from "@millrace/core/table"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storeTable } from "../fixture/Table.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const now = Timestamp.make("2020-05-05T10:00:00.000Z")
const long = Timestamp.make("2020-01-01T00:00:00.000Z")
const between = Timestamp.make("2020-02-01T00:00:00.000Z")
const lately = Timestamp.make("2020-03-01T00:00:00.000Z")

const stored = Effect.fnUntraced(function* (
  table: Table,
  text: string,
  trashedAt?: Timestamp.Timestamp,
  mark: string | undefined = text
) {
  const row: StoredRow = {
    row: {
      id: yield* (yield* Ids).next("row"),
      tableId: table.id,
      values: { text, list: ["a", "b"], none: null, yes: true },
      externalKey: text,
      held: ["text"],
      createdBy: { kind: "user", userId: "usr_1" },
      updatedBy: { kind: "user", userId: "usr_2" },
      version: 3,
      createdAt: now,
      updatedAt: now,
      ...(trashedAt === undefined ? {} : { trashedAt })
    },
    folded: {},
    entries: trashedAt === undefined && mark !== undefined ? [{ facet: "fld", text, mark }] : []
  }
  return row
})

export const tests: StorageTests = (it) => {
  it.effect("hands back rows as they were put, live and trashed", () =>
    Effect.gen(function* () {
      const store = yield* TableStore
      const table = yield* storeTable(yield* storeWorkspace())
      const [live, trashed] = [yield* stored(table, "live"), yield* stored(table, "gone", lately)]
      yield* store.putRows(table.id, [live, trashed], 1)
      expect(yield* store.rows(wholeScan(table.id))).toEqual([live.row])
      expect(yield* store.rows(wholeScan(table.id, { state: "trashed" }))).toEqual([trashed.row])
      expect(yield* store.rows(wholeScan(table.id, { state: "any" }))).toEqual([live.row, trashed.row])
      expect(yield* store.count(wholeScan(table.id, { state: "any" }))).toBe(2)
      expect(yield* store.rowsByKey(table.id, ["gone", "unknown"])).toEqual([trashed.row])
      expect(Option.getOrThrow(yield* store.get(table.workspaceId, table.id)).rowCount).toBe(1)
      expect(yield* store.rowTotal(table.workspaceId)).toBe(1)
    })
  )

  it.effect("forgets the marks of rows that change or go, and takes all back when the transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* TableStore
      const { atomically } = yield* Transactor
      const table = yield* storeTable(yield* storeWorkspace())
      const one = yield* stored(table, "one")
      yield* store.putRows(table.id, [one], 1)
      const marks = ["one", "two"].map((mark) => ({ facet: "fld", mark }))
      const first = new Map([[markKey("fld", "one"), one.row.id]])
      expect(yield* store.holders(table.id, marks)).toEqual(first)
      const renamed: StoredRow = { ...one, entries: [{ facet: "fld", text: "two", mark: "two" }] }
      const failed = Effect.andThen(store.putRows(table.id, [renamed], 5), Effect.fail("no"))
      expect(yield* Effect.flip(atomically(failed))).toBe("no")
      expect(yield* store.holders(table.id, marks)).toEqual(first)
      expect(yield* store.rowTotal(table.workspaceId)).toBe(1)
      yield* store.putRows(table.id, [renamed], 0)
      expect(yield* store.holders(table.id, marks)).toEqual(new Map([[markKey("fld", "two"), one.row.id]]))
      yield* store.removeFeedRows(table.id, ["one"])
      expect(yield* store.holders(table.id, marks)).toEqual(new Map())
    })
  )

  it.effect("keeps a row that a feed removes in the trash, without its key, when people wrote into it", () =>
    Effect.gen(function* () {
      const store = yield* TableStore
      const table = yield* storeTable(yield* storeWorkspace())
      const edited = yield* stored(table, "one")
      const two = yield* stored(table, "two")
      yield* store.putRows(table.id, [edited, { ...two, row: { ...two.row, held: [] } }], 2)
      yield* store.removeFeedRows(table.id, ["one", "two"])
      expect(yield* store.rowTotal(table.workspaceId)).toBe(0)
      const found = yield* store.rowsById(table.id, [edited.row.id, two.row.id])
      expect(found).toHaveLength(1)
      const { externalKey: _, ...row } = edited.row
      expect(found[0]).toMatchObject({
        ...row,
        version: 4,
        updatedAt: found[0]!.trashedAt,
        trashedAt: expect.any(String)
      })
      expect(found[0]!.externalKey).toBeUndefined()
      expect(yield* store.rowsByKey(table.id, ["one", "two"])).toEqual([])
      expect(yield* store.holders(table.id, [{ facet: "fld", mark: "one" }])).toEqual(new Map())
    })
  )

  it.effect("knows under which key a feed removed a row, until somebody takes it out of the trash", () =>
    Effect.gen(function* () {
      const store = yield* TableStore
      const table = yield* storeTable(yield* storeWorkspace())
      const first = yield* stored(table, "one")
      yield* store.putRows(table.id, [first], 1)
      expect(yield* store.formerRows(table.id, ["one"])).toEqual(new Map())
      yield* store.removeFeedRows(table.id, ["one"])
      const second = yield* stored(table, "one")
      yield* store.putRows(table.id, [second], 1)
      yield* store.removeFeedRows(table.id, ["one"])
      const former = yield* store.formerRows(table.id, ["one", "two"])
      expect([...former].map(([key, { id }]) => [key, id])).toEqual([["one", second.row.id]])
      expect(yield* store.formerRows(table.id, [])).toEqual(new Map())
      yield* store.putRows(table.id, [{ ...second, row: { ...former.get("one")!, version: 5 } }], 0)
      expect((yield* store.formerRows(table.id, ["one"])).get("one")!.id).toBe(second.row.id)
      // A person brings it back, and deletes it.
      yield* store.putRows(table.id, [second], 1)
      expect((yield* store.formerRows(table.id, ["one"])).get("one")!.id).toBe(first.row.id)
      yield* store.putRows(table.id, [{ ...second, row: { ...second.row, trashedAt: lately }, entries: [] }], -1)
      expect((yield* store.formerRows(table.id, ["one"])).get("one")!.id).toBe(first.row.id)
    })
  )

  it.effect("tells the keys under which people wrote into rows, in any live table of the workspace", () =>
    Effect.gen(function* () {
      const store = yield* TableStore
      const workspace = yield* storeWorkspace()
      const [table, other] = [yield* storeTable(workspace), yield* storeTable(workspace)]
      const elsewhere = yield* storeTable(yield* storeWorkspace())
      const [one, two, three, four, five] = [
        yield* stored(table, "one"),
        yield* stored(table, "two"),
        yield* stored(other, "three"),
        yield* stored(table, "four", lately),
        yield* stored(elsewhere, "five")
      ]
      yield* store.putRows(table.id, [one, { ...two, row: { ...two.row, held: [] } }, four], 2)
      yield* store.putRows(other.id, [three], 1)
      yield* store.putRows(elsewhere.id, [five], 1)
      yield* store.removeFeedRows(other.id, ["three"])
      const asked = ["one", "two", "three", "four", "five", "nobody"]
      expect(yield* store.heldKeys(workspace.id, asked)).toEqual(new Set(["one", "three"]))
      expect(yield* store.heldKeys(workspace.id, [])).toEqual(new Set())
      const keysOf = (after: string | undefined, limit: number) =>
        Effect.map(store.heldRows(table.id, { after, limit }), (rows) => rows.map(({ externalKey }) => externalKey))
      expect(yield* keysOf(undefined, 10)).toEqual(["one"])
      expect(yield* keysOf("one", 10)).toEqual([])
      expect(yield* keysOf(undefined, 0)).toEqual([])
      yield* store.remove(other.id)
      expect(yield* store.heldKeys(workspace.id, asked)).toEqual(new Set(["one"]))
    })
  )

  it.effect("updates a table only from the version before", () =>
    Effect.gen(function* () {
      const store = yield* TableStore
      const table = yield* storeTable(yield* storeWorkspace())
      const [field] = table.fields
      const next: Table = {
        ...table,
        name: "Other",
        fields: [{ ...field!, name: "Renamed", required: true, default: "1", options: { scale: 2 }, description: "d" }],
        keyFields: ["amount"],
        version: 2
      }
      expect(yield* store.update({ ...next, version: 3 })).toBe(false)
      expect(yield* store.update(next)).toBe(true)
      expect(yield* store.update(next)).toBe(false)
      expect(yield* store.get(table.workspaceId, table.id)).toEqual(Option.some(next))
    })
  )

  it.effect("purges what was trashed before, a bounded number at a time", () =>
    Effect.gen(function* () {
      const store = yield* TableStore
      const workspace = yield* storeWorkspace()
      const table = yield* storeTable(workspace)
      const rows = [
        yield* stored(table, "a", long),
        yield* stored(table, "b", long),
        yield* stored(table, "c", lately),
        yield* stored(table, "d")
      ]
      yield* store.putRows(table.id, rows, 1)
      const old = yield* storeTable(workspace, { trashedAt: long })
      yield* store.putRows(old.id, [yield* stored(old, "x"), yield* stored(old, "y")], 2)
      const gone = yield* storeTable(workspace)
      yield* store.putRows(gone.id, [yield* stored(gone, "x")], 1)
      yield* store.remove(gone.id)
      expect(yield* store.get(workspace.id, gone.id)).toEqual(Option.none())
      let done = 0
      for (let part = yield* store.purge(between, 1); part > 0; part = yield* store.purge(between, 1)) {
        expect(part).toBeLessThanOrEqual(2)
        done += part
      }
      expect(done).toBeGreaterThanOrEqual(3)
      expect((yield* store.rows(wholeScan(table.id, { state: "any" }))).map((row) => row.values["text"])).toEqual([
        "c",
        "d"
      ])
      expect((yield* store.list([workspace.id])).map(({ id }) => id)).toEqual([table.id])
      expect(yield* store.rows(wholeScan(old.id, { state: "any" }))).toEqual([])
      expect(yield* store.rowTotal(workspace.id)).toBe(1)
    })
  )
}

export const suite = suiteOf(tests)
