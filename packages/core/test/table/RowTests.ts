/** What rows promise, whatever stores them. */
import { limits } from "../../src/shared/Limits.ts"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { arrange, type TableTests } from "./TableWorld.ts"

const everyType = [
  { name: "Text", type: "text" },
  { name: "Number", type: "number", options: { scale: 2 } },
  { name: "Day", type: "date" },
  { name: "At", type: "datetime" },
  { name: "Done", type: "boolean" },
  { name: "Kind", type: "select", options: { choices: [{ id: "f", label: "Food" }] } },
  {
    name: "Tags",
    type: "multi_select",
    options: {
      choices: [
        { id: "a", label: "A" },
        { id: "b", label: "B" }
      ]
    }
  },
  { name: "Mail", type: "email" },
  { name: "Link", type: "url" },
  { name: "Extra", type: "json" }
] as const

export const rowTests: TableTests = (it) => {
  it.effect("keeps cells exactly, in the form of their type", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange(everyType)
      const [id] = yield* put([
        {
          text: "Ünïcode 🧾",
          number: "0012.50",
          day: "2026-02-28",
          at: "2026-02-28T10:00:00+01:00",
          done: false,
          kind: "Food",
          tags: ["B", "a", "b"],
          mail: "desk@example.com",
          link: "https://example.com/x?y=1",
          extra: { b: [1, null], a: "x" }
        }
      ])
      const { row } = yield* tables.getRow(user, table.id, id!)
      expect(row).toMatchObject({ version: 1, held: [], createdBy: { kind: "user" } })
      expect(row.values).toEqual({
        text: "Ünïcode 🧾",
        number: "12.5",
        day: "2026-02-28",
        at: "2026-02-28T09:00:00.000Z",
        done: false,
        kind: "f",
        tags: ["b", "a"],
        mail: "desk@example.com",
        link: "https://example.com/x?y=1",
        extra: '{"b":[1,null],"a":"x"}'
      })
    })
  )

  it.effect("tells all faults of all rows at their places and writes none of them", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange(everyType)
      const fault = yield* Effect.flip(
        put([
          { text: "fine" },
          { text: 5, number: "1.234", day: "2026-02-30", at: "2026-02-28", done: "true", kind: "Drink" },
          { tags: "a", mail: "nobody", link: "javascript:alert(1)", nothing: 1, text: "a\0b" }
        ])
      )
      expect(fault).toMatchObject({ _tag: "Unprocessable" })
      expect(fault._tag === "Unprocessable" ? fault.details.map(({ field }) => field) : []).toEqual([
        ...["text", "number", "day", "at", "done", "kind"].map((key) => `rows[1].values.${key}`),
        ...["tags", "mail", "link", "nothing", "text"].map((key) => `rows[2].values.${key}`)
      ])
      expect((yield* tables.queryRows(user, table.id, {})).rows).toEqual([])
      const large = yield* Effect.flip(put([{ text: "é".repeat(limits.rowBytes / 2) }]))
      expect(large).toMatchObject({ details: [{ field: "rows[0].values" }] })
      expect(yield* Effect.flip(put([]))).toMatchObject({ _tag: "InvalidInput" })
      expect(yield* Effect.flip(put(Array.from({ length: limits.bulkRows + 1 }, () => ({}))))).toMatchObject({
        _tag: "InvalidInput"
      })
    })
  )

  it.effect("upserts by key fields, and changes nothing the second time", () =>
    Effect.gen(function* () {
      const { tables, table, user } = yield* arrange(
        [
          { name: "Code", type: "text" },
          { name: "Year", type: "number" },
          { name: "Memo", type: "text", default: "none" }
        ],
        { keyFields: ["code", "year"] }
      )
      const upsert = (rows: ReadonlyArray<Record<string, unknown>>) =>
        tables.createRows(user, table.id, { rows: rows.map((values) => ({ values })), mode: "upsert" })
      const rows = [
        { code: "A", year: 1, memo: "x" },
        { code: "A", year: 2 }
      ]
      const first = yield* upsert(rows)
      expect(first.map(({ status }) => status)).toEqual(["created", "created"])
      expect((yield* upsert(rows)).map(({ id, status }) => [id, status])).toEqual(
        first.map(({ id }) => [id, "unchanged"])
      )
      expect((yield* upsert([{ code: "a", year: "1.0", memo: "y" }]))[0]).toEqual({
        id: first[0]!.id,
        status: "updated"
      })
      expect(yield* Effect.flip(upsert([{ code: "B" }]))).toMatchObject({ details: [{ field: "rows[0].values.year" }] })
      expect(yield* Effect.flip(upsert([rows[0]!, rows[0]!]))).toMatchObject({ _tag: "Unprocessable" })
      const found = yield* tables.queryRows(user, table.id, {})
      expect(found.rows.map(({ values, version }) => [values["memo"], version])).toEqual([
        ["y", 2],
        ["none", 1]
      ])
      expect(found.table.rowCount).toBe(2)
    })
  )

  it.effect("upserts by external key where the table has no key fields", () =>
    Effect.gen(function* () {
      const { tables, table, user } = yield* arrange([{ name: "Memo", type: "text" }])
      const write = (mode: "insert" | "upsert", externalKey: string | undefined, memo: string) =>
        tables.createRows(user, table.id, {
          rows: [{ values: { memo }, ...(externalKey === undefined ? {} : { externalKey }) }],
          mode
        })
      const [made] = yield* write("upsert", "k", "1")
      expect(yield* write("upsert", "k", "2")).toEqual([{ id: made!.id, status: "updated" }])
      expect(yield* Effect.flip(write("upsert", undefined, "3"))).toMatchObject({
        details: [{ field: "rows[0].externalKey" }]
      })
      expect(yield* Effect.flip(write("insert", "k", "4"))).toMatchObject({ code: "ALREADY_EXISTS" })
      yield* tables.deleteRow(user, table.id, made!.id, undefined)
      expect(yield* Effect.flip(write("upsert", "k", "5"))).toMatchObject({ code: "ALREADY_EXISTS" })
    })
  )

  it.effect("merges changes, and refuses them whole when one of them is stale", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([
        { name: "A", type: "text" },
        { name: "B", type: "text" }
      ])
      const [one, two] = yield* put([{ a: "1", b: "1" }, { a: "2" }])
      const { rows } = yield* tables.updateRows(user, table.id, [
        { id: two!, values: { b: "2" }, version: 1 },
        { id: one!, values: { a: null } }
      ])
      expect(rows.map(({ values, version }) => [values, version])).toEqual([
        [{ a: "2", b: "2" }, 2],
        [{ a: null, b: "1" }, 2]
      ])
      const stale = tables.updateRows(user, table.id, [
        { id: one!, values: { a: "late" } },
        { id: two!, values: { a: "late" }, version: 1 }
      ])
      expect(yield* Effect.flip(stale)).toMatchObject({
        code: "INVALID_STATE",
        details: [{ field: "rows[1].version" }]
      })
      expect((yield* tables.getRow(user, table.id, one!)).row.values["a"]).toBe(null)
      expect(yield* Effect.flip(tables.updateRow(user, table.id, one!, { values: {} }, 1))).toMatchObject({
        _tag: "PreconditionFailed"
      })
      expect(yield* Effect.flip(tables.updateRows(user, table.id, [{ id: "row_nobody", values: {} }]))).toMatchObject({
        _tag: "NotFound",
        resource: "Row"
      })
      // What is as it was is no change.
      expect((yield* tables.updateRow(user, table.id, one!, { values: { b: "1" } }, 2)).row.version).toBe(2)
    })
  )

  it.effect("moves rows to the trash and back, all or none", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([{ name: "A", type: "text", unique: true }])
      const [one, two, three] = yield* put([{ a: "1" }, { a: "2" }, { a: "3" }])
      const count = Effect.map(tables.get(user, table.id), ({ rowCount }) => rowCount)
      expect(yield* Effect.flip(tables.deleteRows(user, table.id, [one!, "row_x"]))).toMatchObject({ resource: "Row" })
      expect(yield* count).toBe(3)
      yield* tables.deleteRows(user, table.id, [one!, two!, two!])
      expect(yield* count).toBe(1)
      expect((yield* tables.queryRows(user, table.id, {})).rows.map(({ id }) => id)).toEqual([three])
      const trashed = yield* tables.queryRows(user, table.id, { trashed: true, sort: [{ field: "a", desc: true }] })
      expect(trashed.rows.map(({ id }) => id)).toEqual([two, one])
      expect(trashed.rows[0]!.trashedAt).toBeDefined()
      expect(yield* Effect.flip(tables.getRow(user, table.id, one!))).toMatchObject({ _tag: "NotFound" })
      expect((yield* tables.restoreRow(user, table.id, one!)).row).toMatchObject({ version: 3, values: { a: "1" } })
      expect(yield* Effect.flip(tables.restoreRow(user, table.id, one!))).toMatchObject({ code: "INVALID_STATE" })
      expect(yield* count).toBe(2)
    })
  )

  it.effect("lets rows swap what must be unique in one call", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([{ name: "A", type: "text", unique: true }])
      const [one, two] = yield* put([{ a: "1" }, { a: "2" }])
      yield* tables.updateRows(user, table.id, [
        { id: one!, values: { a: "2" } },
        { id: two!, values: { a: "1" } }
      ])
      const long = "x".repeat(1_000)
      yield* put([{ a: `${long}1` }, { a: `${long}2` }])
      expect(yield* Effect.flip(put([{ a: `${long}1`.toUpperCase() }]))).toMatchObject({ code: "ALREADY_EXISTS" })
    })
  )

  it.effect("tells the key of a field that is asked for by its name", () =>
    Effect.gen(function* () {
      const { tables, table, user } = yield* arrange([{ name: "Due Day", type: "date" }])
      const query = { fields: ["due day", "nope"], sort: [{ field: "Due Day" }] }
      const { key } = table.fields[0]!
      expect(yield* Effect.flip(tables.queryRows(user, table.id, query))).toMatchObject({
        details: [
          { field: "sort[0].field", message: `"Due Day" is no field: give its key, "${key}"` },
          { field: "fields[0]", message: `"due day" is no field: give its key, "${key}"` },
          { field: "fields[1]", message: '"nope" is no field' }
        ]
      })
    })
  )

  it.effect("follows relations to live rows of the other table", () =>
    Effect.gen(function* () {
      const { tables, table: people, put, user } = yield* arrange([{ name: "Name", type: "text" }])
      const [desk, lamp] = yield* put([{ name: "Desk" }, { name: "Lamp" }])
      const relation = (many: boolean) => ({ relation: { tableId: people.id, many } })
      const books = yield* tables.create(user, {
        name: "Books",
        fields: [
          { name: "Owner", type: "relation", options: relation(false) },
          { name: "Readers", type: "relation", options: relation(true) }
        ]
      })
      const add = (values: Record<string, unknown>) =>
        tables.createRows(user, books.id, { rows: [{ values }], mode: "insert" })
      yield* add({ owner: desk, readers: [desk, lamp] })
      yield* add({ owner: lamp, readers: [] })
      expect(yield* Effect.flip(add({ owner: "row_00000000000000000000000000" }))).toMatchObject({
        details: [{ field: "rows[0].values.owner" }]
      })
      const found = (filter: unknown) =>
        Effect.map(tables.queryRows(user, books.id, { filter, includeTotal: true }), ({ rows, total }) => [
          rows.length,
          total
        ])
      expect(yield* found({ field: "owner.name", op: "eq", value: "DESK" })).toEqual([1, 1])
      expect(yield* found({ field: "readers.name", op: "contains", value: "m" })).toEqual([1, 1])
      expect(yield* found({ field: "owner.name", op: "matches", value: "^L" })).toEqual([1, 1])
      expect(yield* found({ field: "readers.name", op: "is-null" })).toEqual([1, 1])
      yield* tables.deleteRow(user, people.id, lamp!, undefined)
      expect(yield* found({ field: "owner.name", op: "matches", value: "^L" })).toEqual([0, 0])
      expect(yield* Effect.flip(add({ readers: [lamp] }))).toMatchObject({ _tag: "Unprocessable" })
    })
  )

  it.effect("stops at the rows of the plan", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([{ name: "A", type: "text" }], {
        workspace: { plan: "free" }
      })
      const many = Array.from({ length: 500 }, () => ({}))
      const [first] = yield* put(many)
      yield* put(many)
      expect(yield* Effect.flip(put([{}]))).toMatchObject({ _tag: "PlanLimitReached", limit: 1_000 })
      yield* tables.deleteRow(user, table.id, first!, undefined)
      yield* put([{}])
      expect(yield* Effect.flip(tables.restoreRow(user, table.id, first!))).toMatchObject({ _tag: "PlanLimitReached" })
      const other = yield* tables.create(user, { name: "Other", fields: [] })
      const one = { rows: [{ values: {} }], mode: "insert" } as const
      yield* tables.trash(user, table.id, { permanent: false, ifVersion: undefined })
      yield* tables.createRows(user, other.id, one)
      expect(yield* Effect.flip(tables.restore(user, table.id))).toMatchObject({
        _tag: "PlanLimitReached",
        limit: 1_000
      })
      yield* tables.trash(user, other.id, { permanent: false, ifVersion: undefined })
      expect(yield* tables.restore(user, table.id)).toMatchObject({ rowCount: 1_000 })
    })
  )
}
