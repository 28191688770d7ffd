/**
 * Where in a database everything of ours is: in a schema of our own, so that the database may hold other things, and
 * nothing of theirs is ever taken for ours.
 *
 * Statements name tables without their schema; every connection looks for them here and nowhere else.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { everyWorkspace, workspacesSetting } from "./WorkspaceWall.ts"

export const schemaName = "millrace"

/**
 * What a connection begins with that works for the installation and not for a workspace: migrations, backups, tests.
 * `WorkspaceWall` explains the second one.
 */
export const startupParameters = { search_path: schemaName, [workspacesSetting]: everyWorkspace } as const

/**
 * What earlier releases made in the schema that came first on the path of their user, mostly `public`. Whatever was
 * added later has never been anywhere else than here. Indexes, triggers and sequences go with their tables.
 */
export const earlierTables: ReadonlyArray<string> = [
  "account",
  "account_change",
  "api_key",
  "app_table",
  "app_user",
  "bank",
  "bank_lease",
  "checkpoint",
  "cluster_locks",
  "cluster_runner_migrations",
  "cluster_runners",
  "delivery",
  "delivery_file",
  "enrichment",
  "feed",
  "feed_mark",
  "feed_wake",
  "id_trust",
  "identity_fact",
  "installation",
  "job",
  "member",
  "record",
  "record_alias",
  "record_match",
  "record_pull",
  "record_settled",
  "record_suggestion",
  "request_window",
  "row_lookup",
  "runner_slot",
  "schema_migration",
  "table_field",
  "table_row",
  "upload",
  "upstream_turn",
  "workspace"
]
const earlierFunctions: ReadonlyArray<string> = [
  "cells_merged",
  "folded_merged",
  "job_arrival",
  "job_transition",
  "store_now"
]
const earlierDomains: ReadonlyArray<string> = ["instant", "key_text"]

/** The schema that holds a `schema_migration` of ours, from before there was one of our own. */
export const earlierSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The path that the user of an earlier release had, unless somebody changed it.
  const candidates = yield* sql<{ readonly name: string }>`select nspname as name
    from unnest(array[current_user, 'public']) with ordinality as path(schema, n)
    join pg_namespace on nspname = path.schema
    join pg_class on relnamespace = pg_namespace.oid and relname = 'schema_migration' and relkind = 'r'
    where nspname <> ${schemaName} and has_schema_privilege(pg_namespace.oid, 'USAGE')
      and has_table_privilege(pg_class.oid, 'SELECT')
      and 2 = (select count(*) from pg_attribute where attrelid = pg_class.oid and attname in ('migration_id', 'name'))
      and exists (select from pg_class as own where own.relnamespace = pg_namespace.oid and own.relname = 'workspace')
    order by n`
  for (const { name } of candidates) {
    const first = yield* sql`select from ${sql(name)}.schema_migration where migration_id = 1 and name = 'foundation'`
    if (first.length > 0) return name
  }
  return undefined
})

/** Brings everything of ours from there into our schema. Run it in a transaction. */
export const moveFrom = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* SqlClient.SqlClient
  const moves = yield* sql<{ readonly statement: string }>`
    select format('alter table %s set schema ${sql.literal(schemaName)}', pg_class.oid::regclass) as statement
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = ${schema} and relkind = 'r' and relname = any(${earlierTables})
    union all
    select format('alter function %s set schema ${sql.literal(schemaName)}', pg_proc.oid::regprocedure)
    from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
    where nspname = ${schema} and proname = any(${earlierFunctions})
    union all
    select format('alter domain %s set schema ${sql.literal(schemaName)}', pg_type.oid::regtype)
    from pg_type join pg_namespace on pg_namespace.oid = typnamespace
    where nspname = ${schema} and typtype = 'd' and typname = any(${earlierDomains})`
  for (const { statement } of moves) yield* sql.unsafe(statement)
})
