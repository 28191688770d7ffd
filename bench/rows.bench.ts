/**
 * Reading rows of a large table: the first page of a filter or an order on an indexed field, in a table of a
 * million rows and in one of ten thousand. The larger one should hardly be slower.
 */
import { NodeDigest } from "@millrace/adapters"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import type { Caller } from "@millrace/core/access"
import { ownerOf, storeWorkspace } from "@millrace/testing/fixture"
import { Patterns } from "@millrace/core/pattern"
import { Cursors, Tables } from "@millrace/core/kernel"
import { Ids } from "@millrace/core"
import type { RowQuery } from "../packages/core/src/table/RowRequest.ts"
import { acrossTenants, withinWorkspaces } from "@millrace/core/workspace"
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import { client, serverClient } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { Bench } from "./harness/Bench.ts"

const { layer: noSecrets } = AesSecrets

const pageSize = 100

/** A table with rows made by the database itself, as the kernel would have stored them. */
const filled = Effect.fnUntraced(
  function* (caller: Caller, rows: number) {
    const sql = yield* SqlClient.SqlClient
    const table = yield* (yield* Tables).create(caller, {
      name: `${rows} rows`,
      fields: [
        { key: "payee", name: "Payee", type: "text", indexed: true },
        { key: "amount", name: "Amount", type: "number", indexed: true },
        { key: "day", name: "Day", type: "date", indexed: true },
        { key: "memo", name: "Memo", type: "text" }
      ]
    })
    const [payee, amount, day] = table.fields
    yield* sql`create temporary table made on commit preserve rows as
    select n, 'row_' || lpad(n::text, 26, '0') as id, 'Store ' || n % 50 as payee, ((n::bigint * 7919) % 100000 + 0.25)::numeric as amount,
      (date '2000-01-01' + ((n::bigint * 31) % 9000)::int)::text as day
    from generate_series(1, ${rows}::int) n`
    yield* sql`insert into table_row (id, table_id, field_values, folded, created_by, updated_by, version, created_at, updated_at)
    select id, ${table.id}, jsonb_build_object('payee', payee, 'amount', amount::text, 'day', day, 'memo', 'memo ' || n),
      jsonb_build_object('payee', lower(payee)), '{"kind":"user","userId":"usr_1"}', '{"kind":"user","userId":"usr_1"}',
      1, now(), now()
    from made`
    yield* sql`insert into row_lookup (table_id, row_id, facet, text_cell)
    select ${table.id}, id, ${payee!.id}, lower(payee) from made`
    yield* sql`insert into row_lookup (table_id, row_id, facet, number_cell)
    select ${table.id}, id, ${amount!.id}, amount from made`
    yield* sql`insert into row_lookup (table_id, row_id, facet, text_cell)
    select ${table.id}, id, ${day!.id}, day from made`
    yield* sql`update app_table set row_count = ${rows} where id = ${table.id}`
    yield* sql`drop table made`
    return table.id
  },
  (effect) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))
)

const queries: Readonly<Record<string, RowQuery>> = {
  "a value": { filter: { field: "payee", op: "eq", value: "STORE 7" } },
  "a value beside other conditions": {
    filter: {
      logic: "and",
      conditions: [
        { field: "payee", op: "eq", value: "Store 7" },
        { field: "amount", op: "gt", value: 10 },
        { field: "memo", op: "contains", value: "memo" }
      ]
    }
  },
  "a range in its order": {
    filter: { field: "amount", op: "gte", value: 50_000 },
    sort: [{ field: "amount" }]
  },
  "the newest first": { sort: [{ field: "day", desc: true }] }
}

export const bench: Bench = {
  name: "rows",
  title: "First page of a filter or an order on an indexed field, in a large table and in a small one",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const [large, small] = [quick ? 200_000 : 1_000_000, 10_000]
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres({ durable: false })),
        ({ stop }) => Effect.promise(stop)
      )
      const storage = PostgresStorage.layer.pipe(
        Layer.provide(noSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
        Layer.provideMerge(serverClient(server, "postgres"))
      )
      const runtime = yield* Effect.acquireRelease(
        Effect.sync(() =>
          ManagedRuntime.make(
            Tables.layer.pipe(
              Layer.provide(Cursors.layer(Redacted.make("bench"))),
              Layer.provideMerge(Layer.mergeAll(storage, NodeDigest.layer, Ids.layer, Patterns.layerProven))
            )
          )
        ),
        (made) => made.disposeEffect
      )
      const on = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>) =>
        Effect.promise(() => runtime.runPromise(effect))

      const { ids, caller } = yield* on(
        Effect.gen(function* () {
          const workspace = yield* storeWorkspace({ plan: "enterprise" })
          const user = ownerOf(workspace)
          const made = { large: yield* filled(user, large), small: yield* filled(user, small) }
          return { ids: made, caller: user }
        }).pipe(acrossTenants("task engine"))
      )
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`vacuum analyze`).pipe(
        Effect.provide(client(server, "postgres", 1)),
        Effect.orDie
      )
      const page = (id: typeof ids.large, query: RowQuery) =>
        Effect.map(
          on(
            Effect.flatMap(Tables, (tables) => tables.queryRows(caller, id, { ...query, limit: pageSize })).pipe(
              withinWorkspaces(caller.principal.workspace.id)
            )
          ),
          ({ rows }) =>
            () =>
              rows.length
        )
      const of = `${large.toLocaleString("en-US")} rows`
      const by = `${small.toLocaleString("en-US")} rows`
      return {
        comparisons: Object.entries(queries).map(([name, query]) => ({
          name: `first page of ${name}`,
          amount: 1,
          unit: "pages",
          contenders: [
            { name: of, run: page(ids.large, query) },
            { name: by, run: page(ids.small, query) }
          ],
          ratios: [{ name: `${name}: 1,000,000 rows against 10,000`, of, by }]
        }))
      }
    })
}
