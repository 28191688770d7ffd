import { describe, expect, it } from "@effect/vitest"
import type { Column, Destination, Outgoing } from "@millrace/core/destination"
import type { Fields, FieldType, FieldValue } from "@millrace/core/record"
import { Ids, limits } from "@millrace/core"
import { fieldKeyForm, type TableField } from "@millrace/core/table"
import { makeTableField, makeWorkspace } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { arrange } from "./TableWorld.ts"

const column = (name: string, type: FieldType = "str", label = name): Column => ({ name, label, type })

const create = (key: string, values: Fields): Outgoing => ({ key, op: "create", values, idempotencyKey: key })

const fieldOf = (key: string, change: Partial<TableField>) => Effect.provide(makeTableField(key, change), Ids.layer)

const named = (keys: string, text: string) => [...keys].map((key) => create(key, { Text: text }))
const done = (key: string) => ({ key, outcome: "done" })
const waits = (key: string) => ({ key, outcome: "failed", waits: true, reason: expect.stringContaining("3 rows") })

describe("TableDestination", () => {
  it.effect("makes the fields that are missing, of the type of their column, after the others", () =>
    Effect.gen(function* () {
      const own = yield* fieldOf("note", { name: "Note", origin: "user", position: 4 })
      const world = yield* arrange({ table: { fields: [own] } })
      yield* world.driver.open(world.feed, world.config, [
        column("Account ID"),
        column("Amount", "num"),
        column("Date", "date"),
        column("As Of", "ts"),
        column("Pending", "bool")
      ])
      const { fields } = yield* world.table
      expect(fields.map(({ key, name, type, origin, position }) => [key, name, type, origin, position])).toEqual([
        ["note", "Note", "text", "user", 4],
        ["accountId", "Account ID", "text", "feed", 5],
        ["amount", "Amount", "number", "feed", 6],
        ["date", "Date", "date", "feed", 7],
        ["asOf", "As Of", "datetime", "feed", 8],
        ["pending", "Pending", "boolean", "feed", 9]
      ])
      yield* world.driver.open(world.feed, world.config, [column("Amount", "num"), column("accountId")])
      expect((yield* world.table).fields).toEqual(fields)
    })
  )

  it.effect("makes no more rows than the workspace may have, and updates and removes those that are there", () =>
    Effect.gen(function* () {
      const world = yield* arrange({ settings: { workspaceRows: 3 } })
      const session = yield* world.driver.open(world.feed, world.config, [column("Text")])
      const write = (batch: ReadonlyArray<Outgoing>) =>
        Effect.map(session.write(batch), (receipts) => receipts.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
      expect(yield* write(named("ab", "old"))).toMatchObject([done("a"), done("b")])
      expect(yield* write(named("abcde", "new"))).toMatchObject([
        done("a"),
        done("b"),
        done("c"),
        waits("d"),
        waits("e")
      ])
      expect((yield* world.rows).map(({ externalKey, values }) => [externalKey, values["text"]])).toEqual([
        ["a", "new"],
        ["b", "new"],
        ["c", "new"]
      ])
      const removal: Outgoing = { key: "a", op: "remove", values: {}, idempotencyKey: "a" }
      expect(yield* write([removal, ...named("de", "late")])).toMatchObject([done("a"), done("d"), waits("e")])
      expect((yield* world.table).rowCount).toBe(3)
    })
  )

  it.effect("makes keys that are unique and of the right form, whatever the name", () =>
    Effect.gen(function* () {
      const world = yield* arrange()
      const names = [
        "Número de cuenta",
        "2nd",
        "合計",
        "小計",
        "__proto__",
        "a b",
        "A B",
        "aB ",
        "x".repeat(100),
        "ID",
        "URL of ID"
      ]
      yield* world.driver.open(world.feed, world.config, [
        ...names.map((name) => column(name)),
        column(`${"x".repeat(100)}y`)
      ])
      const keys = (yield* world.table).fields.map(({ key }) => key)
      expect(keys.slice(0, 8)).toEqual(["numeroDeCuenta", "field2nd", "field", "field2", "proto", "aB", "aB2", "aB3"])
      expect(keys.slice(9, 11)).toEqual(["id", "urlOfId"])
      expect(keys.every((key) => fieldKeyForm.test(key))).toBe(true)
      expect(new Set(keys).size).toBe(keys.length)
    })
  )

  it.effect("makes no field where it may not, and names all that are missing", () =>
    Effect.gen(function* () {
      const existing = yield* fieldOf("amount", { name: "Amount", type: "number" })
      const columns = [column("Amount", "num"), column("Memo"), column("Tag")]
      for (const [change, mappingsDefaulted] of [
        [{}, false],
        [{ createMissingColumns: false }, true]
      ] as const) {
        const world = yield* arrange({ table: { fields: [existing] }, feed: { mappingsDefaulted } })
        const refusal = yield* Effect.flip(world.driver.open(world.feed, { ...world.config, ...change }, columns))
        expect(refusal).toMatchObject({ _tag: "DestinationColumnMissing", columns: ["Memo", "Tag"] })
        expect(refusal.message).toContain('"Memo", "Tag"')
        expect((yield* world.table).fields).toEqual([existing])
        expect(yield* world.rows).toEqual([])
      }
      const asked = yield* arrange({ table: { fields: [existing] }, feed: { mappingsDefaulted: false } })
      yield* asked.driver.open(asked.feed, { ...asked.config, createMissingColumns: true }, columns)
      expect((yield* asked.table).fields.map(({ key }) => key)).toEqual(["amount", "memo", "tag"])
    })
  )

  it.effect("keeps values under the keys of the fields, found by key or by name", () =>
    Effect.gen(function* () {
      const fields = [
        yield* fieldOf("betrag", { name: "Amount", type: "currency" }),
        yield* fieldOf("memo", { name: "Something else" })
      ]
      const world = yield* arrange({ table: { fields } })
      const session = yield* world.driver.open(world.feed, world.config, [column("Amount", "num"), column("memo")])
      yield* session.write([create("transactions:1", { Amount: "-12.5", memo: "hello", unmapped: "x" })])
      const [row] = yield* world.rows
      expect(row).toMatchObject({
        values: { betrag: "-12.5", memo: "hello" },
        externalKey: "transactions:1",
        createdBy: { kind: "sync", feedId: world.feed.id }
      })
      expect(Object.keys(row!.values)).toEqual(["betrag", "memo"])
    })
  )

  it.effect("prefers its own field to one of a person with the same name", () =>
    Effect.gen(function* () {
      const fields = [
        yield* fieldOf("mine", { name: "Category", origin: "user" }),
        yield* fieldOf("category2", { name: "Category", origin: "feed" })
      ]
      const world = yield* arrange({ table: { fields } })
      const session = yield* world.driver.open(world.feed, world.config, [column("Category")])
      yield* session.write([create("transactions:1", { Category: "FOOD" })])
      expect((yield* world.rows).map(({ values }) => values)).toEqual([{ category2: "FOOD" }])
    })
  )

  it.effect("refuses mappings that can never work", () =>
    Effect.gen(function* () {
      const fields = [
        yield* fieldOf("when", { name: "When", type: "date" }),
        yield* fieldOf("memo", { name: "Memo", type: "text" })
      ]
      const world = yield* arrange({ table: { fields } })
      for (const [columns, message] of [
        [[column("when", "num", "Amount")], 'The field "When" is of type date and cannot hold "Amount".'],
        [[column("memo"), column("Memo")], '"memo" and "Memo" are both mapped to the field "Memo".']
      ] as const) {
        expect(yield* world.driver.check(world.feed.workspaceId, world.config, columns, true)).toEqual([
          { field: "tableId", message }
        ])
        expect(yield* Effect.flip(world.driver.open(world.feed, world.config, columns))).toMatchObject({
          _tag: "DestinationRejected",
          message
        })
      }
      expect((yield* world.table).fields).toEqual(fields)
    })
  )

  it.effect("says that a table is not there, in the trash or of another workspace", () =>
    Effect.gen(function* () {
      const world = yield* arrange()
      const other = (yield* Effect.provide(makeWorkspace(), Ids.layer)).id
      expect(yield* world.driver.check(other, world.config, [column("a")], true)).toEqual([
        { field: "tableId", message: "The table does not exist or is in the trash." }
      ])
      const refusal = yield* Effect.flip(
        world.driver.open({ ...world.feed, workspaceId: other }, world.config, [column("a")])
      )
      expect(refusal).toMatchObject({
        _tag: "DestinationRejected",
        message: "The table does not exist or is in the trash."
      })
    })
  )

  it.effect("tells when a feed is saved which columns it may not create, and changes nothing", () =>
    Effect.gen(function* () {
      const world = yield* arrange()
      const check = (driver: Destination, createMissingColumns?: boolean) =>
        driver.check(
          world.feed.workspaceId,
          createMissingColumns === undefined ? world.config : { ...world.config, createMissingColumns },
          [column("Memo")],
          true
        )
      expect(yield* check(world.driver)).toEqual([])
      expect(yield* check(world.driver, true)).toEqual([])
      expect(yield* check(world.driver, false)).toEqual([
        {
          field: "createMissingColumns",
          message: 'The table has no field "Memo": add it, or set createMissingColumns to true.'
        }
      ])
      expect((yield* world.table).fields).toEqual([])
    })
  )

  it.effect("goes on with a field that was renamed, and leaves alone the one that took its name", () =>
    Effect.gen(function* () {
      const world = yield* arrange()
      const { bound } = yield* world.driver.open(world.feed, world.config, [column("Memo")])
      const made = (yield* world.table).fields[0]!
      expect(bound).toEqual(new Map([["Memo", made.id]]))
      const known = [{ ...column("Memo"), id: made.id }]
      expect(yield* world.driver.bind!(world.feed.workspaceId, world.config, [column("Memo")])).toEqual(bound)
      const session = yield* world.driver.open(world.feed, world.config, [column("Memo")])
      const taker = yield* fieldOf("taker", { name: "Memo", origin: "user" })
      const fields = [{ ...made, name: "Note" }, taker]
      yield* world.store.update({ ...(yield* world.table), fields, version: (yield* world.table).version + 1 })
      // The run that was under way meanwhile, and the next one.
      for (const [n, under] of [session, yield* world.driver.open(world.feed, world.config, known)].entries()) {
        yield* under.write([create(`transactions:${n}`, { Memo: `row ${n}` })])
      }
      expect((yield* world.rows).map(({ values }) => values)).toEqual([
        { [made.key]: "row 0" },
        { [made.key]: "row 1" }
      ])
      expect((yield* world.table).fields).toHaveLength(2)
      expect(
        yield* world.driver.check(world.feed.workspaceId, { ...world.config, createMissingColumns: false }, known, true)
      ).toEqual([])
    })
  )

  it.effect("does not make more fields than a table can have", () =>
    Effect.gen(function* () {
      const world = yield* arrange()
      const columns = Array.from({ length: limits.tableFields + 1 }, (_, i) => column(`c${i}`))
      expect(yield* world.driver.check(world.feed.workspaceId, world.config, columns, true)).toMatchObject([
        { field: "tableId" }
      ])
      expect(yield* Effect.flip(world.driver.open(world.feed, world.config, columns))).toMatchObject({
        _tag: "DestinationRejected"
      })
      yield* world.driver.open(world.feed, world.config, columns.slice(1))
      expect((yield* world.table).fields).toHaveLength(limits.tableFields)
    })
  )

  it.effect("takes text into typed fields where it is of that type, and refuses the record where it is not", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [TableField["type"], string, FieldValue | undefined]> = [
        ["number", "12.50", "12.5"],
        ["number", "=1+1", undefined],
        ["number", "1,234", undefined],
        ["currency", "-0.10", "-0.1"],
        ["date", "2026-02-28", "2026-02-28"],
        ["date", "2026-02-30", undefined],
        ["datetime", "2026-02-28T10:00:00+01:00", "2026-02-28T09:00:00.000Z"],
        ["datetime", "2026-02-28", undefined],
        ["boolean", "true", true],
        ["boolean", "toString", undefined],
        ["number", "", null],
        ["text", "", ""],
        ["text", "a\0b", "ab"],
        ["text", "\ud800", "\ufffd"],
        ["text", "\ud800\0\udc00", "\ufffd\ufffd"]
      ]
      for (const [type, given, kept] of cases) {
        const world = yield* arrange({ table: { fields: [yield* fieldOf("cell", { type })] } })
        const session = yield* world.driver.open(world.feed, world.config, [column("cell")])
        const [receipt] = yield* session.write([create("transactions:1", { cell: given })])
        const found = (yield* world.rows).map(({ values }) => values["cell"])
        if (kept === undefined) {
          expect(receipt).toEqual({
            key: "transactions:1",
            outcome: "failed",
            reason: `The value of "cell" is not a ${type}.`
          })
          expect(found).toEqual([])
        } else {
          expect(receipt).toMatchObject({ outcome: "done" })
          expect(found).toEqual([kept])
        }
      }
    })
  )

  it.effect("measures a row in bytes: one at the limit is written, one byte more is not", () =>
    Effect.gen(function* () {
      const world = yield* arrange({ table: { fields: [yield* fieldOf("t", { type: "text" })] } })
      const session = yield* world.driver.open(world.feed, world.config, [column("t")])
      const frame = JSON.stringify({ t: "" }).length
      const fits = "é".repeat((limits.rowBytes - frame) / 2)
      const receipts = yield* session.write([
        create("transactions:1", { t: fits }),
        create("transactions:2", { t: `${fits}x` })
      ])
      expect(new Map(receipts.map(({ key, outcome }) => [key, outcome]))).toEqual(
        new Map([
          ["transactions:1", "done"],
          ["transactions:2", "failed"]
        ])
      )
    })
  )

  it.effect("is not written whole", () =>
    Effect.gen(function* () {
      const world = yield* arrange()
      const session = yield* world.driver.open(world.feed, world.config, [column("a")])

      expect(yield* Effect.flip(session.replace(Stream.empty))).toMatchObject({ _tag: "DestinationRejected" })
    })
  )
})
