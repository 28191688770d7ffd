/** Conformance of `TableStore`. */
import type { ActorRef } from "@millrace/core/access"
import { Ids } from "@millrace/core"
import { type Table, wholeScan } from "@millrace/core/table"
import { type FeedRow, TableStore, Transactor } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeTable, makeTableField, storeTable } from "../fixture/Table.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const feedActor: ActorRef = { kind: "sync", feedId: "feed_1", jobId: "job_1" }
const person: ActorRef = { kind: "user", userId: "usr_1" }

const row = (key: string, values: FeedRow["values"], mustExist = false): FeedRow => ({
  key,
  values,
  folded: {},
  mustExist
})

const put = Effect.fnUntraced(function* (table: Table, rows: ReadonlyArray<FeedRow>, actor: ActorRef = feedActor) {
  const ids = yield* (yield* Ids).batch("row", rows.length)
  return yield* (yield* TableStore).putFeedRows(table.id, rows, ids, actor)
})

const withoutTime = (rows: ReadonlyArray<object>) => rows.map((one) => ({ ...one, createdAt: 0, updatedAt: 0 }))

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  return { workspace, table: yield* storeTable(workspace), store: yield* TableStore }
})

export const tests: StorageTests = (it) => {
  it.effect("hands back a table as it was inserted, to its own workspace", () =>
    Effect.gen(function* () {
      const { workspace, table, store } = yield* arrange
      const full = yield* storeTable(workspace, { icon: "📒", description: difficultTexts.join("|"), fields: [] })
      expect(yield* store.get(workspace.id, table.id)).toEqual(Option.some(table))
      expect(yield* store.get(workspace.id, full.id)).toEqual(Option.some(full))
      expect(yield* store.list([workspace.id])).toEqual([table, full])
      const stranger = yield* storeWorkspace()
      expect(yield* store.get(stranger.id, table.id)).toEqual(Option.none())
      expect(yield* store.list([stranger.id])).toEqual([])
      const other = yield* storeTable(stranger)
      const both = yield* store.list([workspace.id, stranger.id])
      expect(new Set(both.map(({ id }) => id))).toEqual(new Set([table.id, full.id, other.id]))
      expect(yield* store.lock(workspace.id, table.id)).toEqual(Option.some(table))
      expect(yield* store.lock(stranger.id, table.id)).toEqual(Option.none())
      expect(yield* store.get(workspace.id, (yield* makeTable(workspace)).id)).toEqual(Option.none())
    })
  )

  it.effect("appends fields and leaves out those whose key is taken", () =>
    Effect.gen(function* () {
      const { workspace, table, store } = yield* arrange
      const [memo, tax, again] = [
        yield* makeTableField("memo", { position: 1 }),
        yield* makeTableField("tax", { position: 2, type: "currency" }),
        yield* makeTableField("memo", { position: 3, name: "Another" })
      ]
      yield* store.addFields(table.id, [memo, tax])
      yield* store.addFields(table.id, [again])
      yield* store.addFields(table.id, [])
      expect(Option.getOrThrow(yield* store.get(workspace.id, table.id))).toMatchObject({
        fields: [...table.fields, memo, tax],
        version: 2
      })
    })
  )

  it.effect("inserts rows by key and answers their ids", () =>
    Effect.gen(function* () {
      const { workspace, table, store } = yield* arrange
      const values = {
        ...Object.fromEntries(difficultTexts.map((text, i) => [`c${i}`, text])),
        amount: "0.1",
        large: "9999999999999.999999999999",
        paid: false,
        none: null
      }
      const ids = yield* put(table, [row("k1", values), row(difficultTexts.join(""), {})])
      expect(ids.size).toBe(2)
      const rows = yield* store.rows(wholeScan(table.id, { limit: 10 }))
      const { createdAt, updatedAt, ...first } = rows[0]!
      expect(first).toEqual({
        id: ids.get("k1"),
        tableId: table.id,
        values,
        externalKey: "k1",
        held: [],
        createdBy: feedActor,
        updatedBy: feedActor,
        version: 1
      })
      expect(updatedAt).toBe(createdAt)
      expect(rows[1]!.externalKey).toBe(difficultTexts.join(""))
      expect(yield* store.rowsById(table.id, [rows[0]!.id])).toEqual([rows[0]])
      expect(Option.getOrThrow(yield* store.get(workspace.id, table.id)).rowCount).toBe(2)
    })
  )

  it.effect("makes those of the rows that are not there, and counts them alone", () =>
    Effect.gen(function* () {
      const { workspace, table, store } = yield* arrange
      const first = yield* put(table, [row("b", { n: "1" }), row("d", { n: "1" })])
      const all = yield* put(
        table,
        ["a", "b", "c", "d"].map((key) => row(key, { n: key === "d" ? "1" : "2" }))
      )
      expect([...all.keys()].toSorted()).toEqual(["a", "b", "c", "d"])
      expect([all.get("b"), all.get("d")]).toEqual([first.get("b"), first.get("d")])
      const rows = yield* store.rows(wholeScan(table.id, { limit: 10 }))
      const shown = rows.map(({ externalKey, id, values, version }) => [externalKey, id, values["n"], version])
      expect(new Set(shown)).toEqual(
        new Set([
          ["a", all.get("a"), "2", 1],
          ["b", all.get("b"), "2", 2],
          ["c", all.get("c"), "2", 1],
          ["d", all.get("d"), "1", 1]
        ])
      )
      expect(Option.getOrThrow(yield* store.get(workspace.id, table.id)).rowCount).toBe(4)
    })
  )

  it.effect("makes all of the rows where nothing is in the way, as if they were put", () =>
    Effect.gen(function* () {
      const { workspace, table, store } = yield* arrange
      const rows = [row("b", { x: "1", y: null, z: true }), row("a", { x: "2" })]
      const ids = yield* (yield* Ids).batch("row", 2)
      expect(yield* store.makeFeedRows(table, rows, ids, feedActor, 2)).toBe(true)
      const other = yield* storeTable(workspace)
      const ofOther = yield* put(other, rows)
      const made = yield* store.rowsByKey(table.id, ["a", "b"])
      const wanted = (yield* store.rowsByKey(other.id, ["a", "b"])).map((one) => ({
        ...one,
        tableId: table.id,
        id: one.id === ofOther.get("b") ? ids[0] : ids[1]
      }))
      expect(withoutTime(made)).toEqual(withoutTime(wanted))
      expect(Option.getOrThrow(yield* store.get(workspace.id, table.id)).rowCount).toBe(2)
      expect(yield* put(table, [row("a", { x: "3" })])).toEqual(new Map([["a", ids[1]]]))
    })
  )

  it.effect("makes none of the rows where one is there, the table is another, or there is no room", () =>
    Effect.gen(function* () {
      const { workspace, table, store } = yield* arrange
      yield* put(table, [row("a", {}), row("held", { x: "1" })])
      const held = yield* store.rowsByKey(table.id, ["held"])
      yield* store.putRows(
        table.id,
        held.map((one) => ({ row: { ...one, held: ["x"] }, folded: {}, entries: [] })),
        0
      )
      yield* store.removeFeedRows(table.id, ["held"])
      const make = Effect.fnUntraced(function* (on: Table, keys: ReadonlyArray<string>, limit = Infinity) {
        const ids = yield* (yield* Ids).batch("row", keys.length)
        return yield* store.makeFeedRows(
          on,
          keys.map((key) => row(key, { x: "2" })),
          ids,
          feedActor,
          limit
        )
      })
      const stranger = yield* storeWorkspace()
      expect(yield* make(table, ["b", "a"])).toBe(false)
      expect(yield* make(table, ["b", "held"])).toBe(false)
      expect(yield* make({ ...table, version: 2 }, ["b"])).toBe(false)
      expect(yield* make({ ...table, workspaceId: stranger.id }, ["b"])).toBe(false)
      expect(yield* make(yield* makeTable(workspace), ["b"])).toBe(false)
      // Of all its tables but those in the trash.
      const other = yield* storeTable(workspace)
      yield* put(other, [row("one", {}), row("two", {})])
      expect(yield* make(table, ["b", "c"], 4)).toBe(false)
      expect(yield* store.rows(wholeScan(table.id, { limit: 10 }))).toHaveLength(1)
      expect(Option.getOrThrow(yield* store.get(workspace.id, table.id)).rowCount).toBe(1)
      yield* store.update({ ...other, version: 2, trashedAt: other.createdAt })
      expect(yield* make({ ...other, version: 2 }, ["b"])).toBe(false)
      expect(yield* make(table, ["b", "c"], 3)).toBe(true)
      // A row in the trash has its key, as long as it was a person who put it there.
      const [b] = yield* store.rowsByKey(table.id, ["b"])
      yield* store.putRows(
        table.id,
        [{ row: { ...b!, trashedAt: b!.createdAt, version: 2 }, folded: {}, entries: [] }],
        -1
      )
      expect(yield* make(table, ["b"])).toBe(false)
      expect(yield* make(table, ["d"])).toBe(true)
      expect((yield* store.rows(wholeScan(table.id, { limit: 10 }))).map((one) => one.externalKey)).toEqual([
        "a",
        "c",
        "d"
      ])
    })
  )

  it.effect("lets one of many make the same rows at once", () =>
    Effect.gen(function* () {
      const { table, store } = yield* arrange
      const { atomically } = yield* Transactor
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, i) => i),
        (i) =>
          Effect.flatMap(
            Effect.flatMap(Ids, (all) => all.batch("row", 2)),
            (ids) =>
              atomically(store.makeFeedRows(table, [row("a", { w: `${i}` }), row("b", {})], ids, feedActor, Infinity))
          ),
        { concurrency: "unbounded" }
      )
      expect(answers.filter((made) => made)).toHaveLength(1)
      expect(yield* store.rows(wholeScan(table.id, { limit: 10 }))).toHaveLength(2)
    })
  )

  it.effect("merges cells and keeps those that it was not given", () =>
    Effect.gen(function* () {
      const { table, store } = yield* arrange
      const first = yield* put(table, [row("k", { note: "mine", amount: "1", old: "x" })], person)
      const second = yield* put(table, [row("k", { amount: "2", old: null, added: true })])
      expect(second).toEqual(first)
      expect(yield* store.rows(wholeScan(table.id, { limit: 10 }))).toMatchObject([
        { version: 2, createdBy: person, updatedBy: feedActor }
      ])
      expect((yield* store.rows(wholeScan(table.id, { limit: 10 })))[0]!.values).toEqual({
        note: "mine",
        amount: "2",
        old: null,
        added: true
      })
    })
  )

  it.effect("does not touch a row whose cells are equal already", () =>
    Effect.gen(function* () {
      const { table, store } = yield* arrange
      const ids = yield* put(table, [row("k", { a: "1", b: true, c: null, d: "0.10" })], person)
      const before = yield* store.rows(wholeScan(table.id, { limit: 10 }))
      expect(yield* put(table, [row("k", { c: null, a: "1" })])).toEqual(ids)
      expect(yield* put(table, [row("k", {})])).toEqual(ids)
      expect(yield* store.rows(wholeScan(table.id, { limit: 10 }))).toEqual(before)
      // Text that only looks alike is another value.
      yield* put(table, [row("k", { b: "true" })])
      expect(yield* store.rows(wholeScan(table.id, { limit: 10 }))).toMatchObject([
        { version: 2, values: { b: "true" } }
      ])
    })
  )

  it.effect("does not make a row again that had to exist", () =>
    Effect.gen(function* () {
      const { table, store } = yield* arrange
      const ids = yield* put(table, [row("a", { x: "1" }), row("b", { x: "1" })])
      yield* store.removeFeedRows(table.id, ["a", "unknown"])
      const answer = yield* put(table, [row("a", { x: "2" }, true), row("b", { x: "2" }, true), row("c", { x: "2" })])
      expect([...answer.keys()].toSorted()).toEqual(["b", "c"])
      expect(answer.get("b")).toBe(ids.get("b"))
      const rows = yield* store.rows(wholeScan(table.id, { limit: 10 }))
      expect(rows.map(({ externalKey, values }) => [externalKey, values["x"]])).toEqual([
        ["b", "2"],
        ["c", "2"]
      ])
    })
  )

  it.effect("removes rows by key of one table only", () =>
    Effect.gen(function* () {
      const { workspace, table, store } = yield* arrange
      const other = yield* storeTable(workspace)
      yield* put(table, [row("a", {}), row("b", {})])
      yield* put(other, [row("a", {})])
      const [{ id } = { id: "" as never }] = yield* store.rows(wholeScan(table.id, { limit: 1 }))
      yield* store.removeFeedRows(table.id, ["a"])
      yield* store.removeFeedRows(table.id, [])
      expect(yield* store.rowsById(table.id, [id])).toEqual([])
      expect(yield* store.rows(wholeScan(table.id, { limit: 10 }))).toMatchObject([{ externalKey: "b" }])
      expect(yield* store.rows(wholeScan(other.id, { limit: 10 }))).toHaveLength(1)
      expect(Option.getOrThrow(yield* store.get(workspace.id, table.id)).rowCount).toBe(1)
    })
  )

  it.effect("walks rows page by page, oldest first", () =>
    Effect.gen(function* () {
      const { table, store } = yield* arrange
      const keys = Array.from({ length: 25 }, (_, i) => `k${(i * 7) % 25}`)
      yield* put(
        table,
        keys.slice(0, 20).map((key) => row(key, { key }))
      )
      yield* put(
        table,
        keys.slice(20).map((key) => row(key, { key }))
      )
      yield* put(table, [row(keys[3]!, { key: "changed" })])
      const seen: Array<string> = []
      let page = yield* store.rows(wholeScan(table.id, { limit: 6 }))
      while (page.length > 0) {
        seen.push(...page.map(({ externalKey }) => externalKey!))
        page = yield* store.rows(wholeScan(table.id, { limit: 6, after: { values: [], id: page.at(-1)!.id } }))
      }
      expect(seen).toEqual(keys)
    })
  )

  it.effect("makes one row per key however many write it at once", () =>
    Effect.gen(function* () {
      const { table, store } = yield* arrange
      const { atomically } = yield* Transactor
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, i) => i),
        (i) =>
          atomically(
            Effect.andThen(
              store.lock(table.workspaceId, table.id),
              put(table, [row("a", { [`w${i}`]: "1" }), row("b", { [`w${i}`]: "1" })])
            )
          ),
        { concurrency: "unbounded" }
      )
      const rows = yield* store.rows(wholeScan(table.id, { limit: 10 }))
      expect(rows).toHaveLength(2)
      for (const { values } of rows) expect(Object.keys(values)).toHaveLength(12)
      expect(new Set(answers.map((answer) => answer.get("a"))).size).toBe(1)
    })
  )

  it.effect("keeps cells under names of fields of every kind, and merges, clears and orders by them", () =>
    Effect.gen(function* () {
      const { store, table } = yield* arrange
      const first = { amount: "-1", description: "Café", pending: false, merchantName: null, own: "a", fees: "2" }
      yield* put(table, [row("a", first), row("b", { ...first, amount: "-20", description: "bar" })])
      yield* put(table, [row("a", { amount: "-30", description: null, pending: true }), row("b", first)])
      const sorted = { limit: 5, sort: [{ field: "amount", as: "number", desc: false }] } as const
      const values = Effect.map(store.rows(wholeScan(table.id, sorted)), (rows) => rows.map((one) => one.values))
      const [a, b] = [{ ...first, amount: "-30", description: null, pending: true }, first]
      expect(yield* values).toEqual([a, b])
      yield* store.clearField(table.id, "amount")
      yield* store.clearField(table.id, "own")
      const without = (cells: typeof a | typeof b) =>
        Object.fromEntries(Object.entries(cells).filter(([key]) => key !== "amount" && key !== "own"))
      expect(yield* values).toEqual([without(a), without(b)])
      const rows = yield* store.rowsByKey(table.id, ["a"])
      yield* store.putRows(
        table.id,
        rows.map((one) => ({
          row: { ...one, values: { ...one.values, description: "by hand" }, held: ["description"] },
          folded: {},
          entries: []
        })),
        0
      )
      yield* put(table, [row("a", { description: "from the feed", fees: "3" })])
      expect((yield* store.rowsByKey(table.id, ["a"]))[0]?.values).toEqual({
        ...without(a),
        description: "by hand",
        fees: "3"
      })
    })
  )
}

export const suite = suiteOf(tests)
