/**
 * Reading transactions of one large account: pages between days, and pages of filters that match nothing or little, beside
 * the first page of it all. Reading little should hardly cost more than reading what is on top.
 *
 * The same rows written as another type, which nobody searches, show what searches cost where rows are stored.
 */
import { NodeDigest } from "@millrace/adapters"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { CalendarDate, Decimal, Ids } from "@millrace/core"
import type { RecordWrite } from "@millrace/core/record"
import { type RecordFilter, type RecordScope, RecordStore } from "@millrace/core/storage"
import { acrossWorkspaces, withinWorkspaces } from "@millrace/core/workspace"
import { scopeOf, storeAccount, storeBank, storeWorkspace } from "@millrace/testing/fixture"
import { type PostgresServer, startPostgres } from "@millrace/verification/postgres/PostgresServer"
import { client, serverClient } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { Bench, Comparison } from "./harness/Bench.ts"
import { transactions } from "./transactions.ts"

const { layer: noSecrets } = AesSecrets

const pageSize = 100
const chunk = 50_000
const firstPage = "first page of it all"

/** As a first sync stores them; the last of every chunk of rows has what is looked for in few. */
const writesOf = (from: number, count: number, seed: number): ReadonlyArray<RecordWrite> =>
  transactions({ seed, count }).map(({ pending, ...fields }, n): RecordWrite => {
    const id = `txn_${String(from + n).padStart(26, "0")}`
    const rare = n % 10_000 === 9_999
    return {
      id,
      providerId: `p${from + n}`,
      date: CalendarDate.make(fields.date),
      pending,
      state: "live",
      hash: `h${from + n}`,
      fields: {
        ...fields,
        id,
        ...(rare ? { description: "Lighthouse Xylophone 7", category: "Music", amount: "-9999999.07" } : {})
      }
    }
  })

const filters: Readonly<Record<string, RecordFilter>> = {
  "two days": { from: CalendarDate.make("2023-05-03"), to: CalendarDate.make("2023-05-04") },
  "text that is nowhere": { text: "zeppelin quartz" },
  "text of two letters that is nowhere": { text: "@~" },
  "text that is in few": { text: "house xyl" },
  "text beyond ASCII that is nowhere": { text: "żółć" },
  "text that is in one row of twelve": { text: "münchen" },
  "a category that is nowhere": { category: "Aviation" },
  "a category that is in few": { category: "Music" },
  "an amount that few have": { minAmount: Decimal.make("-10000000"), maxAmount: Decimal.make("-9999999") },
  "amounts above all": { minAmount: Decimal.make("77777777") }
}

const storageOf = (server: PostgresServer) =>
  PostgresStorage.layer.pipe(
    Layer.provide(noSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
    Layer.provideMerge(serverClient(server, "postgres"))
  )

export const bench: Bench = {
  name: "reads",
  title: "Pages of transactions of one large account: filters that match little beside the first page",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const rows = quick ? 200_000 : 1_000_000
      const written = 20_000
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres({ durable: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const runtime = yield* Effect.acquireRelease(
        Effect.sync(() => ManagedRuntime.make(Layer.mergeAll(storageOf(server), NodeDigest.layer, Ids.layer))),
        (made) => made.disposeEffect
      )
      const on = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>) =>
        Effect.promise(() => runtime.runPromise(effect))
      const owner = yield* Effect.acquireRelease(
        Effect.sync(() => ManagedRuntime.make(client(server, "postgres", 1))),
        (made) => made.disposeEffect
      )
      const asOwner = (statement: string) =>
        Effect.promise(() => owner.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))))

      const makeScope = Effect.gen(function* () {
        return scopeOf(yield* storeAccount(yield* storeBank(yield* storeWorkspace({ plan: "enterprise" }))))
      }).pipe(acrossWorkspaces("task engine"))
      const scope = yield* on(makeScope)
      const write = (to: RecordScope, writes: ReadonlyArray<RecordWrite>) =>
        on(Effect.flatMap(RecordStore, (records) => records.write(to, writes)).pipe(withinWorkspaces(to.workspaceId)))
      for (let from = 0; from < rows; from += chunk) yield* write(scope, writesOf(from, chunk, from))
      yield* asOwner("vacuum analyze")

      const page = (filter: RecordFilter) =>
        Effect.map(
          on(
            Effect.flatMap(RecordStore, (records) => records.page(scope, { filter, limit: pageSize })).pipe(
              withinWorkspaces(scope.workspaceId)
            )
          ),
          (found) => () => found.map(({ id }) => id).join(" ")
        )
      const expected = yield* Effect.map(
        on(
          Effect.forEach(Object.values(filters), (filter) =>
            Effect.flatMap(RecordStore, (records) => records.page(scope, { filter, limit: pageSize }))
          ).pipe(withinWorkspaces(scope.workspaceId))
        ),
        (pages) => pages.map((found) => found.length)
      )
      const names = Object.keys(filters)
      const reading: Comparison = {
        name: `pages of ${rows.toLocaleString("en-US")} transactions (${names.map((name, n) => `${name}: ${expected[n]}`).join(", ")})`,
        amount: 1,
        unit: "pages",
        contenders: [
          { name: firstPage, run: Effect.map(page({}), () => () => undefined) },
          ...Object.entries(filters).map(([name, filter]) => ({
            name,
            run: Effect.map(page(filter), () => () => undefined)
          }))
        ],
        ratios: names.map((name) => ({ name: `${name} against the first page`, of: name, by: firstPage }))
      }

      const few = writesOf(rows, written, 1)
      const other = yield* on(makeScope)
      const forget = asOwner(
        `with r as (delete from record where account_id = '${other.accountId}'),
          s as (delete from record_search where account_id = '${other.accountId}'),
          g as (delete from search_group where account_id = '${other.accountId}')
          select`
      ).pipe(Effect.andThen(asOwner("vacuum record")), Effect.andThen(asOwner("checkpoint")), Effect.asVoid)
      const storing = (to: RecordScope) => ({
        before: forget,
        run: Effect.as(write(to, few), () => few.length)
      })
      const cost: Comparison = {
        name: `storing ${written.toLocaleString("en-US")} transactions beside them`,
        amount: written,
        unit: "rows",
        contenders: [
          { name: "searched", ...storing(other) },
          { name: "not searched", ...storing({ ...other, dataType: "orders" }) }
        ],
        ratios: [{ name: "stored with what searches read against without", of: "searched", by: "not searched" }]
      }
      const bytes = Effect.map(
        asOwner(
          `select (pg_total_relation_size('record_search') + pg_total_relation_size('search_group'))::float8
            / (select sum(rows) from record_search) as bytes`
        ),
        ([row]) => (row as { readonly bytes: number }).bytes
      )
      return {
        comparisons: [reading, cost],
        figures: [{ name: "bytes on disk that searches take for a row", value: bytes }]
      }
    })
}
