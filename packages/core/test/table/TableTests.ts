/** What tables and their fields promise, whatever stores them. */
import { ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import type { Tables } from "../../src/table/Tables.ts"
import { limits } from "../../src/shared/Limits.ts"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appOf, arrange, deliverer, type TableTests } from "./TableWorld.ts"

type Service = Tables["Service"]
type FieldChange = Parameters<Service["updateField"]>[3]

export const tableTests: TableTests = (it) => {
  it.effect("tells every fault of a new table at its place", () =>
    Effect.gen(function* () {
      const { tables, user } = yield* arrange([])
      const fault = yield* Effect.flip(
        tables.create(user, {
          name: "",
          folderId: "fol_1",
          fields: [
            { name: "File", type: "file" },
            { key: "Bad", name: "Bad", type: "text" },
            { name: "Amount", type: "number", options: { scale: 13 } },
            { name: "Kind", type: "select", options: { choices: [{ label: "A" }, { label: "A" }] }, default: "B" },
            { name: "Tags", type: "multi_select", unique: true },
            { name: "Parent", type: "relation" },
            { name: "Total", type: "currency", options: { currency: "XXQ" }, default: "abc" }
          ],
          keyFields: ["nothing", "tags"]
        })
      )
      expect(fault).toMatchObject({ _tag: "Unprocessable", code: "VALIDATION_FAILED" })
      expect(fault._tag === "Unprocessable" ? fault.details.map(({ field }) => field) : []).toEqual([
        "name",
        "folderId",
        "fields[1].key",
        "fields[0].type",
        "fields[2].options.scale",
        "fields[3].options.choices[1].label",
        "fields[3].default",
        "fields[4].unique",
        "fields[5].options.relation",
        "fields[6].options.currency",
        "fields[6].default",
        "keyFields[0]",
        "keyFields[1]"
      ])
    })
  )

  it.effect("keeps what a table is given and changes what it is told to", () =>
    Effect.gen(function* () {
      const { tables, table, user } = yield* arrange([
        { name: "Kind", type: "select", options: { choices: [{ label: "Food & drink", color: "red" }] } },
        { name: "Amount", type: "currency", options: { currency: "chf", scale: 2 }, default: "1.50" }
      ])
      expect(table.fields).toMatchObject([
        { key: "kind", options: { choices: [{ id: "foodDrink", label: "Food & drink", color: "red" }] } },
        { key: "amount", options: { currency: "CHF", scale: 2 }, default: "1.5" }
      ])
      expect(yield* tables.get(user, table.id)).toEqual(table)
      const changed = yield* tables.update(
        user,
        table.id,
        { name: "Books", icon: "📒", description: "All", keyFields: ["amount"], fieldOrder: ["amount"] },
        1
      )
      expect(changed).toMatchObject({ name: "Books", icon: "📒", keyFields: ["amount"], version: 2 })
      expect(changed.fields.map(({ key, position }) => [key, position])).toEqual([
        ["amount", 0],
        ["kind", 1]
      ])
      expect(yield* tables.get(user, table.id)).toEqual(changed)
      const cleared = yield* tables.update(user, table.id, { icon: null, description: null }, undefined)
      expect("icon" in cleared || "description" in cleared).toBe(false)
      expect(yield* Effect.flip(tables.update(user, table.id, { name: "Late" }, 2))).toMatchObject({
        _tag: "PreconditionFailed"
      })
    })
  )

  it.effect("moves a table to the trash and back, under another name when its own is taken", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([{ name: "Memo", type: "text" }])
      yield* put([{ memo: "kept" }])
      expect(yield* Effect.flip(tables.restore(user, table.id))).toMatchObject({ code: "INVALID_STATE" })
      expect(yield* Effect.flip(tables.trash(user, table.id, { permanent: true, ifVersion: undefined }))).toMatchObject(
        { code: "INVALID_STATE" }
      )
      yield* tables.trash(user, table.id, { permanent: false, ifVersion: 1 })
      expect(yield* Effect.flip(tables.get(user, table.id))).toMatchObject({ _tag: "NotFound" })
      expect(yield* Effect.flip(tables.queryRows(user, table.id, {}))).toMatchObject({ _tag: "NotFound" })
      expect(yield* tables.list(user, {})).toEqual([])
      const [trashed] = yield* tables.list(user, { trashed: true })
      expect(Date.parse(trashed!.purgeAt!) - Date.parse(trashed!.trashedAt!)).toBe(limits.trashDays * 86_400_000)
      yield* tables.create(user, { name: "Ledger", fields: [] })
      const restored = yield* tables.restore(user, table.id)
      expect(restored).toMatchObject({ name: "Ledger (restored)", rowCount: 1, version: 3 })
      expect((yield* tables.queryRows(user, table.id, {})).rows).toMatchObject([{ values: { memo: "kept" } }])
      yield* tables.trash(user, table.id, { permanent: false, ifVersion: undefined })
      yield* tables.trash(user, table.id, { permanent: true, ifVersion: undefined })
      expect(yield* tables.list(user, { trashed: true })).toEqual([])
      expect(yield* Effect.flip(tables.restore(user, table.id))).toMatchObject({ _tag: "NotFound" })
    })
  )

  it.effect("keeps a table that a feed writes to, and the fields that it writes", () =>
    Effect.gen(function* () {
      const { tables, table, user, workspace } = yield* arrange([
        { name: "Amount", type: "number" },
        { name: "Note", type: "text" }
      ])
      const feed = yield* storeFeed(workspace, { destinationConfig: { type: "table", tableId: table.id } })
      const named = [{ field: "feedIds", message: feed.id }]
      expect(
        yield* Effect.flip(tables.trash(user, table.id, { permanent: false, ifVersion: undefined }))
      ).toMatchObject({ code: "TABLE_IN_USE", details: named })
      const [amount, note] = table.fields
      // Its cells and what comes next would be of two types.
      expect(
        yield* Effect.flip(tables.updateField(user, table.id, amount!.id, { type: "text" }, undefined))
      ).toMatchObject({ _tag: "Conflict", code: "FIELD_IN_USE", details: named })
      yield* tables.updateField(user, table.id, amount!.id, { type: "number", description: "As booked" }, undefined)
      yield* tables.updateField(user, table.id, note!.id, { type: "email" }, undefined)
      yield* tables.updateField(user, table.id, note!.id, { type: "text" }, undefined)
      expect(yield* Effect.flip(tables.deleteField(user, table.id, amount!.id, undefined))).toMatchObject({
        code: "FIELD_IN_USE",
        details: named
      })
      yield* tables.deleteField(user, table.id, note!.id, undefined)
      expect((yield* tables.get(user, table.id)).fields.map(({ key }) => key)).toEqual(["amount"])
    })
  )

  it.effect("shows apps of third parties what they made themselves, and everything to all others", () =>
    Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      const { tables } = yield* arrange([])
      const [mine, other, own] = [appOf(workspace, "app_1"), appOf(workspace, "app_2"), appOf(workspace, "cli", true)]
      const table = yield* tables.create(mine, { name: "Mine", fields: [{ name: "Memo", type: "text" }] })
      yield* tables.create(ownerOf(workspace), { name: "Ours", fields: [] })
      const names = (caller: typeof mine) =>
        Effect.map(tables.list(caller, {}), (found) => found.map(({ name }) => name))
      expect(yield* names(mine)).toEqual(["Mine"])
      expect(yield* names(other)).toEqual([])
      expect(yield* names(own)).toEqual(["Mine", "Ours"])
      const missing = { _tag: "NotFound", resource: "Table" }
      const rows = [{ values: { memo: "x" } }]
      expect(yield* Effect.flip(tables.get(other, table.id))).toMatchObject(missing)
      expect(yield* Effect.flip(tables.queryRows(other, table.id, {}))).toMatchObject(missing)
      expect(yield* Effect.flip(tables.createRows(other, table.id, { rows, mode: "insert" }))).toMatchObject(missing)
      expect(
        yield* Effect.flip(tables.trash(other, table.id, { permanent: false, ifVersion: undefined }))
      ).toMatchObject(missing)
      expect(yield* Effect.flip(tables.createField(other, table.id, { name: "X", type: "text" }))).toMatchObject(
        missing
      )
      // A relation does not lead where one may not look.
      expect(
        yield* Effect.flip(
          tables.create(other, {
            name: "Spy",
            fields: [{ name: "There", type: "relation", options: { relation: { tableId: table.id } } }]
          })
        )
      ).toMatchObject({ details: [{ field: "fields[0].options.relation.tableId" }] })
      yield* tables.createRows(mine, table.id, { rows, mode: "insert" })
    })
  )

  it.effect("changes the type of a field where every cell can be converted, and says how many cannot", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([{ name: "Value", type: "text" }])
      const field = table.fields[0]!
      yield* put([{ value: "10" }, { value: "2.50" }, { value: "" }, { value: null }, {}])
      const update = (change: FieldChange) => tables.updateField(user, table.id, field.id, change, undefined)
      const [bad] = yield* put([{ value: "ten" }])
      expect(yield* Effect.flip(update({ type: "number" }))).toMatchObject({
        _tag: "Unprocessable",
        details: [
          { field: "type", message: expect.stringContaining('one cell cannot be converted to number, such as "ten"') }
        ]
      })
      expect(yield* Effect.flip(update({ type: "boolean" }))).toMatchObject({ _tag: "Unprocessable" })
      yield* tables.updateRow(user, table.id, bad!, { values: { value: "-3" } }, undefined)
      expect((yield* update({ type: "number" })).field).toMatchObject({ type: "number", key: "value" })
      const page = yield* tables.queryRows(user, table.id, { sort: [{ field: "value" }] })
      expect(page.rows.map(({ values }) => values["value"] ?? null)).toEqual(["-3", "2.5", "10", null, null, null])
      yield* update({ type: "select", options: { choices: [{ label: "10" }, { label: "2.5" }, { label: "-3" }] } })
      const kept = yield* tables.queryRows(user, table.id, {
        filter: { field: "value", op: "eq", value: "10" }
      })
      expect(kept.rows).toHaveLength(1)
      expect(yield* Effect.flip(update({ options: { choices: [{ label: "10" }] } }))).toMatchObject({
        details: [{ field: "options" }]
      })
    })
  )

  it.effect("makes a field unique or required only when the rows already are", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([{ name: "Code", type: "text" }])
      const field = table.fields[0]!
      const [, second, third] = yield* put([{ code: "A" }, { code: "a" }, {}])
      const update = (change: FieldChange) => tables.updateField(user, table.id, field.id, change, undefined)
      expect(yield* Effect.flip(update({ unique: true }))).toMatchObject({ details: [{ field: "unique" }] })
      expect(yield* Effect.flip(update({ required: true }))).toMatchObject({ details: [{ field: "required" }] })
      expect(yield* Effect.flip(tables.update(user, table.id, { keyFields: ["code"] }, undefined))).toMatchObject({
        details: [{ field: "keyFields" }]
      })
      yield* tables.deleteRows(user, table.id, [second!, third!])
      expect((yield* update({ unique: true, required: true })).field).toMatchObject({ unique: true, required: true })
      expect(yield* Effect.flip(put([{ code: "a" }]))).toMatchObject({
        code: "ALREADY_EXISTS",
        details: [{ field: "rows[0].values.code" }]
      })
      expect(yield* Effect.flip(put([{}]))).toMatchObject({
        details: [{ field: "rows[0].values.code", message: "is required" }]
      })
      expect(yield* Effect.flip(tables.restoreRow(user, table.id, second!))).toMatchObject({ code: "ALREADY_EXISTS" })
    })
  )

  it.effect("adds fields under keys of their own and takes their cells away with them", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange([{ name: "Memo", type: "text" }], { keyFields: ["memo"] })
      expect(
        yield* Effect.flip(tables.createField(user, table.id, { key: "memo", name: "Other", type: "text" }))
      ).toMatchObject({ code: "KEY_TAKEN" })
      const { field } = yield* tables.createField(user, table.id, { name: "Memo", type: "number", indexed: true })
      expect(field).toMatchObject({ key: "memo2", origin: "user", position: 1 })
      const [id] = yield* put([{ memo: "a", memo2: 5 }])
      expect(yield* Effect.flip(tables.deleteField(user, table.id, table.fields[0]!.id, undefined))).toMatchObject({
        code: "FIELD_IN_USE"
      })
      yield* tables.deleteField(user, table.id, field.id, undefined)
      yield* tables.createField(user, table.id, { key: "memo2", name: "Again", type: "text" })
      expect((yield* tables.getRow(user, table.id, id!)).row.values).toEqual({ memo: "a" })
    })
  )

  it.effect("leaves fields of people, what they wrote and what they threw away alone, whatever a feed delivers", () =>
    Effect.gen(function* () {
      for (const keyed of [false, true]) {
        const { tables, table, user, workspace } = yield* arrange([
          { name: "Note", type: "text", unique: keyed, ...(keyed ? {} : {}) },
          { name: "Stage", type: "text", ...(keyed ? { default: "new" } : {}) }
        ])
        const { deliver } = yield* deliverer(workspace, table, ["Memo", "Payee"])
        yield* deliver("create", { "t:1": { Memo: "a", Payee: "A" }, "t:2": { Memo: "b", Payee: "B" } })
        const page = yield* tables.queryRows(user, table.id, {})
        const [one, two] = page.rows
        expect(one!.values).toEqual({ memo: "a", payee: "A", ...(keyed ? { stage: "new" } : {}) })
        const { row } = yield* tables.updateRow(
          user,
          table.id,
          one!.id,
          { values: { memo: "mine", note: "N", payee: "A" } },
          undefined
        )
        expect(row.held.toSorted()).toEqual(["memo", "note"])
        yield* tables.deleteRow(user, table.id, two!.id, undefined)
        const receipts = yield* deliver("create", {
          "t:1": { Memo: "a2", Payee: "A2" },
          "t:2": { Memo: "b2", Payee: "B2" }
        })
        expect(new Map(receipts.map(({ key, outcome }) => [key, outcome]))).toEqual(
          new Map([
            ["t:1", "done"],
            ["t:2", "skipped"]
          ])
        )
        yield* deliver("update", { "t:1": { Memo: "a3", Payee: "A3" }, "t:2": { Memo: "b3", Payee: "B3" } })
        yield* deliver("remove", { "t:2": {} })
        const after = yield* tables.queryRows(user, table.id, {})
        expect(after.rows.map(({ values }) => values)).toMatchObject([{ memo: "mine", note: "N", payee: "A3" }])
        expect(after.table.fields.map(({ key, origin, type }) => [key, origin, type])).toEqual([
          ["note", "user", "text"],
          ["stage", "user", "text"],
          ["memo", "feed", "text"],
          ["payee", "feed", "text"]
        ])
        expect(after.table.rowCount).toBe(1)
        // Folded text goes the way of its cell.
        const found = (value: string) =>
          Effect.map(
            tables.queryRows(user, table.id, { filter: { field: "memo", op: "eq", value } }),
            ({ rows }) => rows.length
          )
        expect([yield* found("MINE"), yield* found("a3")]).toEqual([1, 0])
        yield* tables.updateRow(user, table.id, one!.id, { values: {}, release: ["memo"] }, undefined)
        yield* deliver("update", { "t:1": { Memo: "Back", Payee: "A3" } })
        expect((yield* tables.getRow(user, table.id, one!.id)).row).toMatchObject({
          values: { memo: "Back", note: "N" },
          held: ["note"]
        })
        expect([yield* found("back"), yield* found("mine")]).toEqual([1, 0])
        yield* tables.restoreRow(user, table.id, two!.id)
        expect((yield* tables.getRow(user, table.id, two!.id)).row.values).toMatchObject({ memo: "b" })
      }
    })
  )

  it.effect("refuses the one row of a feed that would break uniqueness, and writes the others", () =>
    Effect.gen(function* () {
      const { tables, table, user, workspace, put } = yield* arrange([
        { key: "code", name: "Code", type: "text", unique: true }
      ])
      yield* put([{ code: "Taken" }])
      const { deliver } = yield* deliverer(workspace, table, ["code"])
      const receipts = yield* deliver("create", {
        a: { code: "x" },
        b: { code: "TAKEN" },
        c: { code: "X" },
        d: { code: "y" }
      })
      expect(receipts.map(({ key, outcome }) => [key, outcome])).toEqual([
        ["a", "done"],
        ["b", "failed"],
        ["c", "failed"],
        ["d", "done"]
      ])
      expect((yield* tables.get(user, table.id)).rowCount).toBe(3)
      expect(receipts[1]).toMatchObject({ reason: 'Another row has the same "Code", which must be unique.' })
    })
  )

  it.effect("refuses deliveries into a table in the trash", () =>
    Effect.gen(function* () {
      const { tables, table, user, workspace } = yield* arrange([])
      yield* tables.trash(user, table.id, { permanent: false, ifVersion: undefined })
      const { deliver } = yield* deliverer(workspace, table, ["Memo"])
      expect(yield* Effect.flip(deliver("create", { a: { Memo: "x" } }))).toMatchObject({ _tag: "DestinationRejected" })
    })
  )
}
