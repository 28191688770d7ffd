/** The schema of the PostgreSQL storage: the baseline of a new database, and numbered steps behind it that run once each. */
import { addTables } from "./AddedTables.ts"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { baseline } from "./Baseline.ts"
import { checkDatabase, checkSchema, checkVersion, DatabaseUnfit } from "./DatabaseCheck.ts"
import { schemaName } from "./Schema.ts"
import { prepareServerRole } from "./ServerRole.ts"
import { inTransaction, unavailable } from "./SqlFailure.ts"
import { sayEveryWorkspace } from "./RowLevelSecurity.ts"

/**
 * A step whose number is below the newest one applied would be skipped in silence: a new one takes the next number.
 * A step that was released is never changed. No version is released yet, so what changes goes into the baseline.
 */
export const migrations = { "0001_baseline": baseline } as const

/** All steps that this version knows, the first one first. */
export const knownSchema = Object.keys(migrations).map((key) => ({ id: Number(key.slice(0, 4)), name: key.slice(5) }))

/** The number of the newest schema. */
export const newestSchema = knownSchema.length

/** One process at a time makes or changes the schema: any number, as long as nobody else takes it. */
const migrationLock = 7_236_114_590_210_664_001n

export const lockSchema = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select pg_advisory_xact_lock(${migrationLock.toString()}::bigint)`
)

const reasonOf = ({ cause, message }: Migrator.MigrationError): string => {
  const reason = isSqlError(cause) ? unavailable(cause).message : undefined
  return reason === undefined ? message : `${message}: ${reason}`
}

/** Runs the steps up to that number that have not run; in the transaction of the caller, who holds the lock. */
export const migrateTo = (number: number) =>
  Migrator.make({})({
    loader: Migrator.fromRecord(Object.fromEntries(Object.entries(migrations).slice(0, number))),
    table: "schema_migration"
  }).pipe(Effect.catchTag("MigrationError", (error) => Effect.fail(new DatabaseUnfit({ message: reasonOf(error) }))))

/**
 * Brings the database to the newest schema: all of it or nothing. Safe to run from several processes at once. Refuses
 * a database that cannot be used, before anything is changed in it.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sayEveryWorkspace
  yield* checkDatabase
  yield* lockSchema
  const { applied, exists } = yield* checkSchema(newestSchema)
  yield* checkVersion(applied, knownSchema)
  if (!exists) yield* sql`create schema ${sql(schemaName)}`
  const done = yield* migrateTo(newestSchema)
  yield* addTables
  yield* prepareServerRole
  return done
}).pipe(
  (steps) => Effect.flatMap(SqlClient.SqlClient, (sql) => inTransaction(sql)(steps)),
  Effect.withSpan("PostgresStorage.migrate")
)
