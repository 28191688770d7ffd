/** A backup into a database that holds nothing of ours yet: all of it, or nothing. */
import type { StorageUnavailable } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { addTables } from "../AddedTables.ts"
import { checkDatabase, checkSchema, checkVersion, DatabaseUnfit } from "../DatabaseCheck.ts"
import { knownSchema, lockSchema, migrateTo, newestSchema } from "../Migrations.ts"
import { schemaName } from "../Schema.ts"
import { inTransaction, stateOf, stored } from "../SqlFailure.ts"
import { sayEveryWorkspace } from "../RowLevelSecurity.ts"
import { tables } from "./Backup.ts"
import { BackupUnusable, checkBackup, type Header, type Line, readBackup } from "./BackupFile.ts"

const insertBytes = 4 * 1_048_576
const insertRows = 5_000

/** Constraints between tables, which are checked once all rows are there: in whatever order they come. */
const foreignKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly drop: string; readonly add: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint where contype = 'f' and connamespace = ${schemaName}::regnamespace order by oid`
})

const quoted = (names: ReadonlyArray<string>, prefix = ""): string =>
  names.map((name) => `${prefix}"${name.replaceAll('"', '""')}"`).join(", ")

export interface Restored {
  readonly at: string
  readonly rows: number
}

/** Restores the file and brings it to the newest schema. Fails, and leaves the database as it was, in all other cases. */
export const restore = Effect.fn("PostgresStorage.restore")(function* (
  path: string
): Effect.fn.Return<Restored, BackupUnusable | DatabaseUnfit | StorageUnavailable, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const file = readBackup(path)
  const unusable = (message: string) => new BackupUnusable({ message: `${path} ${message}. Nothing was restored.` })
  // Anyone who alters a file can alter its digest too.
  const ofFile = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, BackupUnusable | SqlError> =>
    Effect.mapError(effect, (error) =>
      /^2[23]...$/.test(stateOf(error)) ? unusable("is no whole backup: it holds what no table takes") : error
    )
  const nextLine = Effect.tryPromise({
    try: () => file.next(),
    catch: (cause) => (cause instanceof BackupUnusable ? cause : unusable(`cannot be read: ${String(cause)}`))
  }).pipe(Effect.map(({ done, value }) => (done === true ? undefined : (value as Line))))

  // Read to its end first: a file that was cut or altered is refused before anything is made for it.
  yield* Effect.tryPromise({
    try: () => checkBackup(path),
    catch: (cause) => (cause instanceof BackupUnusable ? cause : unusable(`cannot be read: ${String(cause)}`))
  })
  return yield* Effect.gen(function* () {
    const header = (yield* nextLine) as Header
    const applied = header.schema.map((name) => ({ id: Number(name.slice(0, 4)), name: name.slice(5) }))
    yield* Effect.mapError(checkVersion(applied, knownSchema), ({ message }) => unusable(`cannot be taken. ${message}`))
    yield* sayEveryWorkspace
    yield* checkDatabase
    yield* lockSchema
    const standing = yield* checkSchema(newestSchema)
    if (standing.applied.length > 0) {
      return yield* new DatabaseUnfit({
        message:
          "It holds data already, and a backup is restored into an empty one. Name another one, or an empty data folder."
      })
    }
    if (!standing.exists) yield* sql`create schema ${sql(schemaName)}`
    yield* migrateTo(applied.length)
    yield* addTables
    const own = new Map((yield* tables).map((table) => [table.name, table]))
    const keys = yield* foreignKeys
    for (const { drop } of keys) yield* sql.unsafe(drop)
    for (const name of own.keys()) yield* sql.unsafe(`alter table ${quoted([name])} disable trigger user`)
    // What the steps themselves have put there comes from the file as well.
    yield* sql.unsafe(`truncate ${quoted([...own.keys()])}`)

    let target: { readonly name: string; readonly columns: ReadonlyArray<string> } | undefined
    let waiting: Array<string> = []
    let bytes = 0
    let rows = 0
    const flush = Effect.suspend((): Effect.Effect<unknown, BackupUnusable | SqlError> => {
      if (target === undefined || waiting.length === 0) return Effect.void
      const { columns, name } = target
      const taken = waiting
      waiting = []
      bytes = 0
      rows += taken.length
      // Each row is read by the types of its columns, as PostgreSQL wrote it.
      return ofFile(
        sql.unsafe(
          `insert into ${quoted([name])} (${quoted(columns)}) overriding system value
           select ${quoted(columns, "x.")} from unnest($1::text[]::restored_row[]) as x`,
          [taken]
        )
      )
    })
    for (let line = yield* nextLine; line !== undefined; line = yield* nextLine) {
      if (typeof line === "string") {
        waiting.push(line)
        bytes += line.length
        if (bytes > insertBytes || waiting.length >= insertRows) yield* flush
      } else if ("table" in line) {
        yield* flush
        const known = own.get(line.table)
        if (known === undefined || line.columns.some((column) => !known.columns.includes(column))) {
          return yield* unusable(
            `holds a table ${line.table}, or columns of it, that are not here. Where it is of a collection that a module of ` +
              "yours adds, restore with the configuration file that names the module"
          )
        }
        target = { name: line.table, columns: line.columns }
        yield* sql.unsafe("drop type if exists restored_row")
        const [types] = yield* sql<{ readonly list: string }>`select string_agg(format('%I %s', attname,
            format_type(atttypid, atttypmod)), ', ' order by n) as list
          from unnest(${line.columns}::text[]) with ordinality as given(name, n)
          join pg_attribute on attname = given.name and attrelid = ${quoted([line.table])}::regclass`
        yield* sql.unsafe(`create type restored_row as (${types!.list})`)
      } else if ("sequence" in line) {
        yield* flush
        yield* ofFile(sql`select setval(${quoted([line.sequence])}::regclass, ${line.last}::bigint, ${line.called})`)
      }
    }
    yield* flush
    yield* sql.unsafe("drop type if exists restored_row")
    for (const { add } of keys) yield* ofFile(sql.unsafe(add))
    for (const name of own.keys()) yield* sql.unsafe(`alter table ${quoted([name])} enable trigger user`)
    yield* migrateTo(newestSchema)
    return { at: header.at, rows }
  }).pipe(inTransaction(sql), stored, Effect.ensuring(Effect.promise(() => file.return(undefined))))
})
