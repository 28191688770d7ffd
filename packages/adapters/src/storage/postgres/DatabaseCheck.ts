/** Whether a database can be ours: asked before anything is changed in it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { schemaName } from "./Schema.ts"

/** The database is reached and cannot be used as it is. The message says why and what to do; nothing was changed. */
export class DatabaseUnfit extends Schema.TaggedError<DatabaseUnfit>()("DatabaseUnfit", {
  message: Schema.String
}) {}

const unfit = (message: string) => Effect.fail(new DatabaseUnfit({ message }))

const oldestVersion = 170_000

/** The server and the database itself. */
export const checkDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{
    readonly name: string
    readonly encoding: string
    readonly version: number
    readonly readonly: boolean
    readonly path: string
  }>`select datname as name, pg_encoding_to_char(encoding) as encoding,
      current_setting('server_version_num')::int as version,
      pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as readonly,
      current_setting('search_path') as path
    from pg_database where datname = current_database()`
  const { encoding, name, path, readonly, version } = found!
  if (version < oldestVersion) {
    return yield* unfit(
      `It is PostgreSQL ${Math.floor(version / 10_000)}, and ${oldestVersion / 10_000} is the oldest that can work. ` +
        "Upgrade it, or name another one."
    )
  }
  if (encoding !== "UTF8") {
    return yield* unfit(
      `The database "${name}" keeps text as ${encoding}, which cannot hold every text. Make one that can: ` +
        `create database ... encoding 'UTF8' template template0`
    )
  }
  if (readonly) {
    return yield* unfit(
      `The database "${name}" can only be read: it is a copy, or was set so. Name the one that is written to.`
    )
  }
  if (path !== schemaName) {
    return yield* unfit(
      `The connection looks for tables in "${path}" and not in the schema ${schemaName}: something in between drops ` +
        `the startup parameter search_path. Let it pass, or let the database set it: ` +
        `alter role ... in database "${name}" set search_path = ${schemaName}`
    )
  }
})

/** Where our schema stands. */
export interface Standing {
  /** Whether there is a schema of that name. */
  readonly exists: boolean
  /** Migrations that the tables have seen, the first one first. */
  readonly applied: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

/**
 * Our schema and what is in it. Refuses one that is not ours, or that our user may not use; or change, while it is
 * older than `newest`.
 */
export const checkSchema = Effect.fnUntraced(function* (
  newest: number
): Effect.fn.Return<Standing, DatabaseUnfit | SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [rights] = yield* sql<{
    readonly role: string
    readonly database: string
    readonly exists: boolean
    readonly may: boolean
    readonly foreign: string | null
    readonly marked: boolean
  }>`with own as (select oid from pg_namespace where nspname = ${schemaName}),
      relation as (select pg_class.oid, relname from pg_class join own on relnamespace = own.oid
        where relkind in ('r', 'p', 'v', 'm', 'f', 'S')),
      mark as (select oid from relation where relname = 'schema_migration'
        and 2 = (select count(*) from pg_attribute where attrelid = relation.oid and attname in ('migration_id', 'name')))
    select current_user as role, current_database() as database, exists (select from own) as exists,
      coalesce((select has_schema_privilege(oid, 'USAGE') and has_schema_privilege(oid, 'CREATE') from own),
        has_database_privilege(current_database(), 'CREATE')) as may,
      (select min(relname) from relation where not exists (select from mark)) as foreign,
      exists (select from mark) as marked`
  const { database, exists, foreign, marked, may, role } = rights!
  if (!may) {
    return yield* unfit(
      exists
        ? `The user "${role}" may not use and change the schema ${schemaName} of the database "${database}". As its ` +
            `owner: alter schema ${schemaName} owner to "${role}"`
        : `The user "${role}" may not make a schema in the database "${database}". As its owner: ` +
            `create schema ${schemaName} authorization "${role}"`
    )
  }
  if (foreign !== null) {
    return yield* unfit(
      `The schema ${schemaName} of the database "${database}" is somebody else's: it holds "${foreign}" and no tables ` +
        "of Millrace. Name a database of its own, or rename that schema."
    )
  }
  if (!marked) return { exists, applied: [] }
  const applied = yield* sql<{ readonly id: number; readonly name: string }>`select migration_id as id, name
    from ${sql(schemaName)}.schema_migration order by migration_id`
  const [closed] = yield* sql<{ readonly name: string; readonly owner: string }>`select relname as name,
      pg_get_userbyid(relowner) as owner
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = ${schemaName} and relkind = 'r'
      and not case when ${(applied.at(-1)?.id ?? 0) >= newest} then
          has_table_privilege(pg_class.oid, 'SELECT') and has_table_privilege(pg_class.oid, 'INSERT')
          and has_table_privilege(pg_class.oid, 'UPDATE') and has_table_privilege(pg_class.oid, 'DELETE')
        else pg_has_role(relowner, 'USAGE') end
    order by relname limit 1`
  if (closed !== undefined) {
    return yield* unfit(
      `The table "${closed.name}" in the schema ${schemaName} of the database "${database}" belongs to "${closed.owner}", and ` +
        `"${role}" may not change it. Connect as "${closed.owner}", or: grant "${closed.owner}" to "${role}"`
    )
  }
  return { exists, applied }
})

/** Refuses tables that another version has written than those that this one knows. */
export const checkVersion = (
  applied: Standing["applied"],
  known: ReadonlyArray<{ readonly id: number; readonly name: string }>
): Effect.Effect<void, DatabaseUnfit> => {
  const unreleased = applied.find(({ id, name }) => id === 1 && name === "foundation")
  if (unreleased !== undefined) {
    return unfit(
      "An unreleased version of Millrace made it, and no version reads its tables any more. Name an empty database, or an " +
        "empty data folder, and connect the banks again."
    )
  }
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const newest = applied.at(-1)
  const own = known.at(-1)?.id ?? 0
  if (newest !== undefined && newest.id > own) {
    return unfit(
      `A newer version of Millrace has used it: its schema has number ${newest.id}, and this version knows those up to ` +
        `${own}. Start that version or a later one.`
    )
  }
  const other = applied.find(({ id, name }) => names.get(id) !== name)
  return other === undefined
    ? Effect.void
    : unfit(
        `Another build of Millrace has used it: step ${other.id} of its schema is "${other.name}", and here it is ` +
          `"${names.get(other.id)}". Start that build, or restore a backup of this one.`
      )
}
