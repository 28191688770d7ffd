/**
 * Lists of transactions of a small and a large account: the slowest of some filters, right after the rows were stored and again
 * after vacuum, and a sum by month and currency. What they cost is milliseconds of PostgreSQL, in the role of a server.
 */
import { NodeDigest } from "@millrace/adapters"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { CalendarDate, Decimal, Ids } from "@millrace/core"
import type { RecordWrite } from "@millrace/core/record"
import { type RecordFilter, type RecordScope, RecordStore } from "@millrace/core/storage"
import { acrossTenants, withinWorkspaces } from "@millrace/core/workspace"
import { scopeOf, storeAccount, storeBank, storeWorkspace } from "@millrace/testing/fixture"
import { type PostgresServer, startPostgres } from "@millrace/verification/postgres/PostgresServer"
import { client, serverClient } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { Bench, Overview } from "./harness/Bench.ts"
import { transactions } from "./transactions.ts"

const pageSize = 100
const chunk = 20_000
const runs = 5

/** As a first sync stores them; the last of every ten thousand has what is looked for in few. */
const writesOf = (from: number, count: number): ReadonlyArray<RecordWrite> =>
  transactions({ seed: from, count }).map(({ pending, ...fields }, n): RecordWrite => {
    const id = `txn_${String(from + n).padStart(26, "0")}`
    const rare = { description: "Lighthouse Xylophone 7", category: "Music", amount: "-9999999.07" }
    return {
      id,
      providerId: `p${from + n}`,
      date: CalendarDate.make(fields.date),
      pending,
      state: "live",
      hash: `h${from + n}`,
      fields: { ...fields, id, ...((from + n) % 10_000 === 9_999 ? rare : {}) }
    }
  })

const filters: Readonly<Record<string, RecordFilter>> = {
  none: {},
  "two days": { from: CalendarDate.make("2023-05-03"), to: CalendarDate.make("2023-05-04") },
  "text that is nowhere": { text: "zeppelin quartz" },
  "text that is in few": { text: "house xyl" },
  "text beyond ASCII that is nowhere": { text: "żółć" },
  "a category that is nowhere": { category: "Aviation" },
  "a type that is nowhere": { type: "Aviation" },
  "an amount that few have": { minAmount: Decimal.make("-10000000"), maxAmount: Decimal.make("-9999999") },
  "amounts above all": { minAmount: Decimal.make("77777777") },
  "text and amount that are nowhere": { text: "zeppelin quartz", maxAmount: Decimal.make("0") }
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

const storageOf = (server: PostgresServer) =>
  PostgresStorage.layer.pipe(
    Layer.provide(AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
    Layer.provideMerge(serverClient(server, "postgres"))
  )

const sum = ({ accountId, dataType, workspaceId }: RecordScope) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select date_trunc('month', day) as month, currency, sum(amount) as amount from record
      where in_scope(scope_no, account_id, data_type, workspace_id, ${accountId}, ${dataType}, ${workspaceId})
        and state = 'live' group by 1, 2`
  )

export const bench: Bench = {
  name: "lists",
  title: "Lists of transactions of an account of 100,000 rows and one of 1,000,000 (quick: 200,000)",
  make: ({ quick }) =>
    Effect.gen(function* () {
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
      const vacuum = Effect.promise(() =>
        owner.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("vacuum analyze record")))
      )

      /** The median of some runs. */
      const timed = <A, E>(scope: RecordScope, effect: Effect.Effect<A, E, RecordStore | SqlClient.SqlClient>) =>
        on(
          Effect.gen(function* () {
            const millis: Array<number> = []
            for (let n = 0; n < runs; n++) {
              const begun = performance.now()
              yield* effect
              millis.push(performance.now() - begun)
            }
            return median(millis)
          }).pipe(withinWorkspaces(scope.workspaceId))
        )
      const lists = (scope: RecordScope) =>
        Effect.forEach(Object.values(filters), (filter) =>
          timed(
            scope,
            Effect.flatMap(RecordStore, (records) => records.shownPage(scope, { filter, limit: pageSize }))
          )
        )
      const stored = Effect.fnUntraced(function* (rows: number) {
        const scope = yield* on(
          Effect.gen(function* () {
            return scopeOf(yield* storeAccount(yield* storeBank(yield* storeWorkspace({ plan: "enterprise" }))))
          }).pipe(acrossTenants("task engine"))
        )
        for (let from = 0; from < rows; from += chunk)
          yield* on(
            Effect.flatMap(RecordStore, (records) =>
              records.write(scope, writesOf(from, chunk), { areNew: true })
            ).pipe(withinWorkspaces(scope.workspaceId))
          )
        return { scope, synced: yield* lists(scope) }
      })
      const small = yield* stored(100_000)
      const large = yield* stored(quick ? 200_000 : 1_000_000)
      yield* vacuum
      const columns = [
        ["small account after a sync", small.synced],
        ["small account after vacuum", yield* lists(small.scope)],
        ["large account after a sync", large.synced],
        ["large account after vacuum", yield* lists(large.scope)]
      ] as const
      const overview: Overview = {
        name: "milliseconds of a page of 100",
        columns: columns.map(([name]) => name),
        rows: Object.keys(filters).map((name, n) => ({ name, values: columns.map(([, millis]) => millis[n]!) }))
      }
      return {
        comparisons: [],
        overviews: [Effect.succeed(overview)],
        figures: [
          ...columns.map(([name, millis]) => ({
            name: `slowest list of the ${name}, milliseconds`,
            value: Effect.succeed(Math.max(...millis))
          })),
          {
            name: "sum by month and currency of the large account, milliseconds",
            value: timed(large.scope, sum(large.scope))
          }
        ]
      }
    })
}
