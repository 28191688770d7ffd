import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import { Digest } from "../../src/shared/Digest.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { makeRowRevival } from "../../src/table/RowRevival.ts"
import { shapeOf } from "../../src/table/RowShape.ts"
import type { Row } from "../../src/table/Table.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { makeTableField, storeTable, storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const services = Layer.mergeAll(MemoryStorage.layer, Ids.layer, NodeDigest.layer)

const arrange = Effect.gen(function* () {
  const store = yield* TableStore
  const { contentHash } = yield* Digest
  const name = yield* makeTableField("name", { unique: true })
  const table = yield* storeTable(yield* storeWorkspace(), { fields: [name] })
  const shape = shapeOf(table, contentHash)
  const put = Effect.fnUntraced(function* (text: string, externalKey?: string) {
    const row: Row = {
      id: yield* (yield* Ids).next("row"),
      tableId: table.id,
      values: { name: text },
      ...(externalKey === undefined ? {} : { externalKey }),
      held: externalKey === undefined ? [] : ["name"],
      createdBy: table.createdBy,
      updatedBy: table.createdBy,
      version: 1,
      createdAt: table.createdAt,
      updatedAt: table.createdAt
    }
    yield* store.putRows(table.id, [shape.stored(row)], 1)
    return row
  })
  const holderOf = (row: Row) =>
    Effect.map(
      store.holders(
        table.id,
        shape.stored(row).entries.flatMap(({ facet, mark }) => (mark === undefined ? [] : [{ facet, mark }]))
      ),
      (holders) => [...holders.values()]
    )
  const reviveRows = yield* makeRowRevival
  const revive = (keys: ReadonlyArray<string>) => reviveRows(table, keys)
  const find = (row: Row) => Effect.map(store.rowsById(table.id, [row.id]), ([found]) => found!)
  return { store, table, put, holderOf, revive, find }
})

describe("rows that come back", () => {
  it.effect("brings back rows that went with their record, under their key, with all that tells them apart", () =>
    Effect.gen(function* () {
      const { find, holderOf, put, revive, store, table } = yield* arrange
      const row = yield* put("Lamp", "transactions:1")
      yield* store.removeFeedRows(table.id, ["transactions:1"])
      expect(yield* holderOf(row)).toEqual([])
      yield* revive(["transactions:2"])
      expect((yield* find(row)).trashedAt).toBeDefined()
      yield* revive(["transactions:1", "transactions:2"])
      const { updatedAt: _, ...rest } = row
      expect(yield* find(row)).toMatchObject({ ...rest, version: 3 })
      expect((yield* find(row)).trashedAt).toBeUndefined()
      expect(yield* holderOf(row)).toEqual([row.id])
      expect(yield* store.rowTotal(table.workspaceId)).toBe(1)
    }).pipe(Effect.provide(services))
  )

  it.effect("leaves a row in the trash whose key or unique value another row has by now", () =>
    Effect.gen(function* () {
      const { find, put, revive, store, table } = yield* arrange
      const lamp = yield* put("Lamp", "transactions:1")
      const desk = yield* put("Desk", "transactions:2")
      yield* store.removeFeedRows(table.id, ["transactions:1", "transactions:2"])
      yield* put("lamp")
      yield* put("Chair", "transactions:2")
      yield* revive(["transactions:1", "transactions:2"])
      for (const row of [lamp, desk]) expect((yield* find(row)).trashedAt).toBeDefined()
      expect(yield* store.rowTotal(table.workspaceId)).toBe(2)
    }).pipe(Effect.provide(services))
  )
})
