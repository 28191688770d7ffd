/** The second wall between workspaces: the stores behind it, and what the database itself shows and refuses. */
import { readOnlyTables } from "../../src/storage/postgres/ServerRole.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { ownColumns, upstreamColumns } from "../../src/storage/postgres/PostgresAccountJoinStore.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { tablesWithoutRowLevelSecurity, unwalledTables } from "../../src/storage/postgres/RowLevelSecurity.ts"
import { Ids } from "@millrace/core"
import { BankDataPurge } from "@millrace/core/storage"
import { withinWorkspaces } from "@millrace/core/workspace"
import { storeWholeWorkspace } from "@millrace/testing/fixture"
import { everyRow } from "@millrace/verification/postgres/EveryRow"
import { layer as storeClock } from "@millrace/verification/postgres/PostgresClock"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { AccountJoinStoreSuite, BankDataPurgeSuite, RowLevelSecuritySuite } from "@millrace/testing/suite/storage"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { inject } from "vitest"

const total = (rows: ReadonlyArray<{ readonly n: number }>) => rows[0]!.n

const database = walled(inject("postgres"))
const stores = storage.pipe(Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })))

const withClock = Layer.merge(stores, storeClock.pipe(Layer.provide(Layer.effect(SqlClient, OwnerClient)))).pipe(
  Layer.provide(database)
)
RowLevelSecuritySuite.suite("PostgreSQL", withClock, { liveClock: true })
AccountJoinStoreSuite.suite("PostgreSQL: joins of accounts", withClock, { liveClock: true })
BankDataPurgeSuite.suite("PostgreSQL: what is held of a bank", withClock, { liveClock: true })

layer(Layer.merge(stores, Ids.layer).pipe(Layer.provideMerge(database)), { excludeTestServices: true })(
  "the wall between workspaces",
  (it) => {
    it.effect(
      "stands round every table but those that hold nothing of a workspace, and are named with the reason",
      () =>
        Effect.gen(function* () {
          const sql = yield* OwnerClient
          const ask = Effect.provideService(unwalledTables, SqlClient, sql)
          expect(yield* ask).toEqual([])
          // Added without a thought of whose its rows are.
          yield* sql`create table forgotten (id text)`
          expect(yield* ask).toEqual(["forgotten"])
          yield* sql`alter table forgotten enable row level security`
          expect(yield* ask).toEqual(["forgotten"])
          yield* sql`drop table forgotten`
          const known = yield* sql<{ readonly name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace and relkind = 'r'`
          const names = new Set(known.map(({ name }) => name))
          const gone = Object.keys(tablesWithoutRowLevelSecurity).filter(
            (name) => !names.has(name) && !name.startsWith("cluster_")
          )
          expect(gone).toEqual([])
        })
    )

    it.effect("knows of each column of accounts whether joined accounts exchange it", () =>
      Effect.gen(function* () {
        const sql = yield* OwnerClient
        const found = yield* sql<{ readonly name: string }>`select attname as name from pg_attribute
          where attrelid = 'account'::regclass and attnum > 0 and not attisdropped`
        // A new column: what an upstream says of an account goes into the first, all else into the second.
        expect(found.map(({ name }) => name).toSorted()).toEqual([...upstreamColumns, ...ownColumns].toSorted())
      })
    )

    it.effect("keeps nothing of a bank that was destroyed but what says that there was one", () =>
      Effect.gen(function* () {
        const owner = yield* OwnerClient
        const { account, bank, workspace, write } = yield* storeWholeWorkspace
        const within = withinWorkspaces(workspace.id)
        const naming = Effect.fnUntraced(function* (id: string) {
          const rows = yield* Effect.provideService(everyRow, SqlClient, owner)
          return [...new Set(rows.filter(({ text }) => text.includes(id)).map(({ table }) => table))].toSorted()
        })
        const named = yield* naming(account.id)
        expect(named.length).toBeGreaterThan(15)
        const { destroySome } = yield* BankDataPurge
        let left = 1
        while (left > 0) left = yield* within(destroySome(workspace.id, bank.id, 1_000))
        // Feeds of this workspace name the account still, which no feed of a bank that is removed does.
        expect(yield* naming(account.id)).toEqual(["account", "feed"])
        // A new table that names records or accounts: add it to `PostgresBankDataPurge`, or say here why it stays.
        expect(yield* naming(write.id)).toEqual([])
      })
    )

    it.effect("shows a transaction no row of another workspace in any table, and lets it change and add none", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const owner = yield* OwnerClient
        const mine = (yield* storeWholeWorkspace).workspace.id
        const theirs = (yield* storeWholeWorkspace).workspace.id
        const tables = yield* owner<{ readonly name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relrowsecurity order by 1`
        expect(tables.length).toBeGreaterThan(30)
        for (const { name } of tables) {
          const whose =
            name === "workspace"
              ? "id"
              : name === "app_user"
                ? "(select workspace_id from member where user_id = app_user.id)"
                : "workspace_id"
          const count = (id: string) => `select count(*)::int as n from ${name} where ${whose} = '${id}'`
          const there = (id: string) => Effect.map(owner.unsafe<{ readonly n: number }>(count(id)), total)
          const [ours, others] = [yield* there(mine), yield* there(theirs)]
          // A table that the whole workspace has nothing in: add it to `WholeWorkspace`.
          expect([name, ours > 0, others > 0]).toEqual([name, true, true])
          const tried = yield* Effect.gen(function* () {
            const all = total(yield* sql.unsafe<{ readonly n: number }>(`select count(*)::int as n from ${name}`))
            const seen = total(yield* sql.unsafe<{ readonly n: number }>(count(theirs)))
            const gone = yield* sql
              .unsafe(`delete from ${name} where ${whose} = '${theirs}' returning 1`)
              .pipe(sql.withTransaction, Effect.exit)
            const column = name === "app_user" ? "email" : whose
            const given = yield* Effect.exit(
              sql.withTransaction(sql.unsafe(`update ${name} set ${column} = '${theirs}' where ${whose} = '${mine}'`))
            )
            return { all, seen, gone: gone._tag === "Success" ? gone.value.length : "refused", given: given._tag }
          }).pipe(sql.withTransaction, withinWorkspaces(mine))
          const given = name === "app_user" ? "Success" : "Failure"
          const gone = readOnlyTables.includes(name) ? "refused" : 0
          expect([name, tried]).toEqual([name, { all: ours, seen: 0, gone, given }])
          expect([name, yield* there(theirs)]).toEqual([name, others])
          // Without a word about whose, there is nothing.
          const unsaid = yield* sql.unsafe<{ readonly n: number }>(`select count(*)::int as n from ${name}`)
          expect([name, total(unsaid)]).toEqual([name, 0])
        }
      })
    )
  }
)
