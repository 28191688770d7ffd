/** Time that passes for the database alone: nobody can set its clock, so all its instants move back. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { StoreClock } from "../suite/StorageTests.ts"

interface InstantColumn {
  readonly table: string
  readonly column: string
}

export const layer: Layer.Layer<StoreClock, never, SqlClient.SqlClient> = Layer.effect(
  StoreClock,
  Effect.map(SqlClient.SqlClient, (sql) =>
    StoreClock.of({
      pass: Effect.fnUntraced(function* (seconds) {
        const columns = yield* sql<InstantColumn>`select table_name::text as table, column_name::text as column
          from information_schema.columns where table_schema = 'public' and data_type = 'timestamp with time zone'
            and table_name <> 'schema_migration'`
        const byTable = Map.groupBy(columns, ({ table }) => table)
        for (const [table, own] of byTable) {
          const moves = own.map(
            ({ column }) => sql`${sql(column)} = ${sql(column)} - make_interval(secs => ${seconds}::float8)`
          )
          yield* sql`update ${sql(table)} set ${sql.csv(moves)}`
        }
      }, Effect.orDie)
    })
  )
)
