/** What a first sync takes of the disk: its tables with their indexes, and the log that is written for them. */
import * as Effect from "effect/Effect"
import type { Client } from "pg"

export interface Footprint {
  /** Of tables and indexes, in bytes a row. */
  readonly disk: number
  /** In bytes a row; images of whole pages are left out, because the last checkpoint decides how many there are. */
  readonly log: number
}

const logged = `select coalesce(sum(record_size - fpi_size), 0)::float8 as bytes
  from (select sum(record_length) as record_size, sum(fpi_length) as fpi_size from pg_get_wal_records_info($1, $2)) as all_of_it`

const held = `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c where c.oid = any($1::regclass[])`

/** The tables are empty before, and hold the rows of the work after it. */
export const of = Effect.fnUntraced(function* (
  connection: Client,
  tables: ReadonlyArray<string>,
  rows: number,
  work: Effect.Effect<unknown>
) {
  const ask = (statement: string, values: ReadonlyArray<unknown>) =>
    Effect.promise(async () => (await connection.query(statement, [...values])).rows[0] as Record<string, unknown>)
  const position = Effect.map(ask("select pg_current_wal_flush_lsn()::text as lsn", []), ({ lsn }) => lsn)
  const from = yield* position
  yield* work
  const log = yield* ask(logged, [from, yield* position])
  const disk = yield* ask(held, [tables])
  return { disk: Number(disk["bytes"]) / rows, log: Number(log["bytes"]) / rows } satisfies Footprint
})
