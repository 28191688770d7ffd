/** An installation with many records moves to looking them up by a number while it serves. */
import { migrateTo, newestSchema } from "../../src/storage/postgres/Migrations.ts"
import { recordScopes } from "../../src/storage/postgres/migrations/0063_record_scopes.ts"
import { recordIds } from "../../src/storage/postgres/migrations/0066_record_ids.ts"
import { areKeyedById, areScoped } from "../../src/storage/postgres/migrations/recordScope.ts"
import { layer as recordStore } from "../../src/storage/postgres/PostgresRecordStore.ts"
import { schemaName } from "../../src/storage/postgres/Schema.ts"
import { scopeRecords } from "../../src/storage/postgres/ScopedRecords.ts"
import { CalendarDate } from "@millrace/core"
import type { RecordWrite } from "@millrace/core/record"
import { type RecordScope, RecordStore } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import { client, emptyDatabase } from "@millrace/verification/postgres/TestPostgres"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const scopeOf = (account: number, dataType: RecordScope["dataType"]): RecordScope => ({
  workspaceId,
  accountId: `acct_${String(account).padStart(26, "0")}` as RecordScope["accountId"],
  dataType
})
const scopes = [scopeOf(1, "transactions"), scopeOf(1, "orders"), scopeOf(2, "transactions")]
const scope = scopes[0]!
const idOf = (n: number): string => `txn_${String(n).padStart(26, "0")}`

/** A database as the release before left it. */
const earlier = Layer.unwrap(
  Effect.map(emptyDatabase(inject("postgres")), (url) =>
    client(inject("postgres"), new URL(Redacted.value(url)).pathname.slice(1), 4)
  )
)

const made = 3_000

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create schema ${schemaName}`)
  yield* sql.withTransaction(migrateTo(62))
  for (const { accountId, dataType } of scopes) {
    yield* sql`insert into account_change (account_id, workspace_id, change_seq) values (${accountId}, ${workspaceId}, ${made})
      on conflict (account_id) do nothing`
    yield* sql`insert into record (workspace_id, account_id, data_type, id, provider_id, date, pending, amount, state, hash,
        fields, change_no)
      select ${workspaceId}, ${accountId}, ${dataType}, 'txn_' || lpad(n::text, 26, '0'), 'p' || n,
        case when n % 9 = 0 then null else date '2020-01-01' + n % 700 end, false, n,
        case n % 50 when 0 then 'removed' when 1 then 'deleted' else 'live' end, 'h' || n,
        json_build_object('description', 'row ' || n, 'amount', n::text), n
      from generate_series(1, ${made}::int) n`
  }
  yield* sql.withTransaction(
    Effect.andThen(recordScopes(1), sql`insert into schema_migration (migration_id, name) values (63, 'record_scopes')`)
  )
  yield* sql.withTransaction(migrateTo(newestSchema))
})

const contents = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select (to_jsonb(r) - 'scope_no')::text as row from record r where id like 'txn_0%' order by 1`
)

const indexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`select indexrelid::regclass::text as name from pg_index
    where indrelid = ${`${schemaName}.record`}::regclass and indisvalid order by 1`
  return rows.map(({ name }) => name)
})

const inOrder = <A extends { readonly id: string }, E, R>(found: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.map(found, (rows) => rows.toSorted((one, other) => (one.id < other.id ? -1 : 1)))

/** What the store says of the ledgers, in every way in which it looks records up. */
const said = Effect.gen(function* () {
  const records = yield* RecordStore
  return yield* Effect.forEach(scopes, (own) =>
    Effect.all([
      records.page(own, { filter: {}, limit: 7 }),
      records.page(own, { filter: {}, before: { date: null, id: idOf(500) }, limit: 3 }),
      records.page(own, { filter: { state: "removed" }, limit: 5 }),
      inOrder(records.index(own, { providerIds: ["p17", "p99999"] })),
      inOrder(
        records.index(own, { days: [{ from: CalendarDate.make("2020-03-01"), to: CalendarDate.make("2020-03-02") }] })
      ),
      inOrder(records.held(own, [idOf(3), idOf(2_999)])),
      records.changes(own, { after: 2_000, upTo: 2_100, limit: 10 }),
      records.latestDate(own)
    ])
  )
})

const written = (n: number): RecordWrite => ({
  id: `txn_${String(n).padStart(26, "x")}`,
  providerId: `new${n}`,
  date: CalendarDate.make("2026-01-02"),
  pending: false,
  state: "live",
  hash: "h",
  fields: { description: `new ${n}`, amount: "1" }
})

describe("records of an installation that is moved", () => {
  it.layer(Layer.provideMerge(recordStore, earlier), { timeout: "120 seconds" })("on PostgreSQL", (test) => {
    test.effect("are looked up as they were as long as somebody is at the table, also where that is cut off", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* fill
        expect(yield* areScoped).toBe(false)
        const [before, rows] = [yield* said, yield* contents]
        expect(rows).toHaveLength(made * scopes.length)

        const ended = Latch.makeUnsafe(false)
        const open =
          yield* sql`update record set missed = missed where account_id = ${scope.accountId} and id = ${idOf(1)}`.pipe(
            Effect.andThen(ended.await),
            sql.withTransaction,
            Effect.forkChild({ startImmediately: true })
          )
        const moving = yield* Effect.forkChild(scopeRecords, { startImmediately: true })
        yield* Effect.sleep("200 millis")
        expect(yield* said).toEqual(before)
        yield* Fiber.interrupt(moving)
        expect(yield* areScoped).toBe(false)
        yield* ended.open
        yield* Fiber.join(open)
        expect(yield* contents).toEqual(rows)
      }).pipe(TestClock.withLive)
    )

    test.effect("have their number in the end, those too that were written meanwhile", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const records = yield* RecordStore
        const [before, rows] = [yield* said, yield* contents]
        const moving = yield* Effect.forkChild(scopeRecords, { startImmediately: true })
        let writes = 0
        for (let n = 0; n < 40; n++) {
          yield* records.write(scope, [written(n)])
          writes++
          yield* Effect.sleep("5 millis")
        }
        expect(yield* Fiber.join(moving)).toBe(true)
        // By the text of a statement that ran before, on connections that ran it.
        yield* records.write(scope, [written(0), written(writes)])
        expect(yield* areScoped).toBe(true)
        expect(yield* areKeyedById).toBe(true)
        expect(yield* indexes).toEqual([
          "record_list",
          "record_list_gone",
          "record_pkey",
          "record_scope_change",
          "record_scope_provider",
          "record_scope_public_change"
        ])
        expect(yield* contents).toEqual(rows)
        expect(yield* sql`select id from record where scope_no <> record_scope(account_id, data_type)`).toEqual([])
        const found = yield* records.index(scope, { days: [{ from: written(0).date!, to: written(0).date! }] })
        expect(found.filter(({ id }) => id.startsWith("txn_x"))).toHaveLength(writes + 1)
        const after = yield* said
        expect(after.slice(1)).toEqual(before.slice(1))
        expect(after[0]!.slice(1, 7)).toEqual(before[0]!.slice(1, 7))
        expect(yield* scopeRecords).toBe(false)
        // As a large installation comes from the release before, which had its number first in the key.
        yield* sql.unsafe(`create unique index record_scope_id on record (scope_no, id)`)
        yield* sql.unsafe(`alter table record drop constraint record_pkey,
          add constraint record_pkey primary key using index record_scope_id`)
        yield* recordIds(1)
        expect(yield* areKeyedById).toBe(false)
        expect(yield* scopeRecords).toBe(true)
        expect(yield* areKeyedById).toBe(true)
        expect(yield* said).toEqual(after)
        expect(yield* records.write(scope, [written(0)])).toBeUndefined()
        expect(yield* scopeRecords).toBe(false)
      }).pipe(TestClock.withLive)
    )
  })
})
