/** Lines of upstreams that an earlier version stored: nobody knows which of their requests went when. */
import { migrateTo } from "../../src/storage/postgres/Migrations.ts"
import { layer as upstreamBudget } from "../../src/storage/postgres/PostgresUpstreamBudget.ts"
import { Allowance, UpstreamBudget } from "@millrace/core/rate"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const services = upstreamBudget.pipe(Layer.provideMerge(database(inject("postgres"))))

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("limits of an earlier version", (it) => {
  it.effect("give no place until their time has passed once, and lines that are new give one at once", () =>
    Effect.gen(function* () {
      // All of it is one transaction, which has the time at which it began.
      const began = performance.now()
      const sql = yield* SqlClient.SqlClient
      const budget = yield* UpstreamBudget
      // Another schema stands for the database of an earlier version.
      yield* sql`create schema earlier_limits`
      yield* sql`set local search_path = earlier_limits`
      yield* migrateTo(52)
      yield* sql`insert into upstream_turn (instance_id, connection, next_at, place_at) values
        ('demo:one', '', now() - interval '20 seconds', null),
        ('demo:one', 'ahead', now() + interval '30 seconds', now() + interval '20 seconds')`
      yield* migrateTo(53)
      const waitOf = (connection: string | undefined) =>
        budget.take([{ instanceId: "demo:one", connection, allowance: Allowance.allowanceOf(10) }], 0)
      for (const [connection, seconds] of [
        [undefined, 63],
        ["ahead", 93]
      ] as const) {
        const { granted, wait } = yield* waitOf(connection)
        expect(granted).toBe(false)
        // The step and the question have a clock each that goes on.
        expect(wait).toBeGreaterThan(seconds - 2 - (performance.now() - began) / 1_000)
        expect(wait).toBeLessThanOrEqual(seconds)
      }
      expect(yield* waitOf("new")).toEqual({ granted: true, wait: 0 })
    }).pipe(
      (steps) =>
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.andThen(steps, Effect.fail("undone")))),
      Effect.catchIf(
        (error) => error === "undone",
        () => Effect.void
      )
    )
  )
})
