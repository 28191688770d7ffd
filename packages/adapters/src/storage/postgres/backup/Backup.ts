/** Everything that is stored, as it is at one moment, into one file; while the server works. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { StorageUnavailable } from "@millrace/core/storage"
import { checkSchema, checkVersion, DatabaseUnfit } from "../DatabaseCheck.ts"
import { knownSchema, migrations, newestSchema } from "../Migrations.ts"
import { schemaName } from "../Schema.ts"
import { inTransaction, stored } from "../SqlFailure.ts"
import { sayEveryWorkspace } from "../RowLevelSecurity.ts"
import { BackupUnusable, type Header, type Line, writeBackup } from "./BackupFile.ts"

/** Tables that hold nothing beyond the processes that run, or that the migrations themselves keep. */
const passing = ["schema_migration", "request_window", "cluster_runners", "cluster_locks", "cluster_runner_migrations"]

const fetchBytes = 8 * 1_048_576
const mostRows = 2_000

export interface TableOf {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** Tables of our schema with the columns that are written. */
export const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<TableOf>`select relname as name,
      array_agg(attname::text order by attnum) filter (where attgenerated = '') as columns
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace join pg_attribute on attrelid = pg_class.oid
    where nspname = ${schemaName} and relkind = 'r' and attnum > 0 and not attisdropped
      and not relname = any(${passing})
    group by relname order by relname`
})

const sequences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = yield* sql<{ readonly name: string }>`select relname as name from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace where nspname = ${schemaName} and relkind = 'S' order by relname`
  return yield* Effect.forEach(names, ({ name }) =>
    Effect.map(
      sql<{ readonly last: string; readonly called: boolean }>`select last_value::text as last, is_called as called
        from ${sql(name)}`,
      ([row]) => ({ sequence: name, last: row!.last, called: row!.called })
    )
  )
})

export interface BackedUp {
  readonly bytes: number
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Writes the file whole, or leaves none. The secret that seals credentials and files is not in it: keep that apart.
 * Everything is read in one transaction, so what was written meanwhile is in it whole or not at all.
 */
export const backup = Effect.fn("PostgresStorage.backup")(function* (
  path: string,
  at: string
): Effect.fn.Return<BackedUp, BackupUnusable | DatabaseUnfit | StorageUnavailable, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows: Record<string, number> = {}
  return yield* Effect.gen(function* () {
    yield* sql`set transaction isolation level repeatable read, read only`
    yield* sayEveryWorkspace
    const { applied } = yield* checkSchema(newestSchema)
    yield* checkVersion(applied, knownSchema)
    if (applied.length === 0) return yield* new DatabaseUnfit({ message: "There is nothing in it yet." })
    if (applied.length < newestSchema) {
      return yield* new DatabaseUnfit({
        message:
          "An older version of Millrace has used it last. Make the backup with that version, or start this one first."
      })
    }
    // What is printed does not depend on settings of the database.
    yield* sql`set local timezone = 'UTC'`
    yield* sql`set local datestyle = 'ISO, YMD'`
    yield* sql`set local intervalstyle = 'postgres'`
    yield* sql`set local extra_float_digits = 1`
    yield* sql`set local bytea_output = 'hex'`
    const all = yield* tables
    const last = yield* sequences
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const ask = (effect: Effect.Effect<ReadonlyArray<{ readonly line: string }>, SqlError>) => run(effect)
    const header: Header = { millrace: "backup", format: 1, at, schema: Object.keys(migrations) }

    async function* lines(): AsyncGenerator<Line> {
      yield header
      for (const { columns, name } of all) {
        yield { table: name, columns }
        rows[name] = 0
        const list = columns.map((column) => `"${column}"`).join(", ")
        await ask(
          sql.unsafe(`declare backup_rows no scroll cursor for select row(${list})::text as line from "${name}"`)
        )
        let size = 20
        for (;;) {
          const found = await ask(sql.unsafe(`fetch ${size} from backup_rows`))
          let bytes = 1
          for (const { line } of found) {
            bytes += line.length
            yield line
          }
          rows[name] += found.length
          if (found.length < size) break
          size = Math.max(1, Math.min(mostRows, Math.floor((fetchBytes * found.length) / bytes)))
        }
        await ask(sql.unsafe("close backup_rows"))
      }
      yield* last
    }

    const bytes = yield* Effect.tryPromise({
      try: () => writeBackup(path, lines(), () => rows),
      catch: (cause) =>
        cause instanceof BackupUnusable
          ? cause
          : new BackupUnusable({
              message: `The backup ${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
              cause
            })
    })
    return { bytes, rows }
  }).pipe(inTransaction(sql), stored)
})
