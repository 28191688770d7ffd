/** Every row of every table as text, each column whatever its type: for searches of what must not be there. */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export interface RowText {
  /** Without its schema. */
  readonly table: string
  readonly text: string
}

/** Needs a connection that no wall holds back. */
export const everyRow = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql<{ readonly schema: string; readonly name: string }>`
    select nspname as schema, relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') order by 1, 2`
  const rowsOf = ({ name, schema }: (typeof tables)[number]) =>
    `select '${name}' as "table", t::text as "text" from "${schema}"."${name}" t`
  return yield* sql.unsafe<RowText>(tables.map(rowsOf).join(" union all "))
})
