/**
 * The second wall between workspaces: PostgreSQL itself shows a transaction the rows of the workspaces that it was
 * begun for, and refuses to write others, whatever the conditions of a statement say.
 *
 * A transaction says whom it is for in the setting `millrace.workspaces`: ids with commas between, `*` for all
 * workspaces, empty for none. Where nothing is said there is nothing to see.
 */
import type { StorageUnavailable } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/** The setting that says which workspaces a transaction is for. */
export const workspacesSetting = "millrace.workspaces"

/** The setting for all workspaces. */
export const everyWorkspace = "*"

/**
 * Tables without a wall, and why each of them needs none. Anyone who adds a table either gives it a `workspace_id` and
 * `rowLevelSecurity`, or says here why it holds nothing of a workspace; a test compares this with the database.
 */
export const tablesWithoutRowLevelSecurity: Readonly<Record<string, string>> = {
  cluster_locks: "which processes run: made and used by the job engine",
  cluster_runner_migrations: "which processes run: made and used by the job engine",
  cluster_runners: "which processes run: made and used by the job engine",
  endpoint_total: "tokens that all workspaces have used at an endpoint of a model: sums alone",
  event_consumer: "names of what reads the events of all workspaces",
  data_key: "keys of the installation, sealed",
  installation: "what all processes of the installation agree on",
  lease: "who holds what until when: ids alone, which all workers look at together",
  received_webhook:
    "callbacks that were taken in: digests and instants alone, noted before anybody knows whose they are",
  request_window: "when requests came in the last minute, asked before anybody knows for which workspace",
  runner_slot: "how much each process can run",
  schema_migration: "which migrations have run",
  upstream_turn: "budgets of providers, which all workspaces share",
  workspace_turn: "whose turn it is to run a job, looked at for all workspaces together: ids and instants alone"
}

/**
 * Says in a transaction that it is for all workspaces: migrations, backups. A pooler may have dropped what the connection
 * began with.
 */
export const sayEveryWorkspace = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select set_config(${workspacesSetting}, ${everyWorkspace}, true)`
)

/** The tables of our schema that have no wall and are not among those that need none. Empty, or somebody forgot one. */
export const unwalledTables: Effect.Effect<ReadonlyArray<string>, StorageUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* stored(sql<{ readonly name: string }>`select relname as name
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = current_schema() and relkind in ('r', 'p')
        and not (relrowsecurity and relforcerowsecurity and exists (select from pg_policy where polrelid = pg_class.oid))
      order by relname`)
    return rows.flatMap(({ name }) => (Object.hasOwn(tablesWithoutRowLevelSecurity, name) ? [] : [name]))
  }
)
