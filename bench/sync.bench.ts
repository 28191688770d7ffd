/**
 * The main job whole: statements are parsed, identified, run through 500 rules, written to the ledger and
 * delivered to a table, on PostgreSQL with fsync on. Beside it COPY of the very same rows into the very same
 * tables, without any of that work. What a row costs, and where its goals are missed:
 * docs/decisions/0050-what-a-row-of-a-first-sync-costs.md.
 */
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import { generate } from "./generate.ts"
import type { Bench } from "./harness/Bench.ts"
import * as Contenders from "./sync/Contenders.ts"
import * as Copy from "./sync/Copy.ts"
import { connect, runtimeOf, type Services } from "./sync/Installation.ts"
import * as Footprint from "./sync/Footprint.ts"
import * as RowLog from "./sync/RowLog.ts"
import { statementFiles } from "./sync/StatementFile.ts"
import { ofFiles } from "./sync/Statements.ts"

export const bench: Bench = {
  name: "sync",
  title: "First sync and unchanged re-sync: parse, identity, 500 rules, ledger and delivery",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const transactions = quick ? 20_000 : 200_000
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres({ durable: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const connection = yield* Copy.client(server)
      yield* RowLog.prepare(connection)
      const upstream = ofFiles(statementFiles(generate({ seed: 11, transactions, accounts: 20 })))
      const runtime = yield* runtimeOf(server, upstream.driver)
      const on = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.promise(() => runtime.runPromise(effect))
      const sync = Contenders.wholeJob(on, yield* on(connect), upstream)
      const { copies } = yield* Contenders.taken(connection, sync)
      const footprint = yield* Effect.cached(
        Effect.gen(function* () {
          yield* Copy.forget(connection)
          yield* sync.prepare
          return yield* Footprint.of(connection, sync.tables, transactions, sync.run)
        })
      )
      const written = RowLog.during(connection, sync.tables, Effect.andThen(sync.prepare, sync.run))

      return {
        comparisons: [
          {
            name: `${transactions.toLocaleString("en-US")} transactions of 20 accounts`,
            amount: transactions,
            unit: "transactions",
            rounds: quick ? 2 : 3,
            contenders: [
              Contenders.copy(connection, copies),
              Contenders.firstSync(connection, sync),
              Contenders.unchangedSync(sync)
            ],
            ratios: [
              { name: "first sync to COPY", of: "first sync", by: "COPY of the same rows" },
              { name: "unchanged re-sync to COPY", of: "unchanged re-sync", by: "COPY of the same rows" }
            ]
          }
        ],
        figures: [
          { name: "rows written by an unchanged re-sync", value: Effect.map(written, ({ rows }) => rows) },
          { name: "disk of a row, KB", value: Effect.map(footprint, ({ disk }) => disk / 1_000) },
          { name: "log of a row, KB", value: Effect.map(footprint, ({ log }) => log / 1_000) }
        ]
      }
    })
}
