import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeLookup } from "../../../../src/enrichment/kinds/lookup/lookup.ts"
import type { TableSnapshot } from "../../../../src/enrichment/kinds/TableSnapshots.ts"
import type { Enrichment } from "../../../../src/enrichment/Enrichment.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import type { Fields } from "../../../../src/record/FieldValue.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { RunWork } from "../../../../src/enrichment/RunWork.ts"

const tableId = "tbl_00000000000000000000000001"
const snapshot: TableSnapshot = {
  version: "v1",
  columns: new Map([
    ["text", "str"],
    ["account", "str"],
    ["code", "str"],
    ["rank", "num"]
  ]),
  rows: [
    { id: "row_1", values: { text: "Acme", code: "A", account: "one", rank: "2" } },
    { id: "row_2", values: { text: "acme mktp", code: "B", account: "one", rank: "2" } },
    { id: "row_3", values: { text: "ACME", code: "C", account: "two", rank: "1" } },
    { id: "row_4", values: { text: "Bakery", account: "one" } }
  ]
}
const kind = makeLookup({ tables: { read: (_, id) => Effect.succeed(id === tableId ? snapshot : undefined) } })
const catalog = catalogOf("transactions")
const scope = {
  workspaceId: "ws_00000000000000000000000001" as Enrichment["workspaceId"],
  enrichmentId: "enr_00000000000000000000000001" as Enrichment["id"],
  dataType: "transactions"
} as const
const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }

const base = { kind: "table", tableId, matchColumn: "text", columns: { reference: "code" } }
const opened = (config: object) => {
  const read = Result.getOrThrow(decode(kind.Config, config))
  expect(kind.check(read, catalog).errors).toEqual([])
  return kind.open!(kind.prepare(read, catalog), scope)
}
const found = Effect.fnUntraced(function* (config: object, fields: Fields) {
  const { prepared } = yield* opened(config)
  return kind.plan(prepared, { recordId: "txn", fields }, context).claims
})
const messageOf = (source: object) => Effect.map(Effect.flip(opened({ source })), ({ message }) => message)

describe("a lookup in a table", () => {
  it.effect("writes what the row has that the text names, and says which", () =>
    Effect.gen(function* () {
      const claims = yield* found({ source: base }, { description: "ACME MKTP 4471" })
      expect(claims).toEqual([
        {
          field: "reference",
          value: "B",
          path: "row_2",
          evidence: { by: "normalized", key: "acme mktp", row: "row_2", table: "v1" }
        }
      ])
      expect((yield* opened({ source: base })).version).toBe("v1")
    })
  )

  it.effect("takes the smaller priority, and only rows whose further columns agree", () =>
    Effect.gen(function* () {
      const ranked = { source: { ...base, priorityColumn: "rank" } }
      expect((yield* found(ranked, { description: "acme" })).map(({ value }) => value)).toEqual(["C"])
      const also = { ...ranked, also: [{ field: "accountId", column: "account" }] }
      expect((yield* found(also, { description: "acme", accountId: "ONE" })).map(({ value }) => value)).toEqual(["A"])
      expect(yield* found(also, { description: "acme", accountId: "three" })).toEqual([])
    })
  )

  it.effect("makes no claim of an empty cell, or of a record without the text", () =>
    Effect.gen(function* () {
      expect(yield* found({ source: base }, { description: "Bakery" })).toEqual([])
      expect(yield* found({ source: base }, { description: null })).toEqual([])
    })
  )

  it.effect("fails on a record that several rows name, where that is asked for", () =>
    Effect.gen(function* () {
      const { prepared } = yield* opened({ source: base, onMultiple: "error" })
      const plan = () => kind.plan(prepared, { recordId: "txn", fields: { description: "acme" } }, context)
      expect(plan).toThrow("2 rows match by exact")
    })
  )

  it.effect("cannot run without its table and columns, and says what is missing", () =>
    Effect.gen(function* () {
      expect(yield* messageOf({ ...base, matchColumn: "name" })).toBe('the table has no column "name"')
      expect(yield* messageOf({ ...base, priorityColumn: "code" })).toBe('the column "code" is not numeric')
      const other = "tbl_00000000000000000000000002"
      expect(yield* messageOf({ ...base, tableId: other })).toBe(`there is no table ${other}`)
    })
  )
})
