/**
 * What set kinds would keep of what is only supposed, in tables that one connection has to itself. They are made like the real ones,
 * and named with their schema, so that the store of the real ones works on them and never on those.
 *
 * They live in a transaction that is always undone. So nothing of them can be left on a connection, also where a pooler hands
 * connections on between transactions.
 */
import { PgClient } from "@effect/sql-pg/PgClient"
import * as PgClientModule from "@effect/sql-pg/PgClient"
import { AnalysisStore, ScratchAnalysis } from "@millrace/core/storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { analysisTables, layerOf } from "./PostgresAnalysisStore.ts"
import { schemaName } from "./Schema.ts"
import { stored } from "./SqlFailure.ts"

/** Commits after which the planner is informed how large they have become: nobody else does so for such tables. */
const tellAt = (commits: number): boolean => commits > 0 && (commits & (commits - 1)) === 0

/** Nothing is prepared: what was prepared for tables of an earlier time, which are gone, would fail. */
const unprepared = (connection: Connection): Connection => ({
  ...connection,
  execute: connection.executeUnprepared,
  executeValues: connection.executeValuesUnprepared,
  executeRaw: (sql, params) => connection.executeUnprepared(sql, params, undefined)
})

export const layer: Layer.Layer<ScratchAnalysis, never, SqlClient.SqlClient | PgClient> = Layer.effect(
  ScratchAnalysis,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { config } = yield* PgClient
    const open = Effect.gen(function* () {
      const connection = unprepared(yield* sql.reserve)
      const run = (statement: string) => connection.executeUnprepared(statement, [], undefined)
      // Takes the connection for as long as the scope lasts: what is registered now ends before it is given back.
      yield* run("select 1")
      yield* Effect.acquireRelease(run("begin"), () => Effect.ignore(run("rollback")))
      // One of two waits for as long as the other one plans.
      yield* run("set local idle_in_transaction_session_timeout = 0")
      for (const name of analysisTables) {
        yield* run(`create temporary table ${name}
          (like ${schemaName}.${name} including defaults including constraints including indexes) on commit drop`)
      }
      const acquirer = Effect.succeed(connection)
      const own = yield* SqlClient.make({
        acquirer,
        transactionAcquirer: acquirer,
        compiler: PgClientModule.makeCompiler(config.transformQueryNames, config.transformJson),
        driver: "pg",
        spanAttributes: [["db.system.name", "postgresql"]],
        beginTransaction: "SAVEPOINT scratch",
        commit: "RELEASE SAVEPOINT scratch",
        rollback: "ROLLBACK TO SAVEPOINT scratch"
      }).pipe(Effect.provide(Reactivity.layer))
      const context = yield* Layer.build(
        layerOf("pg_temp.").pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, own)))
      )
      const store = Context.get(context, AnalysisStore)
      let commits = 0
      return AnalysisStore.of({
        ...store,
        commit: (scope, version, changes) =>
          Effect.tap(store.commit(scope, version, changes), () =>
            tellAt(++commits)
              ? stored(run(`analyze ${analysisTables.map((name) => `pg_temp.${name}`).join(", ")}`))
              : Effect.void
          )
      })
    }).pipe(stored)
    return ScratchAnalysis.of({ open })
  })
)
