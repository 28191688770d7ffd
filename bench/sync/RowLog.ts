/** What the write-ahead log says of some tables: how many rows were written, and how many bytes that took. */
import * as Effect from "effect/Effect"
import type { Client } from "pg"

export interface RowLog {
  /** Rows inserted, updated and deleted. */
  readonly rows: number
  /** Bytes of what is logged of them and of their index entries, without images of whole pages. */
  readonly bytes: number
}

const position = async (connection: Client): Promise<string> => {
  const { rows } = await connection.query("select pg_current_wal_flush_lsn()::text as lsn")
  return (rows[0] as { readonly lsn: string }).lsn
}

/**
 * Images of whole pages are left out, because the last checkpoint decides how many there are; and so are row locks,
 * vacuum and pruning, which write no rows. A record names each block it is about, so it is found once for each.
 */
const statement = `
  with wanted as (
    select pg_relation_filenode(c.oid) as node, c.relkind = 'r' as is_table from pg_class c
    where c.oid = any($3::regclass[]) or c.oid in (select indexrelid from pg_index where indrelid = any($3::regclass[]))
  ), logged as (
    select resource_manager, min(record_length) - sum(coalesce(block_fpi_length, 0)) as bytes,
      case when not bool_or(is_table) then 0
        when resource_manager = 'Heap2' then substring(min(description) from 'ntuples: ([0-9]+)')::int else 1 end as rows
    from pg_get_wal_block_info($1, $2, false) join wanted on node = relfilenode
    where reldatabase = (select oid from pg_database where datname = current_database()) and (resource_manager = 'Heap' and record_type ~ '^(INSERT|UPDATE|HOT_UPDATE|DELETE)'
      or resource_manager = 'Heap2' and record_type ~ '^MULTI_INSERT'
      or resource_manager = 'Btree' and record_type ~ '^(INSERT|SPLIT|NEWROOT)')
    group by start_lsn, resource_manager
  )
  select coalesce(sum(rows), 0)::float8 as rows, coalesce(sum(bytes), 0)::float8 as bytes from logged`

/** Makes the log readable; once for a database. */
export const prepare = (connection: Client) =>
  Effect.promise(() => connection.query("create extension if not exists pg_walinspect"))

/** Does the work; answers what it wrote into the tables. */
export const during = Effect.fnUntraced(function* (
  connection: Client,
  tables: ReadonlyArray<string>,
  work: Effect.Effect<unknown>
) {
  const from = yield* Effect.promise(() => position(connection))
  yield* work
  return yield* Effect.promise(async (): Promise<RowLog> => {
    const to = await position(connection)
    if (from === to) return { rows: 0, bytes: 0 }
    const { rows } = await connection.query(statement, [from, to, tables])
    return rows[0] as RowLog
  })
})
