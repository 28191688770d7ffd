/** Rows and records of earlier versions have the names of their fields: they are read, found and written over as others are. */
import { layer as recordStore } from "../../src/storage/postgres/PostgresRecordStore.ts"
import { layer as tableStore } from "../../src/storage/postgres/PostgresTableStore.ts"
import { Ids } from "@millrace/core"
import type { RecordFilter, RecordScope } from "@millrace/core/storage"
import { RecordStore, TableStore } from "@millrace/core/storage"
import type { RowId, TableId } from "@millrace/core/table"
import { wholeScan } from "@millrace/core/table"
import type { WorkspaceId } from "@millrace/core/workspace"
import { withinWorkspaces } from "@millrace/core/workspace"
import { makeWrite } from "@millrace/testing/fixture"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const tableId = "tbl_00000000000000000000000001" as TableId
const actor = { kind: "sync", feedId: "feed_00000000000000000000000001" } as const
const scope: RecordScope = {
  workspaceId,
  accountId: "acct_00000000000000000000000001" as RecordScope["accountId"],
  dataType: "transactions"
}
const rowId = (n: number): RowId => `row_${String(n).padStart(26, "0")}` as RowId

const cells = { amount: "-1", description: "Café", merchantName: null, memo: "own" }

const world = Layer.mergeAll(recordStore, tableStore, Ids.layer).pipe(Layer.provideMerge(walled(inject("postgres"))))

layer(world, { timeout: "60 seconds" })("Rows with names", (it) => {
  it.effect("are merged with what a feed writes, left alone where it is the same, and have each cell once", () =>
    Effect.gen(function* () {
      const [store, sql] = [yield* TableStore, yield* OwnerClient]
      yield* sql`insert into workspace (id, name, plan, timezone, locale, base_currency, created_at, updated_at, version)
        values (${workspaceId}, 'Books', 'free', 'UTC', 'en', 'CHF', now(), now(), 1)`
      yield* sql`insert into app_table (id, workspace_id, name, key_fields, row_count, created_by, version, created_at, updated_at)
        values (${tableId}, ${workspaceId}, 'Rows', '[]', 3, '{"kind":"user","userId":"usr_1"}', 1, now(), now())`
      for (const [n, held] of ["[]", "[]", '["description"]'].entries()) {
        yield* sql`insert into table_row (id, workspace_id, table_id, field_values, folded, held, external_key, key_no, created_by,
            version, created_at, updated_at)
          values (${rowId(n)}, ${workspaceId}, ${tableId}, ${JSON.stringify(cells)}::jsonb, '{}', ${held}::jsonb,
            ${`k${n}`}, row_key_no(${tableId}, ${`k${n}`}), ${JSON.stringify(actor)}::json, 1, now(), now())`
      }
      const written = { amount: "-2", description: null }
      const put = [{ ...cells }, written, written].map((values, n) => ({
        key: `k${n}`,
        values,
        folded: {},
        mustExist: false
      }))
      const ids = [rowId(7), rowId(8), rowId(9)]
      yield* store.putFeedRows(tableId, put, ids, actor)
      const rows = yield* store.rowsByKey(tableId, ["k0", "k1", "k2"])
      expect(rows.map(({ values, version }) => [version, values])).toEqual([
        [1, cells],
        [2, { ...cells, ...written }],
        [2, { ...cells, amount: "-2" }]
      ])
      const stored = yield* sql`select field_values as cells from table_row where table_id = ${tableId} order by id`
      expect(stored.map((one) => Object.keys(one["cells"] as object).toSorted())).toEqual([
        ["amount", "description", "memo", "merchantName"],
        ["E", "P", "memo", "merchantName"],
        ["E", "P", "memo", "merchantName"]
      ])
      const order = [{ field: "amount", as: "number", desc: true }] as const
      const sorted = yield* store.rows(wholeScan(tableId, { limit: 5, sort: order }))
      expect(sorted.map(({ values }) => values["amount"])).toEqual(["-1", "-2", "-2"])
      yield* store.clearField(tableId, "amount")
      expect((yield* store.rows(wholeScan(tableId, { limit: 5 }))).map(({ values }) => "amount" in values)).toEqual([
        false,
        false,
        false
      ])
    }).pipe(withinWorkspaces(workspaceId))
  )

  it.effect("are found in the ledger by what they say, beside others", () =>
    Effect.gen(function* () {
      const [store, sql] = [yield* RecordStore, yield* OwnerClient]
      const fields = {
        date: "2026-03-14",
        description: "Blue Heron",
        amount: "-5",
        type: "CARD",
        category: "FOOD",
        pending: false
      }
      const writes = [yield* makeWrite({ fields }), yield* makeWrite({ fields: { ...fields, type: "ATM" } })]
      yield* store.write(scope, [...writes, yield* makeWrite({ fields: { ...fields, memo: "of a feed" } })])
      const old = writes[0]!
      yield* sql`update record set fields = ${JSON.stringify(fields)}::json where id = ${old.id}`
      const pages = (filter: RecordFilter) =>
        Effect.all([store.page(scope, { filter, limit: 9 }), store.shownPage(scope, { filter, limit: 9 })]).pipe(
          Effect.map(([page, shown]) => {
            expect(shown.records.map(({ id }) => id)).toEqual(page.map(({ id }) => id))
            expect(shown.records.map((one) => one.fields)).toEqual(page.map((one) => one.fields))
            return page.length
          })
        )
      expect(yield* pages({})).toBe(3)
      expect(yield* pages({ type: "CARD" })).toBe(2)
      expect(yield* pages({ type: "ATM" })).toBe(1)
      expect(yield* pages({ category: "FOOD", text: "heron" })).toBe(3)
      expect(yield* pages({ text: "nowhere" })).toBe(0)
      expect([...(yield* store.fields(scope, [old.id, writes[1]!.id])).values()]).toEqual([
        fields,
        { ...fields, type: "ATM" }
      ])
      expect((yield* store.held(scope, [old.id]))[0]?.fields).toEqual(fields)
    }).pipe(withinWorkspaces(workspaceId))
  )
})
