/** An installation with many records moves to the indexes and blocks of reads while it serves. */
import { makeLate } from "../../src/storage/postgres/LateIndexes.ts"
import { type LateIndex, makeWhereSmall, recordDays } from "../../src/storage/postgres/migrations/lateIndex.ts"
import { recordScopes } from "../../src/storage/postgres/migrations/0063_record_scopes.ts"
import { migrateTo, newestSchema } from "../../src/storage/postgres/Migrations.ts"
import { layer as recordStore } from "../../src/storage/postgres/PostgresRecordStore.ts"
import { schemaName } from "../../src/storage/postgres/Schema.ts"
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
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const scope: RecordScope = {
  workspaceId,
  accountId: "acct_00000000000000000000000001" as RecordScope["accountId"],
  dataType: "transactions"
}

/** A database as the release before left it, with many records. */
const earlier = Layer.unwrap(
  Effect.map(emptyDatabase(inject("postgres")), (url) => {
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    return client(inject("postgres"), name, 4)
  })
)

const made = 30_000

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create schema ${schemaName}`)
  yield* sql.withTransaction(migrateTo(28))
  yield* sql`insert into account_change (account_id, workspace_id, change_seq) values (${scope.accountId}, ${workspaceId}, ${made})`
  yield* sql`insert into record (workspace_id, account_id, data_type, id, provider_id, date, pending, amount, state, hash,
      fields, change_no)
    select ${workspaceId}, ${scope.accountId}, 'transactions', 'txn_' || lpad(n::text, 26, '0'), 'p' || n,
      date '2020-01-01' + n % 2000, false, n, 'live', 'h',
      json_build_object('description', 'row ' || n, 'amount', n::text), n
    from generate_series(1, ${made}::int) n`
})

/** What a migration of a large table would have left behind. */
const noteStep = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`insert into schema_migration (migration_id, name) values (63, 'record_scopes')`
)

const indexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly valid: boolean }>`
    select indexrelid::regclass::text as name, indisvalid as valid from pg_index
    where indrelid = ${`${schemaName}.record`}::regclass and indexrelid::regclass::text ~ 'page|tombstone|day|dated|record_gone' order by 1`
  return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]))
})

describe("indexes that are made while the server works", () => {
  it.layer(Layer.provideMerge(recordStore, earlier), { timeout: "120 seconds" })("on PostgreSQL", (test) => {
    test.effect("are left to it where a table is large, keep no writer waiting, and take the place of others", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const records = yield* RecordStore
        yield* fill
        yield* makeWhereSmall(recordDays, 1)
        expect(yield* indexes).toEqual({ record_page: true, record_tombstone: true })

        yield* sql.withTransaction(migrateTo(62))
        yield* sql.withTransaction(Effect.andThen(recordScopes(1), noteStep))
        yield* sql.withTransaction(migrateTo(newestSchema))
        yield* sql`drop index record_dated, record_gone`
        yield* sql`create index record_page on record (account_id, data_type, (coalesce(date, '-infinity'::date)) desc, id desc)`
        yield* sql`create index record_tombstone on record (account_id, date) where state <> 'live'`
        const page = records.page(scope, { filter: { text: "ROW 29999" }, limit: 10 })
        const before = yield* page
        expect(before.map(({ id }) => id)).toEqual([`txn_${"29999".padStart(26, "0")}`])

        // Somebody has written and not ended yet: indexes wait for that, and others write meanwhile.
        const ended = Latch.makeUnsafe(false)
        const open = yield* sql`update account_change set change_seq = change_seq where account_id = 'nobody'`.pipe(
          Effect.andThen(sql`insert into record_pull (account_id, workspace_id, data_type, pulled_at)
            values ('acct_open', ${workspaceId}, 'transactions', now())`),
          Effect.andThen(ended.await),
          sql.withTransaction,
          Effect.forkChild({ startImmediately: true })
        )
        const making = yield* Effect.forkChild(makeLate(), { startImmediately: true })
        for (let n = 0; n < 20; n++) {
          yield* records.write(scope, [
            {
              id: `txn_${String(made + n).padStart(26, "x")}`,
              providerId: `new${n}`,
              date: null,
              pending: false,
              state: "live",
              hash: "h",
              fields: { description: `new ${n}`, amount: "1" }
            }
          ])
        }
        yield* ended.open
        yield* Fiber.join(open)
        expect((yield* Fiber.join(making)).toSorted()).toEqual(["record_dated", "record_gone"])
        expect(yield* indexes).toEqual({ record_dated: true, record_gone: true })
        expect(yield* page).toEqual(before)
        expect(yield* records.page(scope, { filter: { text: "new 1" }, limit: 100 })).toHaveLength(11)
      })
    )

    test.effect("are made again where that was cut off, and once alone", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update pg_index set indisvalid = false where indexrelid = 'record_dated'::regclass`
        expect(yield* makeLate()).toEqual(["record_dated"])
        expect(yield* makeLate()).toEqual([])
        expect(yield* indexes).toEqual({ record_dated: true, record_gone: true })
      })
    )

    test.effect("keep what they would replace as long as they cannot be made", () =>
      Effect.gen(function* () {
        const broken: LateIndex = {
          name: "record_broken",
          table: "record",
          definition: "(no_such_column)",
          replaces: ["record_gone"]
        }
        expect((yield* Effect.flip(makeLate([broken])))._tag).toBe("StorageUnavailable")
        expect(yield* indexes).toEqual({ record_dated: true, record_gone: true })
      })
    )
  })
})
