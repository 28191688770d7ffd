/** Rows of tables are found by their keys before, while and after an installation is moved to the numbers of keys. */
import { keyRows } from "../../src/storage/postgres/KeyedRows.ts"
import { migrateTo, newestSchema } from "../../src/storage/postgres/Migrations.ts"
import { numberedRowKeys } from "../../src/storage/postgres/migrations/0064_row_keys.ts"
import { layer as tableStore } from "../../src/storage/postgres/PostgresTableStore.ts"
import { schemaName } from "../../src/storage/postgres/Schema.ts"
import type { FeedRow } from "@millrace/core/storage"
import { TableStore } from "@millrace/core/storage"
import type { RowId, TableId } from "@millrace/core/table"
import type { WorkspaceId } from "@millrace/core/workspace"
import { client, emptyDatabase } from "@millrace/verification/postgres/TestPostgres"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const tableId = "tbl_00000000000000000000000001" as TableId
const otherTable = "tbl_00000000000000000000000002" as TableId
const actor = { kind: "sync", feedId: "feed_00000000000000000000000001" } as const
const rowId = (n: number): RowId => `row_${String(n).padStart(26, "0")}` as RowId
const keyOf = (n: number): string => `transactions:txn_${String(n).padStart(26, "0")}`
const made = 200

/** A database as the release before left it: the fifth row is in the trash, and a person wrote over a cell of each tenth. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create schema ${schemaName}`)
  yield* sql.withTransaction(migrateTo(63))
  yield* sql`insert into workspace (id, name, plan, timezone, locale, base_currency, created_at, updated_at, version)
    values (${workspaceId}, 'Books', 'free', 'UTC', 'en', 'CHF', now(), now(), 1)`
  for (const id of [tableId, otherTable]) {
    yield* sql`insert into app_table (id, workspace_id, name, key_fields, row_count, created_by, version, created_at, updated_at)
      values (${id}, ${workspaceId}, ${id}, '[]', ${made}, '{"kind":"user","userId":"usr_1"}', 1, now(), now())`
    yield* sql`insert into table_row (id, workspace_id, table_id, field_values, folded, held, external_key, created_by,
        version, created_at, updated_at, trashed_at)
      select 'row_' || lpad(n::text, 26, '0'), ${workspaceId}, ${id}, jsonb_build_object('text', 'row ' || n), '{}',
        case n % 10 when 0 then '["text"]' else '[]' end::jsonb, 'transactions:txn_' || lpad(n::text, 26, '0'),
        ${JSON.stringify(actor)}::json, 1, now(), now(), case n when 5 then now() end
      from generate_series(1, ${made}::int) n`
  }
})

const asLarge = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.andThen(numberedRowKeys(1), sql`insert into schema_migration (migration_id, name) values (64, 'row_keys')`)
  )
  yield* sql.withTransaction(migrateTo(newestSchema))
})

const database = () =>
  Layer.provideMerge(
    tableStore,
    Layer.unwrap(
      Effect.map(emptyDatabase(inject("postgres")), (url) =>
        client(inject("postgres"), new URL(Redacted.value(url)).pathname.slice(1), 1)
      )
    )
  )

const rowOf = (n: number, text: string, mustExist = false): FeedRow => ({
  key: keyOf(n),
  values: { text },
  folded: {},
  mustExist
})

/** What a feed writes: rows that are there, one in the trash, one that must be there and is not, and a new one. */
const written = Effect.fnUntraced(function* (fresh: number) {
  const store = yield* TableStore
  const rows = [
    rowOf(1, `one ${fresh}`),
    rowOf(2, "row 2", true),
    rowOf(5, "no"),
    rowOf(fresh + 1, "no", true),
    rowOf(fresh, "new")
  ]
  const put = yield* store.putFeedRows(
    tableId,
    rows,
    rows.map((_, n) => rowId(fresh * 10 + n)),
    actor
  )
  expect(put).toEqual(
    new Map([
      [keyOf(1), rowId(1)],
      [keyOf(2), rowId(2)],
      [keyOf(fresh), rowId(fresh * 10 + 4)]
    ])
  )
})

const found = Effect.fnUntraced(function* (keys: ReadonlyArray<number>) {
  const rows = yield* (yield* TableStore).rowsByKey(tableId, keys.map(keyOf))
  return rows
    .map(({ createdBy, externalKey, id, values, version }) => ({ createdBy, externalKey, id, values, version }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
})

const numbered = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly n: number }>`select count(*)::int as n from table_row where key_no is not null`
).pipe(Effect.map(([row]) => row!.n))

const held = Effect.gen(function* () {
  const store = yield* TableStore
  const first = yield* store.heldRows(tableId, { after: undefined, limit: 3 })
  const rest = yield* store.heldRows(tableId, { after: first.at(-1)!.externalKey, limit: 100 })
  return [...first, ...rest].map(({ externalKey }) => externalKey!)
})

const tens = (keys: ReadonlyArray<string>) => keys.filter((key) => key.endsWith("0"))

/** The same in whatever form the rows are. */
const lives = Effect.fnUntraced(function* (fresh: number) {
  const store = yield* TableStore
  yield* written(fresh)
  expect(yield* found([1, 3, fresh, fresh + 1])).toEqual(
    [
      { id: rowId(1), values: { text: `one ${fresh}` }, version: expect.any(Number) },
      { id: rowId(3), values: { text: "row 3" }, version: 1 },
      { id: rowId(fresh * 10 + 4), values: { text: "new" }, version: 1 }
    ].map((row, n) => ({ ...row, createdBy: actor, externalKey: keyOf([1, 3, fresh][n]!) }))
  )
  const before = yield* held
  expect(before).toEqual(before.toSorted())
  expect(tens(before)).toEqual(before)
  expect(yield* store.heldKeys(workspaceId, [keyOf(10), keyOf(11)])).toEqual(new Set([keyOf(10)]))
  // One goes, one that a person wrote on goes to the trash, and both keys are free.
  yield* store.removeFeedRows(tableId, [keyOf(fresh - 100), before[0]!])
  expect(yield* held).toEqual(before.slice(1))
  expect([...(yield* store.formerRows(tableId, [before[0]!])).keys()]).toEqual([before[0]])
  expect(yield* store.rowsByKey(tableId, [keyOf(fresh - 100), before[0]!])).toEqual([])
})

describe("rows of tables by their keys", () => {
  it.layer(database(), { timeout: "60 seconds" })("of a large installation", (test) => {
    test.effect("are found as they were, then by their numbers, and those of before stay and are found too", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* fill
        yield* asLarge
        yield* lives(1_003)
        expect(yield* numbered).toBe(0)
        expect(yield* keyRows).toBe(true)
        expect(yield* keyRows).toBe(false)
        // On the connection that knows the statements of before.
        yield* lives(1_103)
        expect(yield* numbered).toBe(1)
        expect(
          yield* sql`select external_key from table_row where external_key is not null group by table_id, external_key
            having count(*) > 1`
        ).toEqual([])
      })
    )
  })

  it.layer(database(), { timeout: "60 seconds" })("of a small installation", (test) => {
    test.effect("all get their numbers at once", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* fill
        yield* sql.withTransaction(migrateTo(newestSchema))
        expect(yield* numbered).toBe(2 * made)
        expect(yield* keyRows).toBe(false)
        yield* lives(1_003)
        yield* lives(1_103)
      })
    )

    test.effect("are told from others that have the same number", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update table_row set key_no = row_key_no(${tableId}, ${keyOf(17)}) where table_id = ${tableId}
          and external_key = ${keyOf(18)}`
        expect((yield* found([17])).map(({ id }) => id)).toEqual([rowId(17)])
        const put = yield* (yield* TableStore).putFeedRows(tableId, [rowOf(17, "seventeen")], [rowId(99_999)], actor)
        expect([...put]).toEqual([[keyOf(17), rowId(17)]])
        expect(
          yield* sql`select field_values->>'text' as text from table_row where table_id = ${tableId} and id = ${rowId(18)}`
        ).toEqual([{ text: "row 18" }])
      })
    )
  })
})
